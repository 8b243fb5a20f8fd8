import type { RunningCommand } from '../../contracts/commands.ts';
import type { HostDirectories, Machine, RemoteShell } from '../../contracts/machine.ts';
import { shellQuote } from '../../text/shell.ts';
import { Connection, type ConnectionOptions, isHostName } from './connection.ts';
import { isRemotePath } from './facts.ts';
import { type AskHost, absentHost } from './files.ts';
import { Host, type HostOptions } from './host.ts';
import { type HostLeftovers, measureCode, type RemoteSandbox, readMeasured } from './launcher.ts';
import { createRemoteShell } from './remote-shell.ts';

type HostsOptions = Pick<ConnectionOptions, 'folder' | 'inTerminal' | 'companion'> &
  Omit<HostOptions, 'trusted'> & {
    /** The files that programs have left on hosts. */
    readonly left?: HostDirectories;
    /** A connection ended unexpectedly. */
    readonly onLost: (host: string) => void;
  };

/** The names of directories that a connection creates. */
const OURS = /^\/[\w./@+-]{1,500}\/aish-tui-\w{8}$/;

export class Hosts {
  readonly #options: HostsOptions;
  readonly #hosts = new Map<string, Host>();
  readonly #trusted = new Set<string>();

  constructor(options: HostsOptions) {
    this.#options = options;
  }

  /** Returns the machine of this name, connected or not. */
  machine(name: string): Machine {
    return this.#hosts.get(name)?.machine ?? absentHost(name);
  }

  /** Lists the requested hosts in order of request. */
  list(): readonly { readonly name: string; readonly state: Connection['state'] }[] {
    return [...this.#hosts].map(([name, { connection }]) => ({ name, state: connection.state }));
  }

  /**
   * Connects if necessary; `asks` shows and answers ssh's questions. Resolves with messages about commands whose end
   * was not seen. Rejects with one line for the user.
   */
  async open(
    name: string,
    asks: (master: RunningCommand, ready: Promise<string | undefined>) => Promise<void>,
  ): Promise<readonly string[]> {
    if (!isHostName(name)) throw new Error(`${name} is no name of a host`);
    const known = this.#hosts.get(name);
    const host = known ?? this.#make(name);
    const { connection } = host;
    if (connection.state === 'opening') throw new Error(`${name} is being connected to`);
    if (connection.state === 'open') {
      if (await connection.answers()) return [];
      await connection.drop();
    }
    this.#hosts.set(name, host);
    const { master, ready } = connection.open();
    await asks(master, ready);
    const why = await ready;
    if (why === undefined) {
      void this.#collect(host.connection);
      return host.settle();
    }
    if (!known) this.#hosts.delete(name);
    throw new Error(why);
  }

  /** Returns how to run the user's shell on the host; undefined without a connection. */
  shell(name: string): RemoteShell | undefined {
    const connection = this.#hosts.get(name)?.connection;
    return connection?.state === 'open' && connection.facts
      ? createRemoteShell(connection, connection.facts, this.#options.companion)
      : undefined;
  }

  /** Runs aish-tui's own code on the host; undefined without a complete answer. Never rejects. */
  async ask(name: string, code: string): Promise<string | undefined> {
    const answer = await this.#hosts.get(name)?.connection.ask(code);
    return answer?.exit === 0 ? answer.text : undefined;
  }

  /** Whether commands run as root on the host. */
  isRoot(name: string): boolean {
    return this.#hosts.get(name)?.connection.facts?.root === true;
  }

  trust(name: string): void {
    this.#trusted.add(name);
  }

  /** The launcher on the host; undefined without one, or without a connection. */
  sandbox(name: string): RemoteSandbox | undefined {
    return this.#hosts.get(name)?.sandbox;
  }

  /** Returns facts about a directory of the host; undefined if unknown. Never rejects. */
  async standing(name: string, directory: string): Promise<DirectoryFacts | undefined> {
    const connection = this.#hosts.get(name)?.connection;
    return connection && readDirectoryFacts((code) => connection.ask(code), directory);
  }

  /** Starts a model's command there in a trial. Rejects if that is impossible. */
  async try(name: string, ...how: Parameters<Host['try']>): Promise<RunningCommand> {
    const host = this.#hosts.get(name);
    if (!host) throw new Error(`${name} is not connected`);
    return host.try(...how);
  }

  /** Installs and tests the launcher. Returns a line with the reason if it can't be used. Never rejects. */
  async putLauncher(name: string): Promise<string | undefined> {
    return this.#hosts.get(name)?.putLauncher() ?? `${name} is not connected`;
  }

  /** Lists what outlives the connection there: the launcher and its data. */
  async left(name: string): Promise<readonly HostLeftovers[]> {
    const answer = await this.#hosts.get(name)?.connection.ask(measureCode());
    return answer ? readMeasured(answer.text) : [];
  }

  /**
   * Ends the connection and removes its files on the host, including `left`; returns what was removed. Rejects
   * without a connection.
   */
  async forget(name: string, left: readonly HostLeftovers[] = []): Promise<readonly string[]> {
    const host = this.#hosts.get(name);
    if (!host) throw new Error(`${name} is not connected; :host lists those that are`);
    const removed: string[] = [];
    for (const { directory } of left) {
      // Restore write permission first, so that everything can be removed.
      const quoted = shellQuote(directory);
      const answer = await host.connection.work(
        `rm -rf ${quoted} || { find ${quoted} -xdev -type d -exec chmod u+rwx {} \\;; rm -rf ${quoted}; }`,
      );
      removed.push(`${answer?.exit === 0 ? 'removed there' : 'not removed, and still there'}: ${directory}`);
    }
    const { facts, state } = host.connection;
    this.#hosts.delete(name);
    this.#trusted.delete(name);
    await host.close();
    if (!facts) return removed;
    return [
      ...removed,
      state === 'open' ? `removed there: ${facts.folder}` : `not reached: ${facts.folder} is still there`,
    ];
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map((host) => host.close()));
    this.#hosts.clear();
  }

  /**
   * Removes what ended programs have left there: directories with our kind of name that belong to the user. In a
   * session of its own, because it may take long.
   */
  async #collect(connection: Connection): Promise<void> {
    for (const { directory, forget } of this.#options.left?.of(connection.host) ?? []) {
      if (!OURS.test(directory)) continue;
      const quoted = shellQuote(directory);
      const isOurs = `[ -O ${quoted} ] && [ -d ${quoted} ] && [ ! -h ${quoted} ]`;
      const answer = await connection.work(`if ${isOurs}; then rm -rf ${quoted}; fi`);
      if (answer?.exit === 0) forget();
    }
  }

