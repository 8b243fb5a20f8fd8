/** Hosts that the user has connected to with `:host`, over ssh as it is configured. */
import type { RunningCommand } from './commands.ts';

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
