import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countText } from '../../src/safety/impact/files.ts';
import { gitReader } from '../../src/safety/impact/git.ts';
import { localSight, previewImpact, withImpact } from '../../src/safety/impact/preview.ts';

import { judgeCommand } from '../../src/safety/index.ts';
import { oneLine } from '../../src/ui/screen/halt/danger.ts';
import { lacks } from '../support/lacks.ts';

const missing = lacks('git');

/** How long to wait for an impact, in ms: long enough to read all of it on a busy machine. */
const PATIENCE_MS = 20_000;

let cwd = '';
/** Returns what each part of the command would lose. */
const impact = async (command: string) =>
  (await previewImpact(command, cwd, localSight, undefined, PATIENCE_MS)).map(({ part: [start, end], lines }) => [
    command.slice(start, end),
    ...lines,
  ]);

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

test.skipIf(missing)(
  'the impact of a deletion names the expanded paths, their size, and what git knows of them',
  async () => {
    expect(await impact('rm -rf src')).toEqual([
      [
        'rm -rf src',
        'src: 2 files, 1.5 kB',
        "git tracks 2, 1 changed since the last commit: git can't restore the changes",
      ],
    ]);
    expect(await impact('cd src && rm *.txt')).toMatchObject([
      ['rm *.txt', 'src/a.txt, src/b.txt: 2 files, 1.5 kB', {}],
    ]);
    expect(await impact('rm loose.log')).toEqual([
      ['rm loose.log', 'loose.log: 1 file, 1 bytes', 'git does not track it and cannot restore it'],
    ]);
    expect(await impact('rm gone')).toEqual([['rm gone', 'gone: not there']]);
    expect(await impact('rm c.txt src/a.txt')).toMatchObject([[{}, {}, 'git tracks all 2 and can restore them']]);
    expect(await impact('rm c.txt loose.log')).toMatchObject([
      [{}, {}, "git tracks 1, 1 not tracked: git can't restore the untracked files"],
    ]);
  },
);

test.skipIf(missing)('each dangerous part of a command has its own impact', async () => {
  expect(await impact('rm gone; echo x > c.txt; git push --force')).toEqual([
    ['rm gone', 'gone: not there'],
    ['> c.txt', 'c.txt: 1 file, 3 bytes', 'git tracks it and can restore it'],
  ]);
});

test('impact lines are attached to their finding, and lines without a finding are listed separately', () => {
  const command = 'rm x; frob';
  const { findings } = judgeCommand(command);
  const { findings: placed, rest } = withImpact(findings, [
    { part: [0, 4], lines: ['x: 1 file'] },
    { part: [6, 10], lines: ['frobs'] },
  ]);
  expect(placed).toMatchObject([{ rule: 'rm', impact: ['x: 1 file'] }]);
  expect(rest).toEqual(['frobs']);
});

test('the impact of a find that deletes counts what it would match', async () => {
  const root = mkdtempSync(join(tmpdir(), 'find-'));
  mkdirSync(join(root, 'deep'));
  for (const name of ['a.log', 'b.txt', 'deep/c.log', 'deep/D.LOG']) writeFileSync(join(root, name), 'xx');
  const matches = async (words: string) =>
    (await previewImpact(`find ${words}`, root, localSight, undefined, PATIENCE_MS)).flatMap(({ lines }) => lines);
  expect(await matches(". -name '*.log' -delete")).toEqual(['matches 2 files, 4 bytes: deep/c.log, a.log']);
  expect(await matches('. -type f -delete')).toMatchObject([expect.stringContaining('matches 4 files, 8 bytes: ')]);
  expect(await matches("deep -iname '*.log' -exec rm {} +")).toMatchObject([
    expect.stringContaining('2 files, 4 bytes'),
  ]);
  expect(await matches(". -maxdepth 1 ! -name '*.log' -type f -delete")).toEqual(['matches 1 file, 2 bytes: b.txt']);
  expect(await matches("-not -path './deep/*' -name '*.log' -delete")).toEqual(['matches 1 file, 2 bytes: a.log']);
  expect(await matches(". -name '*.zip' -delete")).toEqual(['no file matches now']);
  expect(await matches('. -name deep -type d -prune -exec rm -rf {} +')).toMatchObject([
    expect.stringContaining('matches 2 files, 4 bytes'),
  ]);
  utimesSync(join(root, 'b.txt'), OLD, OLD);
  expect(await matches('. -mtime +7 -delete')).toEqual(['matches 1 file, 2 bytes: b.txt']);
  expect(await matches('. -type f -mmin -60 -size -2k -delete')).toMatchObject([expect.stringContaining('3 files')]);
  expect(await matches(". -name '*.txt' -print0 | xargs -0 rm -f")).toEqual(['matches 1 file, 2 bytes: b.txt']);
  expect(await matches('. -newer a.log -delete'), 'a test that is not known here gives no number').toEqual([]);
  rmSync(root, { recursive: true });
});

const OLD = new Date(Date.now() - 10 * 24 * 3_600_000);

