import type { Assignment, ParsedScript, Script, Word } from 'unbash';
import type { FileLook, Own, Reading } from '../files.ts';
import type { Part, Sending, StaticVerdict } from '../verdict.ts';
import type { Scope, Value } from './scope.ts';

/** What a command reads and where its output goes; text may hold marks. */
export type Io = {
  /** Text on standard input; undefined: whatever the caller's is (a terminal). */
  readonly stdin: string | undefined;
};

/** One expanded word. */
export type Field = {
  /** The text, with marks for what is not known. */
  readonly text: string;
  /** An unquoted pattern character stands in it: it may become any number of file names. */
  readonly glob: boolean;
  /** It is known that no name here begins with a dash. */
  readonly named?: boolean;
};

/** A redirection with its target expanded. */
export type Redirect = {
  readonly operator: string;
  readonly fd: number | undefined;
  /** Target word, or for here-documents and here-strings the text. */
  readonly target: string;
  /** Where it stands in the command, where the command itself holds it. */
  readonly part?: Part;
};

/** What of the machine around the command is looked at. */
export type World = {
  /** The directory the command runs in; without it nothing else is looked at. */
  readonly cwd: string | undefined;
  readonly files: FileLook | undefined;
  /** The files that the command runs; undefined: none is read. */
  readonly reading: Reading | undefined;
  readonly own: Own | undefined;
  /** Directories and files of this program, absolute and behind all links: no model may change what is there. */
  readonly ours?: readonly string[] | undefined;
  /** The command line as typed. */
  readonly source?: string;
};

/**
 * Walks a command as a shell would, without running anything: keeps variables and functions, knows the output of the
 * few programs whose output is plain (`echo`, `printf`, decoders), and reports each program call to the judge.
 */
export interface Machine {
  scope: Scope;
  readonly files: World['files'];
  readonly reading: World['reading'];
  readonly own: World['own'];
  readonly ours: World['ours'];
  /** The directory in which the command starts. */
  readonly root: World['cwd'];
  /** Those of them that a judgement rests on. */
  readonly usedOwn: Set<string>;
  /** True when the limits are reached: nothing more is looked at. */
  readonly done: boolean;
  /** Text of `<(…)`, by its `/dev/fd/…` name; what is written to `>(…)` is not tracked. */
  readonly substituted: Map<string, string>;
  /** Text that this command itself wrote to files, by path. */
  readonly written: Map<string, string>;
  /** Files that this command writes to, as `fileKey` names them: what obeys one of them obeys what it wrote. */
  readonly changed: Set<string>;
  /** Scripts of `>(…)`, by their `/dev/fd/…` name: what is written there is their input. */
  readonly sinks: Map<string, Script>;
  /** Walks a parsed script; returns its output. */
  runScript(script: ParsedScript | Script, io: Io): string;
  /** Parses and walks code that stood in a string (`eval`, `sh -c`); returns its output. */
  runText(code: string, io: Io): string;
  /** Walks one command given as words. */
  runFields(fields: readonly Field[], io: Io, redirects?: readonly Redirect[]): string;
  /** One word as text: no splitting. */
  text(word: Word | undefined): string;
  /** One word as a shell pattern. */
  pattern(word: Word | undefined): string;
  /** Expands a string once more, as `${x@P}` and arithmetic do; commands in it are walked. */
  expandString(text: string): string;
  /** Gives a variable a value by another way than an assignment, and judges that. */
  give(name: string, value: Value, exported?: boolean): void;
  /** Carries out one assignment. */
  assign(assignment: Assignment, exported?: boolean, named?: boolean): void;
  /** The command as typed. */
  readonly source: string;
  /** Some call names a credential file that it may print. */
  namesCredential: boolean;
  /** Some call sends something to another machine. */
  sends: boolean;
  /** Some call changes this program's own files. */
  changesOurs: boolean;
  /** Some call runs what files of the project say, and none of them was read. */
  runsProject: boolean;
  /** What leaves this machine, and to whom. */
  readonly sendings: Sending[];
  /** Records what is thought of one call. */
  note(verdict: StaticVerdict): void;
  /** Runs `body` in a copy of the scope, as a subshell does. */
  inSubshell<T>(body: () => T): T;
  /** The verdict on `body` alone; the caller records it, or a better one. */
  watch(body: () => void): StaticVerdict;
}

/** A field of plain text. */
export function plain(text: string): Field {
  return { text, glob: false };
}

/** What the interpreter asks of the judge: everything about one simple command once its words are known. */
export type Judge = {
  /** Judges a call and returns its output; `names` are the words as written. */
  call(machine: Machine, fields: readonly Field[], io: Io, redirects: readonly Redirect[]): string;
  /** Judges giving a variable a value; `exported`: programs that are started see it. */
  assignment(machine: Machine, name: string, value: string, exported: boolean): void;
  /** Judges giving a name to a function. */
  definition(machine: Machine, name: string): void;
  /** Judges a redirection that opens a file. */
  redirect(machine: Machine, redirect: Redirect): void;
};

// Bounds that hold before anything is parsed; a command beyond them is judged by its raw text.

/** Longest command that is parsed, in characters. Real agents' commands: 90th percentile 2,237. */
export const MAX_COMMAND_CHARS = 100_000;

/** Deepest nesting of brackets, braces and quotes that is parsed; the parser's own bound is 256. */
export const MAX_DEPTH = 100;

/** Most commands in one line, by a count of separators; the parser is quadratic in nothing, but work adds up. */
export const MAX_SEPARATORS = 8_000;

/** An upper bound of how deep brackets nest in `text`, without regard to quotes; linear. */
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
