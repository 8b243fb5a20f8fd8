import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { ShellFiles, ShellThere } from '../contracts/machine.ts';
import { placeOn } from '../session/place.ts';
import type { Fact, Question } from './completion/complete.ts';
import type { Environment } from './environment.ts';
import { directoryOf } from './processes.ts';
import type { Pty } from './pty.ts';
import type { Line } from './shell-integration/integration.ts';

export type ShellEvents = {
  /** What was printed while no command runs: by background jobs, prompt hooks, startup files. */
  readonly onIdle: (data: Buffer) => void;
  readonly onOutput: (data: Buffer) => void;
  readonly onStart: () => void;
  readonly onEnd: (exit: number, cwd: string) => void;
  /** It asks for the rest of a line, which will not come: the line's end follows. */
  readonly onRest: () => void;
  /** At a prompt, with the state as of now. */
  readonly onReady: (cwd: string) => void;
  /** It can't be driven through its line editor. */
  readonly onUnable: (why: string) => void;
  /** `signalled`: it was killed. */
  readonly onExit: (code: number, signalled: boolean) => void;
};

export type TerminalSize = { readonly columns: number; readonly rows: number };

/** A shell on a host that is about to start: its directory is made, its startup files are written. */
export type Seat = {
  readonly there: ShellThere;
  readonly files: ShellFiles;
  readonly token: string;
  /** The program of this machine that runs it. */
  readonly launch: Awaited<ReturnType<ShellThere['starts']>>;
};

export type ShellProcessOptions = {
  readonly program: string;
  readonly personal: boolean;
  readonly cwd: string;
  readonly env: Environment;
  readonly columns: number;
  readonly rows: number;
  /** Absent: it runs here. */
  readonly seat?: Seat;
};

/** The shell's state as reported at a prompt. */
export type ShellState = {
  /** What it knows by itself; `aliases` are among them. */
  readonly words: ReadonlySet<string>;
  readonly aliases: ReadonlySet<string>;
  /** What it expands while one types (fish). */
  readonly abbreviations: Readonly<Record<string, string>>;
  readonly env: Record<string, string>;
  /** The last row of its prompt: text and colours. */
  readonly prompt: string;
  /** Its editor has vi's keys. */
  readonly vi: boolean;
  /** The user has bound a search of their own to Ctrl-R. */
  readonly searches: boolean;
  /** Path of its history file; none where it keeps no history, or can't tell. */
  readonly history?: string;
};

/** One interactive shell with its terminal and its private directory: made and closed together. */
export type DrivenShell = {
  readonly pty: Pty;
  /** Set for one on a host. */
  readonly seat?: Seat | undefined;
  /** A question brings a new prompt, and `onReady` with it. */
  readonly promptsAfterQuestion: boolean;
  readonly remembersExits: boolean;
  /** The state as of the last prompt. */
  state(): ShellState;
  /** Runs a line. Only one at a time, at a prompt: `onStart` and `onEnd` follow. */
  run(line: Omit<Line, 'token'>): void;
  /** What may stand at the cursor; only at a prompt. Undefined when it does not answer in time. */
  complete(question: Question, signal: AbortSignal): Promise<readonly Fact[] | undefined>;
  /**
   * Runs the user's own search, with a line to begin with; the line it leaves, undefined for none. Only at a prompt.
   */
  readonly search?: (line: string, size: TerminalSize, onData: (data: Buffer) => void) => Promise<string | undefined>;
  /** Makes sure that an end is reported even if every hook was lost. */
  askForEnd(): void;
  /** Keys for whatever has its terminal. */
  write(data: string): void;
  /**
   * What was typed and no program read, taken out of its editor: whole lines end in a newline. Absent: it has no
   * editor.
   */
  readonly takeTyped?: () => Promise<string>;
  /** Sets the size of its terminal: at once while a command runs, else with the next one. */
  resize(columns: number, rows: number): void;
  /** Closes the terminal, behind the saving of the history. Resolves when it is gone, or will not go. */
  dispose(): Promise<void>;
};

/**
 * $PWD keeps symbolic links as the user went, but anyone may assign it, and a mark can't hold every character of it: it
 * holds only if the kernel agrees.
 */
export function directoryNow(pid: number, told: string | undefined): string {
  const actual = directoryOf(pid);
  if (told === undefined) return actual ?? '/';
  if (actual === undefined || actual === told) return told;
  try {
    return realpathSync(told) === actual ? told : actual;
  } catch {
    // Removed while the shell stood in it: only the shell still has its name.
    return actual.endsWith(' (deleted)') ? told : actual;
  }
}

/**
 * Where a shell on a host is, as it tells; undefined where it tells none. Empty: no word can say it, and no path may be
 * taken for it.
 */
export function placeThere({ there }: Seat, told: string | undefined): string | undefined {
  if (told === '') return placeOn(there.host, '/?');
  return told?.startsWith('/') ? placeOn(there.host, told) : undefined;
}

/** Signs the marks of one shell. */
export function newToken(): string {
  return `@${randomBytes(16).toString('hex')}`;
}
