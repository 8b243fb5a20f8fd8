import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyShell } from '../support/lacks.ts';
import { until, userShell, workspace } from './support.ts';

describe.each(everyShell().map((path) => [path.replace(/.*\//, ''), path]))('%s', (name, path) => {
  it.each([
    ['a running job', ['sleep 60 &']],
    ['a running job, with a history file', ['sleep 60 &', 'echo a >/dev/null']],
    ['two running jobs', ['sleep 60 &', 'sleep 61 &']],
  ])('exits at the second exit at the latest with %s', async (_, before) => {
    const home = workspace();
    writeFileSync(join(home, '.zshrc'), 'HISTFILE=~/.history SAVEHIST=100 HISTSIZE=100');
    const env = { HOME: home, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', SHELL: path };
    const { run, exits, shell } = await userShell('', { env, cwd: home });
    for (const line of before) await run(line);
    const said = await run('exit');
    if (exits.length === 0) {
      expect(said.head).toMatch(/job/);
      void shell.run('exit');
    }
    await until(() => exits.length > 0, `${name} leaves`);
  });

  it('warns again after another line ran', async () => {
    const home = workspace();
    const env = { HOME: home, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', SHELL: path };
    const { run, exits } = await userShell('', { env, cwd: home });
    await run(name === 'bash' ? 'shopt -s checkjobs; sleep 60 &' : 'sleep 60 &');
    await run('exit');
    await run('echo between; echo again');
    await run('exit');
    expect(exits).toEqual([]);
  });
});
