/** The contents and settings of a repository decide the losses of a checkout, merge, pull, fetch or push. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLine } from '../../src/safety/index.ts';
import { lacks } from '../support/lacks.ts';

const noGit = lacks('git');
let home = '';
let cwd = '';

function git(...args: readonly string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main'];
  execFileSync('git', [...identity, ...args], { cwd, env: { PATH: process.env.PATH, HOME: home }, stdio: 'ignore' });
}

const verdictOf = async (cmd: string): Promise<string> =>
  JSON.parse(await checkLine(JSON.stringify({ cmd, cwd }))).verdict;

beforeAll(() => {
  if (noGit) return;
  home = realpathSync(mkdtempSync(join(tmpdir(), 'git-state-')));
  cwd = join(home, 'project');
  mkdirSync(cwd);
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'one');
  git('branch', 'plain');
  git('checkout', '-q', '-b', 'tracked');
  writeFileSync(join(cwd, 'secret.env'), 'theirs\n');
  git('add', 'secret.env');
  git('commit', '-q', '-m', 'two');
  git('checkout', '-q', 'main');
  writeFileSync(join(cwd, '.git/info/exclude'), 'secret.env\n');
  writeFileSync(join(cwd, 'secret.env'), 'mine\n');
  git('remote', 'add', 'origin', '../remote.git');
});
afterAll(() => {
  if (!noGit) rmSync(home, { recursive: true });
});

describe.skipIf(noGit)('a repository', () => {
  it.each([
    'git checkout tracked',
    'git switch tracked',
    'git checkout -b new tracked',
    'git merge tracked',
    'git cherry-pick tracked',
    'git pull . tracked',
    'git checkout nowhere',
    'git rebase main',
  ])('asks before git overwrites a file that it does not track, or may do so: %s', async (line) =>
    expect(await verdictOf(line)).toBe('unknown'),
  );

  it.each([
    'git checkout plain',
    'git switch plain',
    'git merge plain',
    'git push',
    'git push origin main',
    'git fetch',
  ])('asks nothing where git loses no data: %s', async (line) => expect(await verdictOf(line)).toBe('safe'));

  it.each([
    ['remote.origin.push', '+refs/heads/main', 'git push', 'destructive'],
    ['remote.origin.push', ':old', 'git push origin', 'destructive'],
    ['remote.origin.push', 'main:other', 'git push', 'unknown'],
    ['remote.origin.mirror', 'true', 'git push origin', 'destructive'],
    ['remote.origin.pushurl', 'https://elsewhere.example/x', 'git push', 'unknown'],
    ['remote.pushDefault', 'elsewhere', 'git push', 'unknown'],
    ['url.https://elsewhere.example/.insteadOf', '../', 'git push', 'unknown'],
    ['push.default', 'matching', 'git push', 'unknown'],
    ['push.default', 'simple', 'git push', 'safe'],
    ['remote.origin.fetch', '+refs/heads/*:refs/heads/*', 'git fetch', 'unknown'],
    ['remote.origin.fetch', '+refs/heads/*:refs/heads/*', 'git fetch origin', 'unknown'],
  ] as const)('has its git settings read: %s=%s makes `%s` %s', async (key, value, line, verdict) => {
    git('config', '--add', key, value);
    const found = await verdictOf(line);
    git('config', '--unset', key, `^${value.replace(/[+*.]/g, '\\$&')}$`);
    expect(found).toBe(verdict);
  });

  it('that appeared during the session makes git commands unknown when it has hooks or settings of its own', async () => {
    const inNew = async (cmd: string) => JSON.parse(await checkLine(JSON.stringify({ cmd, cwd, tree: 'new' }))).verdict;
    expect([await inNew('git status'), await inNew('git commit -m x')]).toEqual(['safe', 'safe']);
    const hook = join(cwd, '.git/hooks/pre-commit');
    writeFileSync(hook, 'rm -rf src\n', { mode: 0o755 });
    expect([await inNew('git commit -m x'), await verdictOf('git commit -m x')]).toEqual(['unknown', 'safe']);
    rmSync(hook);
    git('config', 'core.fsmonitor', './evil');
    expect(await inNew('git status')).toBe('unknown');
    git('config', '--unset', 'core.fsmonitor');
  });
});
