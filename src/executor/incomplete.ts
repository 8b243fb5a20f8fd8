import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { ShellLines } from '../text/shell.ts';

/** Strings that are complete in every shell. */
const WHOLE_STRING = /'[^'\\]*'|"[^"\\`$(]*"/g;
/** Characters that can leave a line incomplete in some shell; without any of them no shell is asked. */
const CAN_BE_OPEN =
  /['"`\\(){}[\]]|<<|[|&]\s*$|\b(?:if|for|foreach|while|until|select|repeat|case|switch|function|begin)\b/;
const OPEN_END = /(?:^|[^\\])(?:\\\\)*\\$/;

/** How to make a shell parse without running anything, and its message for incomplete input. */
type Reader = {
  readonly args: readonly string[];
  readonly readsOn: RegExp;
  /** Whether the shell’s input must be a pipe: Node passes sockets, which fish 3 mistakes for a directory. */
  readonly wantsPipe?: true;
  /** Incomplete input that the shell accepts: after `begins`, a line matching `goesOn` can follow. */
  readonly open?: { readonly ends: RegExp; readonly begins: RegExp; readonly goesOn: string };
};

/** bash, also for shells treated like it, is checked by our own parser. */
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
 * Returns whether a shell would ask for more input before running this. zsh and fish are asked themselves: their
 * parsers run nothing and take some 3 ms. False if the shell gives no answer.
 * @param shell the path of the shell's program
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
  const said = parserMessage(shell, reader, line);
  if (said !== '' || !reader.open) return reader.readsOn.test(said);
  const { ends, begins, goesOn } = reader.open;
  return ends.test(line) || (begins.test(line) && parserMessage(shell, reader, `${line}\n${goesOn}`) === '');
}

/** Returns the parser's message about a text; ' ' if it can't be run. */
function parserMessage(program: string, { args, wantsPipe }: Reader, line: string): string {
  const argv = wantsPipe ? ['sh', '-c', 'cat | exec "$0" "$@"', program, ...args] : [program, ...args];
  const { stderr, error } = spawnSync(argv[0] ?? program, argv.slice(1), {
    // Via stdin, because every user can read a process's arguments.
    input: `${line}\n`,
    encoding: 'utf8',
    timeout: 1000,
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C', HOME: '/nonexistent' },
  });
  return error ? ' ' : stderr;
}
