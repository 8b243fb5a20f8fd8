import { clean } from '../../text/sanitize.ts';
import type { Fact, Question } from '../completion/complete.ts';
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

/**
 * How one kind of shell is driven through its own line editor: a line is put there by private keys, and marks in the
 * prompt strings tell what becomes of it. So nothing of ours runs with a line, and hooks see what was typed.
 *
 * The marks: `E` the line has left the editor · `F` it is about to · `C` a command begins ·
 * `D;EXIT;SERIAL;FLAGS;CWD` the prompt begins (SERIAL `-`: it counts none; FLAGS `$-`, and `t` where a trace goes to a
 * descriptor of its own) · `T;…` the same, and nothing else may follow · `K;CWD` where it is · `X` the line can't be
 * read · `R` it can take a line · `2` it reads on · and, asked for by keys: `S;FLAGS;SERIAL;EXIT` its state is written
 * (SERIAL and EXIT of its last prompt; a shell that counts none tells them at its prompt only) · `L;TEXT` what stood in
 * its editor · `W;TEXT` a whole line that was typed ahead, taken out of the editor · `O;EXIT` code of ours has run ·
 * `G` the user's own search has ended · `U;WHY` it can't be driven so.
 */
export type EditorIntegration = {
  /** Startup files by name, for the private directory. */
  readonly files: (startup: Startup) => Readonly<Record<string, string>>;
  /** `sh` code that starts the shell; its program is `$0`, the directory `$1`. */
  readonly launch: string;
  readonly env: (env: Startup['env'], directory: string) => Startup['env'];
  readonly line: (text: string) => HandOver;
  /** Runs what the user has bound to Ctrl-R, with a line to begin with. It leaves its line in the file `found`; G. */
  readonly search: (text: string) => HandOver;
  readonly keys: {
    /**
     * Writes the files `words` (aliases, an empty line, all else that it knows by itself), `env`, `history` (the path
     * of the shell's own history, if it keeps one), `abbreviations` (as fish shows them) and `bindings` (as bash lists
     * them: its flags tell of no search), those that may have changed; S. Changes nothing of the shell.
     */
    readonly state: string;
    /** Puts the marks back into the prompt strings, and brings a new prompt by an empty line. */
    readonly repair: string;
    /** Accepts an empty line. */
    readonly reset?: string;
    /** Puts back what wraps the prompt, and nothing else. */
    readonly hook?: string;
    /** Tells and empties the editor; L. */
    readonly show: string;
    /** Runs the file `own` in the shell itself, its output in the file `told`; `$?` and `$_` stay. O. */
    readonly own: string;
  };
  /** What the editor prints when a line leaves it, where no mark can tell. */
  readonly echoOver?: string;
  /** It waits with poll(2) or its like in its editor, and nowhere else. */
  readonly pollsInEditorOnly?: boolean;
  /** Half a line is cleared before it is told of. */
  readonly clearsRest?: boolean;
  /** What stands before a prompt at the least; text behind it is the prompt's, even before its mark. */
  readonly promptBegins?: string;
  readonly code: {
    /** Puts commands into the history. */
    readonly remember?: (commands: readonly string[]) => string;
    /** Appends the history of this session to its file, where asking for the state does not. */
    readonly save?: string;
    /** The next line goes into no history; and an end of that. */
    readonly hide?: string;
    readonly unhide?: string;
  };
  /** Its keys are lines, fed to the pipe that is its input: it has no editor. */
  readonly fed?: true;
  /** Undefined: it is not asked. */
  readonly completer: ForkCompleter | OwnCompleter | undefined;
  /** Whether `wait` reports the exit code of a job that has ended. */
  readonly remembersExits: boolean;
};

/** Keys for the editor, and what the file `line` must hold before, where there is one. */
export type HandOver = { readonly keys: string; readonly file?: string };

/** What a state tells, as letters of S. */
export const FLAG = {
  /** A DEBUG trap is set: nothing of ours runs in the shell that is not asked for. */
  traced: 'd',
  /** A line with a leading blank is in no history. */
  ignoresBlank: 'b',
  /** The prompt strings have lost their marks. */
  unmarked: 'w',
  /** And they must be put back before the next line. */
  stale: 'a',
  /** Its editor has vi's keys. */
  vi: 'v',
  /** The user has bound a search of their own to Ctrl-R. */
  searches: 'r',
  /** What wraps the prompt would be seen by a DEBUG trap. */
  unhooked: 'h',
} as const;

/**
 * Asks a fork of the shell: the file `completer` is run there with what stands in the file `question`, fields ended by
 * NUL.
 */
type ForkCompleter = {
  readonly code: string;
  /** Its arguments behind the file for its answer; `dump` is a file that it may keep. */
  readonly arguments: (question: Question, dump: string) => readonly string[];
  readonly keys: string;
};

/** Asks the shell itself, by code of ours. */
type OwnCompleter = {
  readonly ask: (question: Question) => string;
  readonly facts: (told: string) => readonly Fact[];
};
