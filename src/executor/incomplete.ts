import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';

const OPEN_END = /(?:^|[^\\])(?:\\\\)*\\$/;

/** How a shell is asked to read and run nothing, and what it says where it would read on. */
type Reader = {
  readonly args: readonly string[];
  readonly readsOn: RegExp;
  /** Its input must be a pipe: fish 3 takes a socket, which Node's are, for a directory. */
  readonly wantsPipe?: true;
  /**
   * What it takes for whole though it is not: only behind that which `begins` may be, the line `goesOn` can be read.
   */
  readonly open?: { readonly ends: RegExp; readonly begins: RegExp; readonly goesOn: string };
};

/** bash: an open quote, an unfinished pipe or loop, a here-document without its end. */
const BASH: Reader = {
  args: ['--norc', '-n'],
  readsOn: /unexpected EOF|unexpected end of file|delimited by end-of-file/,
};

const READERS: Readonly<Record<string, Reader>> = {
  bash: BASH,
  zsh: {
    args: ['-f', '-n'],
    readsOn: /unmatched|parse error near `(?:\\n'|\$\()/,
    open: {
      ends: /(?:&&|\|\|)[ \t]*$/,
      begins: /<<|\b(?:for|foreach|while|until|select|repeat)\b/,
      goesOn: 'do :; done',
    },
  },
  fish: {
    args: ['--no-config', '--no-execute'],
    wantsPipe: true,
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
  const reader = known ?? BASH;
  const program = known ? shell : 'bash';
  const said = told(program, reader, line);
  if (said !== '' || !reader.open) return reader.readsOn.test(said);
  const { ends, begins, goesOn } = reader.open;
  return ends.test(line) || (begins.test(line) && told(program, reader, `${line}\n${goesOn}`) === '');
}

/** What it says of a text; a space where it can't be asked. */
function told(program: string, { args, wantsPipe }: Reader, line: string): string {
  const argv = wantsPipe ? ['sh', '-c', 'cat | exec "$0" "$@"', program, ...args] : [program, ...args];
  const { stderr, error } = spawnSync(argv[0] ?? program, argv.slice(1), {
    // Never an argument: those are for all to read.
    input: `${line}\n`,
    encoding: 'utf8',
    timeout: 1000,
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', HOME: '/nonexistent' },
  });
  return error ? ' ' : stderr;
}
