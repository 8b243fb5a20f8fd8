import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { ShellLines } from '../text/shell.ts';

/** Strings in which nothing is open, in every shell. */
const WHOLE_STRING = /'[^'\\]*'|"[^"\\`$(]*"/g;
/** What can leave something open in one of the shells: of a line without any of it none has to be asked. */
const CAN_BE_OPEN =
  /['"`\\(){}[\]]|<<|[|&]\s*$|\b(?:if|for|foreach|while|until|select|repeat|case|switch|function|begin)\b/;
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

/** bash, and what is taken for it, has its reader here. */
const READERS: Readonly<Record<string, Reader>> = {
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
 * Whether a shell would ask for more before it could run this. zsh and fish are asked themselves where they might, by
 * their parsers, which run nothing: some 3 ms. False where there is no answer.
 * @param shell path of the shell's program
 */
export function isIncomplete(line: string, shell = 'bash'): boolean {
  if (OPEN_END.test(line)) return true;
  if (!CAN_BE_OPEN.test(line.replace(WHOLE_STRING, 'text'))) return false;
  const reader = READERS[basename(shell)];
  if (!reader) {
    const lines = new ShellLines();
    for (const part of line.split('\n')) lines.read(part);
    return lines.unfinished !== undefined;
  }
  const said = told(shell, reader, line);
  if (said !== '' || !reader.open) return reader.readsOn.test(said);
  const { ends, begins, goesOn } = reader.open;
  return ends.test(line) || (begins.test(line) && told(shell, reader, `${line}\n${goesOn}`) === '');
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
