/** What git would print out of a repository that holds a store of credentials: now, once, or never. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realFiles } from '../../src/safety/files.ts';
import { gitReader } from '../../src/safety/impact/git.ts';
import { showsCredentials } from '../../src/safety/shows-credentials.ts';
import { lacks } from '../support/lacks.ts';

const missing = lacks('git');
let place = '';
/** The content of the store, by the name that git gives it. */
let content = '';

function git(folder: string, ...args: readonly string[]): string {
  const env = { PATH: process.env.PATH, HOME: place, GIT_CONFIG_NOSYSTEM: '1' };
  const name = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
  return execFileSync('git', [...name, ...args], { cwd: join(place, folder), encoding: 'utf8', env });
}

function commit(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, folder, file), text);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'more');
}

beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'aish-git-shows-'));
  mkdirSync(join(place, 'none'));
  for (const folder of ['clean', 'now', 'once']) {
    mkdirSync(join(place, folder, 'src'), { recursive: true });
    if (missing) continue;
    git(folder, 'init', '-q');
    commit(folder, { 'README.md': 'x\n', 'src/a.ts': 'const a = 1;\n' });
    if (folder === 'clean') continue;
    commit(folder, { '.env': 'TOKEN=abc\n' });
    content = git(folder, 'rev-parse', 'HEAD:.env').trim();
  }
  if (missing) return;
  git('once', 'rm', '-q', '.env');
  commit('once', { 'README.md': 'y\n' });
  commit('once', { 'README.md': 'z\n' });
});
afterAll(() => rmSync(place, { recursive: true }));

function shows(folder: string, command: string): Promise<boolean> {
  const cwd = join(place, folder);
  return showsCredentials(command, cwd, { cwd, files: realFiles(), git: gitReader() });
}

describe.skipIf(missing)('git may show a credential that it keeps', () => {
  test.each([
    ['now', 'git show'],
    ['now', 'git --no-pager show HEAD'],
    ['now', 'git log -p'],
    ['now', 'git log -1 --patch'],
    ['now', 'git log -u -n 1 | head'],
    ['now', 'git log -S TOKEN -p'],
    ['now', 'git diff HEAD~1'],
    ['now', 'git diff HEAD~1 HEAD'],
    ['now', 'git diff HEAD~1..HEAD -- .'],
    ['now', 'git grep TOKEN'],
    ['now', 'git grep -n TOKEN HEAD'],
    ['now', 'git grep -e TOKEN'],
    ['now', 'cd src; git -C .. show'],
    ['now', 'git show CONTENT'],
    ['now', 'git cat-file -p CONTENT'],
    ['now', 'git cat-file blob CONTENT'],
    ['now', 'echo HEAD:.env | git cat-file --batch'],
    ['now', 'git archive HEAD | tar xO'],
    ['now', 'git format-patch -1 --stdout'],
    ['now', 'git whatchanged -p'],
    ['now', 'GIT_DIR=../now/.git git show'],
    ['now', 'git show --ext-diff'],
    ['now', 'git show $(git rev-parse HEAD)'],
    ['once', 'git show HEAD~1'],
    ['once', 'git show HEAD~2'],
    ['once', 'git log -p'],
    ['once', 'git log -p -- .env'],
    ['once', 'git log -p --all --full-history'],
    ['once', 'git diff HEAD~2'],
    ['once', 'git grep TOKEN HEAD~2'],
    ['once', 'git show CONTENT'],
    ['none', 'git -C ../now show'],
  ])('%s: %s', async (folder, command) => {
    expect(await shows(folder, command.replace('CONTENT', content))).toBe(true);
  });

  test('as long as it is only staged', async () => {
    writeFileSync(join(place, 'clean/.netrc'), 'machine x\n');
    expect(await shows('clean', 'git diff')).toBe(false);
    git('clean', 'add', '.netrc');
    expect(await shows('clean', 'git diff --cached')).toBe(true);
    git('clean', 'rm', '-q', '--cached', '.netrc');
    rmSync(join(place, 'clean/.netrc'));
  });
});

describe.skipIf(missing)('but not', () => {
  test.each<readonly [folder: string, command: string]>([
    ...['git show', 'git log -p', 'git diff HEAD', 'git grep const', 'git cat-file -p HEAD', 'git stash show -p'].map(
      (command) => ['clean', command] as const,
    ),
    ['now', 'git status'],
    ['now', 'git diff'],
    ['now', 'git diff --stat HEAD~1'],
    ['now', 'git log -3 --oneline'],
    ['now', 'git log --stat'],
    ['now', 'git show --name-only'],
    ['now', 'git show HEAD:README.md'],
    ['now', 'git show HEAD~1'],
    ['now', 'git diff HEAD~1 -- src'],
    ['now', 'git grep -n const src'],
    ['now', 'git grep const -- src README.md'],
    ['now', 'git cat-file -t HEAD'],
    ['now', 'git commit -m x'],
    ['now', 'git add -A'],
    ['once', 'git show'],
    ['once', 'git log -p -1'],
    ['once', 'git log -p src'],
    ['once', 'git grep x'],
    ['once', 'git show HEAD~3'],
    ['none', 'git show'],
  ])('%s: %s', async (folder, command) => expect(await shows(folder, command)).toBe(false));
});
