import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyShell } from '../support/lacks.ts';
import { baseEnv, shows, userShell, workspace } from './support.ts';

/** Ctrl-G starts a program that stays in the foreground longer than the wait for a prompt. */
const BUSY_KEY: Readonly<Record<string, readonly [path: string, text: string]>> = {
  bash: ['.bashrc', `bind -x '"\\C-g": sleep 1'\n`],
  zsh: ['.zshrc', `busy() { sleep 1 }\nzle -N busy\nbindkey '^G' busy\n`],
  fish: ['.config/fish/config.fish', `bind \\cg 'sleep 1'\n`],
};

describe('a startup file', () => {
  it('may take longer than ten seconds while it works', async () => {
    const { run, exits } = await userShell('sleep 12; slow() { echo loaded; }');
    expect((await run('slow')).head).toBe('loaded');
    expect(exits).toEqual([]);
  });

  it.each([
    ['by its own question', 'read -p "Passphrase: " answer'],
    ['by a program that asks', "sh -c 'read answer'"],
    ['by another shell', 'exec bash --norc -i'],
  ])('that waits for input is skipped, and the user is told why: %s', async (_, rc) => {
    const { run, exits } = await userShell(rc);
    expect(exits).toEqual(['The startup file of the shell waits for input: the shell was started again without it.']);
    expect((await run('echo here')).head).toBe('here');
  });
});

describe.each(everyShell().map((program) => [basename(program), program] as const))('%s', (name, program) => {
  it('reports the end of a line once the shell has the terminal again, when its prompt runs a program in the foreground', async () => {
    const home = workspace();
    const [path, text] = BUSY_KEY[name] ?? ['', ''];
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
    const env = { ...baseEnv(home), SHELL: program };
    const { shell, run } = await userShell('', { cwd: home, env });
    for (const exit of [3, 4]) {
      const line = shell.run(`sh -c 'echo go; sleep 0.3; exit ${exit}'`);
      await shows(line, 'go');
      shell.write('\x07');
      expect(await line.result).toMatchObject({ exit });
    }
    expect(await run('echo next')).toMatchObject({ exit: 0, head: 'next' });
  });
});
