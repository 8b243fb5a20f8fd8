import { clean } from '../../text/sanitize.ts';
import type { Question } from '../completion/complete.ts';
import type { Environment } from '../environment.ts';

export type Startup = {
  /** A private directory, for the startup files and for the shell's state reported at a prompt. */
  readonly directory: string;
  /** Signs the first prompt. */
  readonly token: string;
  readonly env: Environment;
  /** Whether the user's own startup files are read. */
  readonly personal: boolean;
};

export type Line = {
  readonly token: string;
  readonly text: string;
  /** Whether it goes into the shell's history. */
  readonly keep: boolean;
  /** Whether keys were sent that no program may have read: they must not answer the next one's questions. */
  readonly drain: boolean;
  /** One of this program's own: the user's `$?` and `$_` stay as they are. */
  readonly hidden: boolean;
  /** Further entries for the history, before it. */
  readonly remember: readonly string[];
};

/** How one kind of shell is driven: it reads the lines defined here from its standard input, a FIFO. */
export type ShellIntegration = {
  /** Startup files by name, for the private directory. */
  readonly files: (startup: Startup) => Readonly<Record<string, string>>;
  /** `sh` code that starts the shell; its program is `$0`, the directory `$1`, the FIFO becomes its input. */
  readonly launch: string;
  readonly env: (env: Environment, directory: string) => Environment;
  /** Runs a line between the marks Q (fetching), C (command) and D (done: exit code, cwd); a prompt follows with R. */
  readonly line: (line: Line) => string;
  /** Reports an end that was not reported: harmless otherwise. */
  readonly tell: string;
  /** Answers a question about completion in a fork of the shell, where nothing is changed. */
  readonly completer: Completer;
  /** Whether `wait` reports the exit code of a job that has ended. */
  readonly remembersExits: boolean;
  /** Asks for the history to be saved; mark B when it is. */
  readonly leave: string;
};

export type Completer = {
  /** The code that the fork sources. */
  readonly code: string;
  /** Its arguments behind the file for its answer; `dump` is a file that it may keep. */
  readonly arguments: (question: Question, dump: string) => readonly string[];
  /** Starts it: for the shell's input while it is at a prompt. */
  readonly start: (args: readonly string[]) => string;
  /** A new prompt follows, with its mark R. */
  readonly prompts: boolean;
};

/** By absolute path: the user's PATH may be anything by then. */
export const envProgram = '/usr/bin/env';

/** Whether what is put after a text could become part of it: of a here-document, of its last line, of a pipe. */
export function endsOpen(text: string): boolean {
  return /<<|(?:\\|\||&&)\s*$/.test(text);
}

/** What was printed while no line ran, harmless and without what the shell says of code of ours. */
export function idleText(data: Buffer): string {
  const lines = clean(data.toString('utf8')).split('\n');
  return lines.filter((line) => !line.includes('__aish_')).join('\n');
}