test('the impact names files mentioned in code, a list or a makefile', async () => {
  const root = mkdtempSync(join(tmpdir(), 'edits-'));
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(root, name), 'xx');
  writeFileSync(join(root, 'Makefile'), 'clean:\n\trm -rf b.txt\n');
  const names = async (command: string) =>
    (await previewImpact(command, root, localSight, undefined, PATIENCE_MS)).map(({ lines: [first] }) => first);
  expect(await names(`python3 -c "open('a.txt','w').write('x')"`)).toEqual(['a.txt: 1 file, 2 bytes']);
  expect(await names("python3 - <<'E'\np='a.txt'\nopen(p,'w').write('x')\nE")).toEqual(['a.txt: 1 file, 2 bytes']);
  expect(await names('perl -pi -e s/a/b/ a.txt')).toEqual(['a.txt: 1 file, 2 bytes']);
  expect(await names('ls *.txt | xargs sed -i s/a/b/')).toEqual(['a.txt, b.txt: 2 files, 4 bytes']);
  expect(await names('grep -l x *.txt | xargs sed -i s/a/b/')).toEqual(['some of a.txt, b.txt: 2 files, 4 bytes']);
  expect(await names('make clean')).toEqual(['b.txt: 1 file, 2 bytes']);
  rmSync(root, { recursive: true });
});

test('a count that was stopped early gives its duration, and is omitted when it is zero', () => {
  expect(countText({ files: 12, bytes: 3400, more: true }, 300)).toBe(
    'at least 12 files, 3.4 kB (counting stopped after 0.3 s)',
  );
  expect(countText({ files: 0, bytes: 0, more: true }, 300)).toBeUndefined();
});

test.skipIf(missing)(
  'the impact of a git command names uncommitted changes, commits and untracked files that would be lost',
  async () => {
    const [reset = []] = await impact('git reset --hard HEAD~1');
    expect(reset[1]).toMatch(/^uncommitted changes lost: 1 file changed/);
    expect(reset[2]).toMatch(/^1 commit no longer on this branch: \w+ second/);
    expect(await impact('git clean -fd')).toEqual([['git clean -fd', 'untracked: loose.log']]);
  },
);

test.skipIf(missing)(
  'the impact of a forced push names the commits of the remote branch that would be lost',
  async () => {
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    git('branch', 'behind', 'HEAD~1');
    expect(await impact('git push --force origin behind:main')).toEqual([
      [
        'git push --force origin behind:main',
        expect.stringMatching(/^1 commit of origin\/main would be lost, as last fetched: \w+ second/),
      ],
    ]);
    expect(await impact('git push --force origin main')).toEqual([]);
    expect(await impact('git push --force elsewhere main')).toEqual([]);
  },
);

test.skipIf(missing)('counting an impact runs no program that a repository configures', async () => {
  const hostile = mkdtempSync(join(tmpdir(), 'hostile-'));
  const marker = join(hostile, 'RAN');
  const here = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: hostile,
      stdio: 'pipe',
    });
  here('init', '-q', '-b', 'main');
  writeFileSync(join(hostile, 'f'), 'one');
  here('add', '.');
  here('commit', '-qm', 'first');
  writeFileSync(join(hostile, '.gitattributes'), '* filter=evil diff=evil\n');
  writeFileSync(join(hostile, 'f'), 'two');
  const runs = `touch '${marker}'; cat`;
  const keys = [
    'filter.evil.clean',
    'filter.evil.process',
    'diff.evil.textconv',
    'core.fsmonitor',
    'diff.external',
    'core.pager',
  ];
  const looked = ['rm -rf f', 'git reset --hard', 'git checkout .', 'git clean -fd', 'git push --force'];
  const wraps = [undefined, (argv: readonly string[]) => argv];
  for (const key of keys) {
    here('config', key, runs);
    for (const wrap of wraps) for (const command of looked) await previewImpact(command, hostile, localSight, wrap);
    expect(existsSync(marker), key).toBe(false);
    here('config', '--unset', key);
  }
  here('config', 'include.path', 'more');
  writeFileSync(join(hostile, '.git', 'more'), `[filter "evil"]\n  clean = ${JSON.stringify(runs)}\n`);
  for (const wrap of wraps) for (const command of looked) await previewImpact(command, hostile, localSight, wrap);
  expect(existsSync(marker)).toBe(false);
  // Checks the trap itself: git without our options would have run the program.
  here('status');
  expect(existsSync(marker)).toBe(true);
  rmSync(hostile, { recursive: true });
});

test.skipIf(missing)(
  'an answer of git that comes too late is ignored, even when git itself exited with 0',
  async () => {
    const answer = gitReader()(cwd, ['config', '--list'], 50);
    const end = Date.now() + 300;
    // A busy program reads the answer only after the time limit.
    while (Date.now() < end);
    expect(await answer).toBeUndefined();
    expect(await gitReader()(cwd, ['config', '--list'], 5000)).toContain('core.');
  },
);

test('the impact of kill names the process', async () => {
  const child = spawn('sleep', ['300']);
  try {
    expect(await impact(`kill -9 ${child.pid}`)).toEqual([[`kill -9 ${child.pid}`, `process ${child.pid}: sleep 300`]]);
  } finally {
    child.kill('SIGKILL');
  }
});

test.skipIf(missing)(
  'computing an impact changes no file, and a question escapes hostile file names once',
  async () => {
    writeFileSync(join(cwd, 'a\x1b[2J\nb'), '');
    const before = readFileSync(join(cwd, '.git', 'index'));
    const lines = (await impact('rm a*; git status')).flat().map(oneLine).join('');
    expect(lines).toContain('a⟨U+001B⟩[2J⟨U+000A⟩b');
    expect(lines).not.toMatch(/[\x1b\n]/);
    expect(readFileSync(join(cwd, '.git', 'index')).equals(before)).toBe(true);
    rmSync(join(cwd, 'a\x1b[2J\nb'));
  },
);
