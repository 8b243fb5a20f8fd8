/**
 * A machine that runs commands: this one, or a host. Code that runs commands or examines files gets it from
 * `machineAt(place)` (see `session/place.ts`) and does not learn which one it is, except for `host`, which is shown
 * to people.
 *
 * Usage: `machineAt(placeOn('web1', '/srv'))` returns a host's machine, connected or not; `spawn` runs what the
 * gate has judged for exactly that place; `files` and `processes` tell a HALT what would be lost. Nothing here
 * judges, and no answer of a host may soften a verdict.
 */
import type { AgentCommands, Confinement, RunningCommand } from './commands.ts';

/** A path as a command names it. `glob`: a pattern that the shell expands. `cwd`: a directory on that machine. */
export type Named = { readonly path: string; readonly glob: boolean; readonly cwd: string };

/** Whether the examination must stop. */
export type IsOver = () => boolean;

/** `more`: there is more than was counted; `names`: the first paths of the files, where they are told. */
export type Count = { files: number; bytes: number; more: boolean; names?: readonly string[] };

/** Examines files, read-only. What can't be examined counts as existing. Never rejects. */
export type MachineFiles = {
  /** Requests are processed in order, so none needs to wait for the previous answer. */
  readonly inOrder?: true;
  /** Returns the existing ones of these paths, with patterns expanded, at most 200. */
  existing(named: readonly Named[], isOver: IsOver): Promise<readonly string[]>;
  /** Counts files and bytes at and below `paths`, without following links; undefined if unknown. */
  count(paths: readonly string[], isOver: IsOver): Promise<Count | undefined>;
  /** Counts the matches of a `find` with these arguments; undefined if unknown. */
  matches(words: readonly string[], cwd: string, isOver: IsOver): Promise<Count | undefined>;
  /** Identifies what the paths refer to now: the lines change when that changes. */
  identities(named: readonly Named[]): Promise<readonly string[]>;
};

export type Machine = {
  /** The machine’s name for people; undefined: this machine. */
  readonly host?: string;
  /** The user's home directory on this machine. */
  readonly home: string;
  /** Starts a model's command on this machine. It must have been judged for that machine and mode. */
  readonly spawn: AgentCommands['run'];
  readonly files: MachineFiles;
  /** Returns why no command of this mode can run on this machine, in a line for the user; undefined if one can. */
  lacks(mode: Confinement): string | undefined;
  /** Returns lines about the processes that would be ended, by id and by name. Never rejects. */
  processes(ids: readonly string[], names: readonly string[]): Promise<readonly string[]>;
};

/** The read-only part of a machine. */
export type Sight = Omit<Machine, 'spawn' | 'lacks'>;

/** Returns the machine of a place. Also for a host without connection, where nothing runs and nothing is visible. */
export type MachineAt = (place: string) => Machine;

// Hosts that the user has connected to with `:host`, over ssh with its own configuration.

/** The files of one shell in its private directory. Returns promises only for a remote one. */
export type ShellFiles = {
  readonly path: string;
  write(name: string, text: string): Promise<void> | undefined;
  /** Reads a file and removes it. */
  take(name: string): Promise<string | undefined> | string | undefined;
  discard(name: string): void;
  /** Writes a line to the pipe `lines`, which is that shell's input. */
  feed?(line: string): void;
  remove(): void;
};

/** How to run and control a shell on a host. */
export type RemoteShell = {
  readonly host: string;
  /** The path of the shell: the user's login shell, or instead of it (`instead`) bash, else sh. */
  readonly program: string;
  readonly instead: string | undefined;
  /** Whether the shell reports neither functions nor a history. */
  readonly plain: boolean;
  readonly home: string;
  /** The host's variables that its startup files need. */
  readonly env: Readonly<Record<string, string>>;
  /** Creates its private directory. Rejects on failure. */
  files(): Promise<ShellFiles>;
  /**
   * Stores the start script (`launch`: code for sh; `$0` is its program, `$1` its directory) and returns the local
   * program that runs the shell in the terminal it gets. The directory is removed with the shell.
   */
  starts(
    launch: string,
    files: ShellFiles,
    env: Readonly<Record<string, string>>,
  ): Promise<{ readonly argv: readonly [string, ...string[]]; readonly env: Readonly<Record<string, string>> }>;
  /** Returns the modes of its terminal (see termios(3)); ordinary ones if unknown. */
  modes(files: ShellFiles): Promise<{ readonly echo: boolean; readonly lines: boolean }>;
  /** Returns whether the shell itself is in the foreground of its terminal. */
  isInFront(files: ShellFiles): Promise<boolean>;
  /** Signals the foreground job of its terminal, never the shell itself. */
  signal(files: ShellFiles, name: 'TERM' | 'KILL'): void;
  /** Lists the programs on the login shell's PATH. */
  programs(): Promise<ReadonlySet<string>>;
  /** Completes the last word: files there with this prefix, directories with a slash. */
  filesLike(start: string, directory: string): Promise<readonly string[]>;
  /** Whether this exit code came from a lost connection. */
  isLost(code: number): Promise<boolean>;
};

/** This machine's record of the private directories of connections. */
export type HostDirectories = {
  /**
   * Records that this program has a private directory on the host; the returned function removes the record. Neither
   * throws.
   */
  lies(host: string, directory: string): () => void;
  /** Directories there whose program has ended; call `forget` after removing one. Neither throws. */
  of(host: string): readonly { readonly directory: string; readonly forget: () => void }[];
};

export type HostRow = {
  readonly name: string;
  readonly state: 'opening' | 'connected' | 'lost';
  /** The host on which the user's shell is; undefined on this machine. */
  readonly place?: string;
  /** The user's lines go there now. */
  readonly current: boolean;
};

/** The functions of `:host`. Each rejects with one line for the user. */
export type HostsPort = {
  list(): readonly HostRow[];
  /** Names in ssh's configuration. */
  names(): Promise<readonly string[]>;
  /**
   * Sends the user's lines to this host from now on.
   * @param asks shows ssh's questions; the command ends with the connection's result
   */
  enter(name: string, asks: (master: RunningCommand) => Promise<void>): Promise<void>;
  /** Returns to this machine; the host stays connected. */
  leave(): undefined;
  /**
   * Ends the connection and removes our files from the host; returns what those were, one line each. Without `yes` it
   * only reports what it would remove, if any file outlives a connection.
   */
  forget(name: string, yes: boolean): Promise<readonly string[]>;
  /**
   * Installs the sandbox launcher on the host (default: the host that gets the user's lines); without `yes` it explains
   * that. The answer is saved for later connections.
   */
  launcher(name: string | undefined, yes: boolean): Promise<string>;
  /** Allows sending secrets of this machine to the host, until the program ends. */
  trust(name: string): void;
};
