import type { Assignment, ParsedScript, Script, Word } from 'unbash';
import type { FileLook, Own, Reading } from '../files.ts';
import type { Part, Sending, StaticVerdict } from '../verdict.ts';
import type { Scope, Value } from './scope.ts';

/** A command's input, and where its output goes; text may hold marks. */
export type Io = {
  /** Text on standard input; undefined: the input of the caller (a terminal). */
  readonly stdin: string | undefined;
};

/** One expanded word. */
export type Field = {
  /** The text, with marks for unknown parts. */
  readonly text: string;
  /** Whether it holds an unquoted pattern character, so that it may become any number of file names. */
  readonly glob: boolean;
  /** Whether no matching name is known to begin with a dash. */
  readonly named?: boolean;
};

/** A redirection with its target expanded. */
export type Redirect = {
  readonly operator: string;
  readonly fd: number | undefined;
  /** The target word; for here-documents and here-strings the text. */
  readonly target: string;
  /** Its position in the command line, unless it comes from a string. */
  readonly part?: Part;
};

/** The parts of the system that a judgement reads. */
export type World = {
  /** The directory in which the command runs; without it the file system is not read. */
  readonly cwd: string | undefined;
  readonly files: FileLook | undefined;
  /** The files that the command runs; undefined: none is read. */
  readonly reading: Reading | undefined;
  readonly own: Own | undefined;
  /** Directories and files of this program, absolute and with links resolved, which no model may change. */
  readonly ours?: readonly string[] | undefined;
  /** The command line as typed. */
  readonly source?: string;
};

/**
 * Interprets a command as a shell would, without running anything: tracks variables and functions, computes the output
 * of the few programs whose output is predictable (`echo`, `printf`, decoders), and reports each program call to the
 * judge.
 */
export interface Machine {
  scope: Scope;
  readonly files: World['files'];
  readonly reading: World['reading'];
  readonly own: World['own'];
  readonly ours: World['ours'];
  /** The directory in which the command starts. */
  readonly root: World['cwd'];
  /** The session’s own files that a judgement depends on. */
  readonly usedOwn: Set<string>;
  /** Whether a limit was reached, which ends the interpretation. */
  readonly done: boolean;
  /** The output of the command in `<(…)`, by its `/dev/fd/…` name; text written to `>(…)` is not tracked. */
  readonly substituted: Map<string, string>;
  /** Text that this command itself wrote to files, by path. */
  readonly written: Map<string, string>;
  /** Files that this command writes, by `fileKey`: a program that loads one of them runs this command’s text. */
  readonly changed: Set<string>;
  /** Scripts of `>(…)`, by their `/dev/fd/…` name; the text written there is their input. */
  readonly sinks: Map<string, Script>;
  /** Interprets a parsed script; returns its output. */
  runScript(script: ParsedScript | Script, io: Io): string;
  /** Parses and interprets code from a string (`eval`, `sh -c`); returns its output. */
  runText(code: string, io: Io): string;
  /** Interprets one command given as words. */
  runFields(fields: readonly Field[], io: Io, redirects?: readonly Redirect[]): string;
  /** Returns one word as text, without splitting. */
  text(word: Word | undefined): string;
  /** Returns one word as a shell pattern. */
  pattern(word: Word | undefined): string;
  /** Expands a string again, as `${x@P}` and arithmetic do; commands in it are interpreted. */
  expandString(text: string): string;
  /** Sets a variable without an assignment in the code, and judges the change. */
  give(name: string, value: Value, exported?: boolean): void;
  /** Performs one assignment. */
  assign(assignment: Assignment, exported?: boolean, named?: boolean): void;
  /** The command as typed. */
  readonly source: string;
  /** Whether some call names a credential file that it may print. */
  namesCredential: boolean;
  /** Whether some call sends something to another machine. */
  sends: boolean;
  /** Whether some call changes this program's own files. */
  changesOurs: boolean;
  /** Whether some call runs project files, none of which was read. */
  runsProject: boolean;
  /** The data that leaves this machine, and its receivers. */
  readonly sendings: Sending[];
  /** Records the verdict on one call. */
  note(verdict: StaticVerdict): void;
  /** Runs `body` in a copy of the scope, as a subshell does. */
  inSubshell<T>(body: () => T): T;
  /** Returns the verdict on `body` alone; the caller records it, or a better one. */
  watch(body: () => void): StaticVerdict;
}

/** Returns a field of plain text. */
export function plain(text: string): Field {
  return { text, glob: false };
}

/** The judge that the interpreter calls once the words of a simple command are known. */
export type Judge = {
  /** Judges a call and returns its output; `names` are the words as written. */
  call(machine: Machine, fields: readonly Field[], io: Io, redirects: readonly Redirect[]): string;
  /** Judges setting a variable. `exported`: programs that the shell starts see it. */
  assignment(machine: Machine, name: string, value: string, exported: boolean): void;
  /** Judges defining a function of this name. */
  definition(machine: Machine, name: string): void;
  /** Judges a redirection that opens a file. */
  redirect(machine: Machine, redirect: Redirect): void;
};

// Limits checked before parsing; a command beyond them is judged by its raw text.

/** The longest command that is parsed, in characters. The 90th percentile of real agents' commands is 2,237. */
export const MAX_COMMAND_CHARS = 100_000;

/** The deepest nesting of brackets, braces and quotes that is parsed; the parser's own limit is 256. */
export const MAX_DEPTH = 100;

/** The most commands in one line, counted by separators, since the work for each adds up. */
export const MAX_SEPARATORS = 8_000;

/** Returns an upper bound of the nesting of brackets in `text`, ignoring quotes; linear. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 40 || c === 123) {
      if (++depth > deepest) deepest = depth;
    } else if ((c === 41 || c === 125) && depth > 0) depth--;
  }
  return deepest;
}
