import { clean } from '../../text/sanitize.ts';
import type { Fact, Question } from '../completion/complete.ts';
import type { Environment } from '../environment.ts';

export type Startup = {
  /** A private directory for the startup files and the state reported at each prompt. */
  readonly directory: string;
  /** Authenticates the first prompt. */
  readonly token: string;
  readonly env: Environment;
  /** Whether to read the user's own startup files. */
  readonly personal: boolean;
};

export type Line = {
  readonly text: string;
  /** Whether to add the line to the shell's history. */
  readonly keep: boolean;
  /** The line is aish-tui's own: the user's `$?` and `$_` must not change. */
  readonly hidden: boolean;
  /** Commands to add to the history before the line. */
  readonly remember: readonly string[];
};

/** An absolute path, because the user's PATH may be anything by then. */
export const envProgram = '/usr/bin/env';

/** Returns output from between lines as harmless text, without the shell's remarks on our code. */
export function idleText(data: Buffer): string {
  const lines = clean(data.toString('utf8')).split('\n');
  return lines.filter((line) => !line.includes('__aish_')).join('\n');
}

/**
 * Controls one kind of shell through its own line editor: private keys insert a line, and marks in the prompt strings
 * report its progress. So none of our code runs with a line, and hooks see exactly what was typed.
 *
 * The marks: `E` the line has left the editor · `F` it is about to · `C` a command begins ·
 * `D;EXIT;SERIAL;FLAGS;CWD` the prompt begins (SERIAL `-`: the shell does not count; FLAGS: `$-`, and `t` if traces
 * go to a separate descriptor) · `T;…` the same, and nothing else may follow · `K;CWD` the directory · `X` syntax
 * error · `R` ready for a line · `2` more input needed. On request by key: `S;FLAGS;SERIAL;EXIT` the state is written
 * (SERIAL and EXIT of its last prompt; a shell that does not count answers at its prompt only) · `L;TEXT` the
 * editor's text · `W;TEXT` a complete typed-ahead line taken out of the editor · `O;EXIT` our own code has run · `G`
 * the user's own search has ended · `U;WHY` the shell can't be controlled this way.
 */
export type EditorIntegration = {
  /** Startup files by name, for the private directory. */
  readonly files: (startup: Startup) => Readonly<Record<string, string>>;
  /** `sh` code that starts the shell; `$0` is its program, `$1` the directory. */
  readonly launch: string;
  readonly env: (env: Startup['env'], directory: string) => Startup['env'];
  readonly line: (text: string) => HandOver;
  /** Runs the user's own Ctrl-R binding with an initial line. Its result is in the file `found`; mark G. */
  readonly search: (text: string) => HandOver;
  readonly keys: {
    /**
     * Writes the changed ones of these files: `words` (aliases, an empty line, all other command words of the shell),
     * `env`, `history` (the path of the shell's history, if any), `abbreviations` (in fish's format) and `bindings`
     * (in bash's format, since its flags don't report a search); mark S. Changes nothing in the shell.
     */
    readonly state: string;
    /** Puts the marks back into the prompt strings, then submits an empty line for a new prompt. */
    readonly repair: string;
    /** The keys that submit an empty line. */
    readonly reset?: string;
    /** Restores only the wrapper of the prompt. */
    readonly hook?: string;
    /** Reports and empties the editor's text; mark L. */
    readonly show: string;
    /**
     * The keys that run the file `own` in the shell itself, with output to the file `told`; `$?` and `$_` stay. The
     * shell answers with mark O.
     */
    readonly own: string;
  };
  /** The text that the editor prints when it submits a line, for shells that can't print a mark then. */
  readonly echoOver?: string;
  /** The shell uses poll(2) or similar only in its editor. */
  readonly pollsInEditorOnly?: boolean;
  /** An incomplete line is cleared before it is reported. */
  readonly clearsRest?: boolean;
  /** The minimal beginning of a prompt; text after it belongs to the prompt, even before its mark. */
  readonly promptBegins?: string;
  readonly code: {
    /** Adds commands to the history. */
    readonly remember?: (commands: readonly string[]) => string;
    /** Appends this session's history to its file, if requesting the state does not. */
    readonly save?: string;
    /** Keeps the next line out of every history, and the reverse. */
    readonly hide?: string;
    readonly unhide?: string;
  };
  /** The shell has no editor: its keys are lines, written to the pipe that is its input. */
  readonly fed?: true;
  /** Undefined: the shell is not asked for completions. */
  readonly completer: ForkCompleter | OwnCompleter | undefined;
  /** Whether `wait` reports the exit code of an ended job. */
  readonly remembersExits: boolean;
};

/** Keys for the editor, after `file` is written to the file `line`, if set. */
export type HandOver = { readonly keys: string; readonly file?: string };

/** The flags of mark S. */
export const FLAG = {
  /** A DEBUG trap is set: run no code of ours in the shell unless required. */
  traced: 'd',
  /** A line with a leading blank is kept out of the history. */
  ignoresBlank: 'b',
  /** The prompt strings have lost their marks. */
  unmarked: 'w',
  /** The marks must also be restored before the next line. */
  stale: 'a',
  /** Whether the editor uses vi keys. */
  vi: 'v',
  /** The user has bound a custom search to Ctrl-R. */
  searches: 'r',
  /** A DEBUG trap would see the prompt's wrapper. */
  unhooked: 'h',
} as const;

/**
 * Asks a fork of the shell: it runs the file `completer` with the fields of the file `question`, each ended by NUL.
 */
type ForkCompleter = {
  readonly code: string;
  /** Returns the arguments after the answer file; `dump` is a cache file that it may use. */
  readonly arguments: (question: Question, dump: string) => readonly string[];
  readonly keys: string;
};

/** Asks the shell itself, by our own code. */
type OwnCompleter = {
  readonly ask: (question: Question) => string;
  readonly facts: (told: string) => readonly Fact[];
};
