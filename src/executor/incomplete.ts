import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';

const OPEN_END = /(?:^|[^\\])(?:\\\\)*\\$/;

/** How a shell is asked to read and run nothing, and what it says where it would read on. */
type Reader = { readonly args: readonly string[]; readonly readsOn: RegExp };

/** bash: an open quote, an unfinished pipe or loop, a here-document without its end. */
const BASH: Reader = {
  args: ['--norc', '-n'],
  readsOn: /unexpected EOF|unexpected end of file|delimited by end-of-file/,
};

const READERS: Readonly<Record<string, Reader>> = {
  bash: BASH,
  // It takes `a &&`, an open loop and a here-document for whole: its own prompt refuses those.
  zsh: { args: ['-f', '-n'], readsOn: /unmatched|parse error near `(?:\\n'|\$\()/ },
  fish: {
    args: ['--no-config', '--no-execute'],
    readsOn: /Missing end|quotes are not balanced|Unexpected end of string|Expected a command, but found end/,
  },
};

/**
 * Whether a shell would ask for more before it could run this: asked of its own parser, which runs nothing; some 3 ms.
 * False where there is no answer.
 * @param shell path of the shell's program
 */
export function isIncomplete(line: string, shell = 'bash'): boolean {
  if (OPEN_END.test(line)) return true;
  const known = READERS[basename(shell)];
  const { args, readsOn } = known ?? BASH;
  const { stderr } = spawnSync(known ? shell : 'bash', args, {
    input: `${line}\n`,
    encoding: 'utf8',
    timeout: 1000,
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', HOME: '/nonexistent' },
  });
  return readsOn.test(stderr ?? '');
}
