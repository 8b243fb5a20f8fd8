import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { RemoteShell, ShellFiles } from '../contracts/machine.ts';
import { placeOn } from '../session/place.ts';
import type { Environment } from './environment.ts';
import { directoryOf } from './processes.ts';

export type ShellEvents = {
  /** Output while no command runs: of background jobs, prompt hooks, startup files. */
  readonly onIdle: (data: Buffer) => void;
  readonly onOutput: (data: Buffer) => void;
  readonly onStart: () => void;
  readonly onEnd: (exit: number, cwd: string) => void;
  /** The shell asks for the rest of an incomplete line. Nothing more is sent; the end of the line is reported next. */
  readonly onRest: () => void;
  /** The shell is at a prompt and has reported its state. */
  readonly onReady: (cwd: string) => void;
  /** The shell can't be controlled through its line editor. */
  readonly onUnable: (why: string) => void;
  /** `signalled`: a signal killed the shell. */
  readonly onExit: (code: number, signalled: boolean) => void;
};

export type TerminalSize = { readonly columns: number; readonly rows: number };

/** A prepared start of a shell on a host: its directory and startup files exist on the host. */
export type Seat = {
  readonly there: RemoteShell;
  readonly files: ShellFiles;
  readonly token: string;
  /** The local program that runs the remote shell. */
  readonly launch: Awaited<ReturnType<RemoteShell['starts']>>;
};

export type ShellProcessOptions = {
  readonly program: string;
  readonly personal: boolean;
  readonly cwd: string;
  readonly env: Environment;
  readonly columns: number;
  readonly rows: number;
  /** The host's part; absent for a local shell. */
  readonly seat?: Seat;
};

/** The shell's state, reported at each prompt. */
export type ShellState = {
  /** Every command word that the shell itself defines, including `aliases`. */
  readonly words: ReadonlySet<string>;
  readonly aliases: ReadonlySet<string>;
  /** Words that fish expands while the user types. */
  readonly abbreviations: Readonly<Record<string, string>>;
  readonly env: Record<string, string>;
  /** The last row of its prompt: text and colours. */
  readonly prompt: string;
  /** Whether the shell’s line editor uses vi keys. */
  readonly vi: boolean;
  /** The user has bound a custom search to Ctrl-R. */
  readonly searches: boolean;
  /** The path of its history file; undefined without a history, or if unknown. */
  readonly history?: string;
};

/**
 * $PWD keeps the symlinks that the user followed. But anybody can assign it, and a mark can't contain every
 * character, so it counts only if the kernel agrees.
 */
export function directoryNow(pid: number, told: string | undefined): string {
  const actual = directoryOf(pid);
  if (told === undefined) return actual ?? '/';
  if (actual === undefined || actual === told) return told;
  try {
    return realpathSync(told) === actual ? told : actual;
  } catch {
    // The directory was removed; only the shell still knows its name.
    return actual.endsWith(' (deleted)') ? told : actual;
  }
}

/**
 * Returns the place a shell on a host has reported; undefined if none. An empty report means the name can't be
 * transmitted, and must not be mistaken for a path.
 */
export function remotePlace({ there }: Seat, told: string | undefined): string | undefined {
  if (told === '') return placeOn(there.host, '/?');
  return told?.startsWith('/') ? placeOn(there.host, told) : undefined;
}

/** Returns a secret that authenticates the marks of one shell. */
export function newToken(): string {
  return `@${randomBytes(16).toString('hex')}`;
}
