import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitIdentity } from '../../src/app/executors.ts';
import { lacks } from '../support/lacks.ts';

const CONFIG = '[user]\n\tname = Ada Lovelace\n\temail = ada@example\n';
const ADA = {
  GIT_AUTHOR_NAME: 'Ada Lovelace',
  GIT_AUTHOR_EMAIL: 'ada@example',
  GIT_COMMITTER_NAME: 'Ada Lovelace',
  GIT_COMMITTER_EMAIL: 'ada@example',
};

let home = '';
beforeEach(() => {
  home = mkdtempSync('/tmp/aish-identity-');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const PATH = process.env.PATH ?? '';

describe.skipIf(lacks('git'))('a git configuration below /tmp', () => {
  it.each([
    ['in the home directory', '.gitconfig', () => ({ HOME: home })],
    ['in its configuration folder', '.config/git/config', () => ({ HOME: home })],
    ['in XDG_CONFIG_HOME', 'xdg/git/config', () => ({ HOME: '/nowhere', XDG_CONFIG_HOME: join(home, 'xdg') })],
    ['by GIT_CONFIG_GLOBAL', 'mine', () => ({ HOME: '/nowhere', GIT_CONFIG_GLOBAL: join(home, 'mine') })],
  ])('names the author of commits: %s', async (_, file, env) => {
    mkdirSync(join(home, file, '..'), { recursive: true });
    writeFileSync(join(home, file), CONFIG);
    expect(await gitIdentity({ PATH, ...env() }, home)).toEqual(ADA);
  });

  it('is overridden by the repository’s configuration and by environment variables', async () => {
    writeFileSync(join(home, '.gitconfig'), CONFIG);
    execFileSync('git', ['init', '-q', home], { env: { PATH, HOME: home } });
    execFileSync('git', ['config', 'user.name', 'Grace'], { cwd: home, env: { PATH, HOME: home } });
    const env = { PATH, HOME: home, GIT_AUTHOR_EMAIL: 'other@example' };
    expect(await gitIdentity(env, home)).toEqual({
      GIT_AUTHOR_NAME: 'Grace',
      GIT_COMMITTER_NAME: 'Grace',
      GIT_COMMITTER_EMAIL: 'ada@example',
    });
  });

  it('is not read outside the home directory, and gives no author when it names none', async () => {
    expect(await gitIdentity({ PATH, HOME: '/root' }, home)).toEqual({});
    expect(await gitIdentity({ PATH, HOME: home }, home)).toEqual({});
  });
});
