import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks, pathOf } from '../support/lacks.ts';
import { baseEnv, until, userShell, workspace } from './support.ts';

describe.skipIf(lacks('fish'))('fish', () => {
  it('reports its aliases, functions and environment as they change', async () => {
    const home = workspace();
    mkdirSync(join(home, '.config/fish'), { recursive: true });
    writeFileSync(join(home, '.config/fish/config.fish'), 'alias early=true\nset -gx COLOR red\n');
    const env = { ...baseEnv(home), SHELL: pathOf('fish') ?? '' };
    const { shell, run } = await userShell('', { cwd: home, env });
    const has = (alias: string) => until(() => shell.state.aliases.has(alias), `${alias} is an alias`);
    await has('early');
    expect(shell.state.aliases.has('cd')).toBe(false);
    await run("alias later='echo two words'; function plain; end");
    await has('later');
    expect([shell.knows('plain'), shell.state.aliases.has('plain'), shell.knows('cd')]).toEqual([true, false, true]);
    // The name is already that of a function.
    await run('alias plain=true');
    await has('plain');
    expect(shell.state.env).toMatchObject({ COLOR: 'red' });
    await run('set -gx COLOR blue; functions -e later');
    await until(() => shell.state.env.COLOR === 'blue', 'the variable is told');
    expect([shell.state.aliases.has('later'), shell.state.aliases.has('early')]).toEqual([false, true]);
  });

  it('reports its abbreviations and history file as they change, and keeps both during a command', async () => {
    const home = workspace();
    const { shell, run } = await userShell('', { cwd: home, env: { ...baseEnv(home), SHELL: pathOf('fish') ?? '' } });
    const history = (name: string) => join(home, '.local/share/fish', `${name}_history`);
    await run('abbr -a gco "git checkout"');
    await until(() => shell.state.abbreviations.gco === 'git checkout', 'the abbreviation is told');
    await run('echo one');
    expect(shell.state).toMatchObject({ abbreviations: { gco: 'git checkout' }, history: history('fish') });
    await until(
      () => existsSync(history('fish')) && /cmd: echo one/.test(readFileSync(history('fish'), 'utf8')),
      'it is kept',
    );
    await run('abbr -e gco; set -g fish_history other');
    await until(() => shell.state.history === history('other'), 'the other history is told');
    expect(shell.state.abbreviations).toEqual({});
    await run("set -g fish_history ''");
    await until(() => shell.state.history === undefined, 'no history is told');
  });
});
