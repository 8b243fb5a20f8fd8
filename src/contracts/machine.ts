/**
 * A machine that commands run on: this one, or a host. Whoever runs a command or looks at files asks `machineAt(place)`
 * for it (see `session/place.ts`) and does not learn which one it got, but for `host`, which a person must be told.
 *
 * How to use it: `machineAt(placeOn('web1', '/srv'))` gives the machine of a host, connected or not; `spawn` runs what
 * the gate has judged for that very place, `files` and `processes` tell a HALT what would be lost. Nothing here judges,
 * and nothing that a host says may soften a verdict.
 */
import type { AgentCommands, Confinement, RunningCommand } from './commands.ts';

/** A path as a command names it; `glob`: it is a pattern that the shell expands; `cwd`: a directory of that machine. */
export type Named = { readonly path: string; readonly glob: boolean; readonly cwd: string };

/** Whether the looking must end. */
export type IsOver = () => boolean;

/** `more`: there is more than was counted; `names`: the first paths of the files, where they are told. */
export type Count = { files: number; bytes: number; more: boolean; names?: readonly string[] };

/** Looks at files, reading only. What can't be looked at counts as there. Never reject. */
export type MachineFiles = {
  /** Looks are taken in the order in which they are asked for: none needs to wait for the answer of the one before. */
  readonly inOrder?: true;
  /** Paths that exist of those named, patterns expanded, at most 200. */
  existing(named: readonly Named[], isOver: IsOver): Promise<readonly string[]>;
  /** How many files and bytes lie at and below `paths`, following no links; undefined where that can't be told. */
  count(paths: readonly string[], isOver: IsOver): Promise<Count | undefined>;
  /** What a `find` with these words matches; undefined where that can't be told. */
  matches(words: readonly string[], cwd: string, isOver: IsOver): Promise<Count | undefined>;
  /** What the paths stand for now, in lines that change when they come to stand for something else. */
  identities(named: readonly Named[]): Promise<readonly string[]>;
};

export type Machine = {
  /** The name that a person knows it by; undefined: this one. */
  readonly host?: string;
  /** The home directory of the user there. */
  readonly home: string;
  /** Starts a command of a model there. It must have been judged for that place and mode. */
  readonly spawn: AgentCommands['run'];
  readonly files: MachineFiles;
  /** Why no command of this mode can run there, in a line for the user; undefined: it can. */
  lacks(mode: Confinement): string | undefined;
  /** Lines that name the processes which would be ended, by number and by name. Never rejects. */
  processes(ids: readonly string[], names: readonly string[]): Promise<readonly string[]>;
};

/** What can be seen of a machine, running nothing. */
export type Sight = Omit<Machine, 'spawn' | 'lacks'>;

/** The machine of a place. A host that is not connected has one as well: nothing runs on it, nothing is seen there. */
export type MachineAt = (place: string) => Machine;

// Hosts that the user has connected to with `:host`, over ssh as it is configured.

/** Files of one shell in its private directory, on whatever machine it is. A promise only where that is elsewhere. */
export type ShellFiles = {
  readonly path: string;
  write(name: string, text: string): Promise<void> | undefined;
  /** Reads a file and removes it. */
  take(name: string): Promise<string | undefined> | string | undefined;
  discard(name: string): void;
  /** Puts a line into the pipe `lines`, which a shell there reads as its input. */
  feed?(line: string): void;
  remove(): void;
};

/** How a shell is driven that runs on a host. */
export type ShellThere = {
  readonly host: string;
  /** Path of the shell that is driven there: the user's login shell, or in place of it (`instead`) bash, else sh. */
  readonly program: string;
  readonly instead: string | undefined;
  /** It is one that tells neither functions nor a history. */
  readonly plain: boolean;
  readonly home: string;
  /** Of the environment there, what its startup files need. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes its private directory. Rejects where there can be none. */
  files(): Promise<ShellFiles>;
  /**
   * Writes what starts the shell (`launch`: code for sh, its program `$0`, its directory `$1`) and gives the program of
   * this machine that runs it there in the terminal it gets. The directory goes with the shell.
   */
  starts(
    launch: string,
    files: ShellFiles,
    env: Readonly<Record<string, string>>,
  ): Promise<{ readonly argv: readonly [string, ...string[]]; readonly env: Readonly<Record<string, string>> }>;
  /** The modes of its terminal there (see termios(3)); ordinary ones where they can't be told. */
  modes(files: ShellFiles): Promise<{ readonly echo: boolean; readonly lines: boolean }>;
  /** Whether the shell itself is in front of its terminal there. */
  isInFront(files: ShellFiles): Promise<boolean>;
  /** Signals the foreground of its terminal there, never the shell itself. */
  signal(files: ShellFiles, name: 'TERM' | 'KILL'): void;
  /** The names of programs on the login shell's PATH. */
  programs(): Promise<ReadonlySet<string>>;
  /** What may stand for the last word: names of files there that begin so, directories with a slash. */
  filesLike(start: string, directory: string): Promise<readonly string[]>;
  /** It has ended with this code: was that the connection's end? */
  isLost(code: number): Promise<boolean>;
};

/** The private directories of connections, as this machine remembers them. */
export type LeftOnHosts = {
  /** Notes that one of this program's lies there; the result forgets it. Neither throws. */
  lies(host: string, directory: string): () => void;
  /** Those there whose program is gone; `forget`: it has been removed. Neither throws. */
  of(host: string): readonly { readonly directory: string; readonly forget: () => void }[];
};

export type HostRow = {
  readonly name: string;
  readonly state: 'opening' | 'connected' | 'lost';
  /** Where the user's shell there is. */
  readonly place?: string;
  /** The user's lines go there now. */
  readonly current: boolean;
};

/** What `:host` does. Each rejects with one line for the user. */
export type HostsPort = {
  list(): readonly HostRow[];
  /** Names that ssh's configuration gives. */
  names(): Promise<readonly string[]>;
  /**
   * The user's lines go to this host from now on.
   * @param asks shows what ssh asks meanwhile; the command ends when there is a connection or none
   */
  enter(name: string, asks: (master: RunningCommand) => Promise<void>): Promise<void>;
  /** Back to this machine; the host stays connected. */
  leave(): undefined;
  /**
   * Ends the connection and removes what lies there; what that was, one line each. Without `yes` it only says what it
   * would remove, where anything lies there that outlasts a connection.
   */
  forget(name: string, yes: boolean): Promise<readonly string[]>;
  /**
   * Puts the sandbox launcher on the host, by default the one that the lines go to; without `yes` it says what that
   * means. The word is kept for later connections.
   */
  launcher(name: string | undefined, yes: boolean): Promise<string>;
  /** The user's word that secrets of this machine may go there, until the program ends. */
  trust(name: string): void;
};