  #make(name: string): Host {
    const { left, onLost } = this.#options;
    const connection = new Connection({
      ...this.#options,
      host: name,
      ...(left ? { lies: (directory) => left.lies(name, directory) } : {}),
      onLost: () => onLost(name),
    });
    return new Host(connection, { ...this.#options, trusted: () => this.#trusted.has(name) });
  }
}

// A host's facts about a directory; this machine decides from them which project it belongs to.

export type DirectoryFacts = {
  /** The directory and the home, with symlinks resolved. */
  readonly cwd: string;
  readonly home: string;
  /** The directory and its parents, as far as they contain a `.git`. */
  readonly repositories: readonly string[];
};

/** Undefined if it no longer exists, or if the answer contains invalid paths. Never rejects. */
export async function readDirectoryFacts(ask: AskHost, directory: string): Promise<DirectoryFacts | undefined> {
  const answer = await ask(`(cd -P -- "$HOME" && h=$PWD && cd -P -- ${shellQuote(directory)} || exit 1
printf '%s\\0' "$PWD" "$h"; d=$PWD
while :; do
  [ ! -e "$d/.git" ] || printf '%s\\0' "\${d:-/}"
  [ -n "$d" ] || break
  d=\${d%/*}
done)`);
  if (answer?.exit !== 0) return undefined;
  const [cwd = '', home = '', ...rest] = answer.text.split('\0');
  const repositories = rest.slice(0, -1);
  return [cwd, home, ...repositories].every(isRemotePath) ? { cwd, home, repositories } : undefined;
}

export { endMasters } from './connection.ts';
export { absentHost } from './files.ts';
export type { ActiveRemoteKeep, HostOptions } from './host.ts';
export type { HostLeftovers, LauncherKit, RemoteKeep, RemoteSandbox } from './launcher.ts';
