import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { previewImpact } from '../../src/safety/index.ts';
import { lacks } from '../support/lacks.ts';

const missing = lacks('git');

let cwd = '';
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd, stdio: 'pipe' });

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'impact-'));
  if (missing) return;
  git('init', '-q', '-b', 'main');
  mkdirSync(join(cwd, 'src'));
  writeFileSync(join(cwd, 'src', 'a.txt'), 'x'.repeat(1500));
  writeFileSync(join(cwd, 'src', 'b.txt'), 'y');
  git('add', '.');
  git('commit', '-qm', 'first');
  writeFileSync(join(cwd, 'c.txt'), 'new');
  git('add', 'c.txt');
  git('commit', '-qm', 'second');
  writeFileSync(join(cwd, 'loose.log'), 'z');
  writeFileSync(join(cwd, 'src', 'b.txt'), 'changed');
});
afterAll(() => rmSync(cwd, { recursive: true }));

test.skipIf(missing)('a deletion names the expanded paths, how much they hold, and what git knows of it', async () => {
  expect(await previewImpact('rm -rf src', cwd)).toEqual([
    'deletes: src',
    '  2 files, 1.5 kB',
    '  git tracks 2, 1 with changes that are not committed',
  ]);
  expect(await previewImpact('cd src && rm *.txt', cwd)).toContain('deletes: src/a.txt, src/b.txt');
  expect(await previewImpact("sudo sh -c 'rm loose.log; rm c.txt'", cwd)).toContain('deletes: loose.log, c.txt');
  expect(await previewImpact('rm loose.log', cwd)).toContain('  git does not track them: not recoverable from git');
  expect(await previewImpact('rm gone', cwd)).toEqual(['deletes: nothing there now']);
});

test.skipIf(missing)('an overwrite names the file', async () => {
  expect(await previewImpact('echo x > c.txt', cwd)).toEqual([
    'overwrites: c.txt',
    '  1 file, 3 bytes',
    '  git tracks 1 and could restore them',
  ]);
});

test.skipIf(missing)('git: uncommitted changes, commits and untracked files that would go', async () => {
  const reset = await previewImpact('git reset --hard HEAD~1', cwd);
  expect(reset[0]).toMatch(/^uncommitted changes lost: 1 file changed/);
  expect(reset[1]).toMatch(/^commits no longer on this branch: 1 \(\w+ second\)/);
  expect(await previewImpact('git clean -fd', cwd)).toEqual(['untracked: loose.log']);
});

test('a kill names the process', async () => {
  const child = spawn('sleep', ['300']);
  try {
    expect(await previewImpact(`kill -9 ${child.pid}`, cwd)).toEqual([`process ${child.pid}: sleep 300`]);
  } finally {
    child.kill('SIGKILL');
  }
});

test.skipIf(missing)('looking changes nothing, and hostile names are shown harmless', async () => {
  writeFileSync(join(cwd, 'a\x1b[2Jb'), '');
  const before = readFileSync(join(cwd, '.git', 'index'));
  const lines = await previewImpact('rm a*; git status', cwd);
  expect(lines.join('')).not.toContain('\x1b');
  expect(readFileSync(join(cwd, '.git', 'index')).equals(before)).toBe(true);
  rmSync(join(cwd, 'a\x1b[2Jb'));
});
