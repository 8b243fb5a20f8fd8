import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyShell } from '../support/lacks.ts';
import { baseEnv, userShell, workspace } from './support.ts';

describe.each(everyShell().map((program) => [basename(program), program] as const))(
  'shell integration of %s',
  (name, program) => {
    it('ignores output that imitates its marks and their secret token', async () => {
      const home = workspace();
      const { run } = await userShell('', { cwd: home, env: { ...baseEnv(home), SHELL: program } });
      await run(`echo $${name === 'zsh' ? '_' : '__'}aish_token >token`);
      const token = readFileSync(join(home, 'token'), 'utf8').trim();
      expect(token).toMatch(/^@[0-9a-f]{32}$/);
      const kinds = name === 'bash' ? ['D;0;999;;/', 'R', 'S;;999;0'] : ['K;/', 'D;0;-;;/', 'R', 'S;b;-;0'];
      const marks = kinds.map((rest) => `\\033]7331;${token};${rest}\\007`).join('');
      // The marks come from a program and from the shell itself, with and without output after them.
      for (const printf of ['/usr/bin/printf', 'printf']) {
        for (const [rest, exit] of [
          ["sleep 0.2; sh -c 'exit 3'", 3],
          ['false', 1],
        ] as const)
          expect(await run(`${printf} '${marks}'; ${rest}`), `${printf} ${rest}`).toMatchObject({ exit, cwd: home });
      }
      expect(await run('echo next')).toMatchObject({ exit: 0, head: 'next', cwd: home });
    });
  },
);
