import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks, pathOf } from '../support/lacks.ts';
import { baseEnv, until, userShell, workspace } from './support.ts';

describe.skipIf(lacks('fish'))('fish', () => {
  it('tells its aliases, functions and environment as they change', async () => {
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
    // A name that is a function already.
    await run('alias plain=true');
    await has('plain');
    expect(shell.state.env).toMatchObject({ COLOR: 'red' });
    await run('set -gx COLOR blue; functions -e later');
    await until(() => shell.state.env.COLOR === 'blue', 'the variable is told');
    expect([shell.state.aliases.has('later'), shell.state.aliases.has('early')]).toEqual([false, true]);
  });
});
