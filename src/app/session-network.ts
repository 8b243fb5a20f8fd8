/**
 * The network shared by a session's commands in Project mode (MO-9): a loopback interface kept open by a holder
 * process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, Server, Socket } from 'node:net';
import type { Connecting, RunningCommand } from '../contracts/commands.ts';
import { asCompanion } from '../executor/index.ts';
import { shellQuote } from '../text/shell.ts';
import { type Client, type GrantOptions, NetworkGrants } from './network-grants.ts';
import { serveProxy } from './network-proxy.ts';

/** Milliseconds to wait for the holder. Afterwards each command gets a loopback of its own. */
const GIVE_UP_MS = 2000;
/** Hosts that clients reach without the proxy. */
const INSIDE = 'localhost,127.0.0.1,::1';

export type Joinable = {
  /** The process that keeps the network open. */
  readonly holder: number;
  /** Variables that tell clients where the proxy is. */
  readonly env: Readonly<Record<string, string>>;
};

export class SessionNetwork {
  readonly grants: NetworkGrants;
  readonly #launcher: string;
  readonly #forwards: Forwards;
  readonly #connecting = new Map<number, PromiseWithResolvers<Socket>>();
  #connections = 0;
  #held: Promise<Joinable | undefined> | undefined;
  #child: ChildProcess | undefined;

  /**
   * @param user asks about connections, shows the served ports, and knows the current run
   * @param jobOf returns the background job whose launcher is this process
   */
  constructor(
    launcher: string,
    { say, ...user }: Pick<GrantOptions, 'ask' | 'run'> & { readonly say: (text: string) => void },
    jobOf: (pid: number) => number | undefined = () => undefined,
  ) {
    this.#launcher = launcher;
    const holder = () => this.#child?.pid;
    this.grants = new NetworkGrants({
      ...user,
      clientAt: (port) => clientAt(holder(), port, jobOf, (pid) => this.grants.knows(pid)),
      isOpen: (port) => socketAt(holder(), port)?.state === ESTABLISHED,
    });
    // Cached, because finding the owner of a socket reads every process.
    const processes = new Map<string, number | undefined>();
    this.#forwards = new Forwards({
      listening: () => listeningIn(holder()),
      jobOf: (inode) => {
        if (processes.get(inode) === undefined) processes.set(inode, processWith(inode));
        return above(processes.get(inode) ?? 0, jobOf);
      },
      connect: (port, family) => this.#connect(port, family),
      say,
    });
  }

  /** Undefined if there is no holder: then each command has its own loopback. */
  join(): Promise<Joinable | undefined> {
    this.#held ??= this.#hold();
    return this.#held;
  }

  /** Registers a command that has started in this network. */
  began({ pid, result }: Pick<RunningCommand, 'pid' | 'result'>): Connecting {
    const connecting = this.grants.began(pid);
    void result.then(() => connecting.gaveUp());
    this.#forwards.follow(result);
    return connecting;
  }

  /** Connects to a port of the session's loopback through the holder. */
  #connect(port: number, family: 4 | 6): Promise<Socket> {
    this.#connections += 1;
    const socket = Promise.withResolvers<Socket>();
    this.#connecting.set(this.#connections, socket);
    this.#child?.send([this.#connections, port, family], (error) => error && socket.reject(error));
    return socket.promise;
  }

  #connected(message: unknown, socket: unknown): void {
    // A negative number means that no socket follows.
    const id = Math.abs(Number(message));
    const waits = this.#connecting.get(id);
    this.#connecting.delete(id);
    if (waits && socket instanceof Socket) waits.resolve(socket);
    else waits?.reject(new Error('nothing listens there'));
  }

  close(): void {
    this.#forwards.close();
    if (this.#child?.connected) this.#child.disconnect();
  }

  #hold(): Promise<Joinable | undefined> {
    const { argv, env } = asCompanion([this.#launcher, '--hold-network', String(process.pid)], {});
    const [file, ...args] = argv;
    // Detached: closing the terminal must not end the holder.
    const child = spawn(file, args, { detached: true, cwd: '/', env, stdio: ['ipc', 'ignore', 'ignore'] });
    this.#child = child;
    child.unref();
    child.channel?.unref();
    return new Promise((resolve) => {
      const without = () => resolve(undefined);
      const limit = setTimeout(without, GIVE_UP_MS);
      child.on('message', (message, socket) => this.#connected(message, socket));
      child.once('message', (_, server) => {
        clearTimeout(limit);
        const address = server instanceof Server ? server.address() : null;
        if (!(server instanceof Server) || child.pid === undefined || typeof address !== 'object' || !address)
          return without();
        server.unref();
        serveProxy(server, this.grants);
        child.once('exit', () => server.close());
        resolve({ holder: child.pid, env: proxyVariables(address.port, this.#launcher) });
      });
      child.on('error', without).on('exit', () => {
        without();
        clearTimeout(limit);
        this.#held = undefined;
      });
    });
  }
}

function proxyVariables(port: number, launcher: string): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${port}`;
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'];
  const ssh = `ssh -o ${shellQuote(`ProxyCommand=${shellQuote(launcher.replaceAll('%', '%%'))} --connect %h %p`)}`;
  return {
    ...Object.fromEntries(names.map((name) => [name, proxy])),
    no_proxy: INSIDE,
    NO_PROXY: INSIDE,
    // Node's own HTTP clients ignore the other variables unless this variable is set.
    NODE_USE_ENV_PROXY: '1',
    GIT_SSH_COMMAND: ssh,
    JAVA_TOOL_OPTIONS: [
      ...['http', 'https'].flatMap((scheme) => [`-D${scheme}.proxyHost=127.0.0.1`, `-D${scheme}.proxyPort=${port}`]),
      `-Dhttp.nonProxyHosts=${INSIDE.replace('::1', '[::1]').replaceAll(',', '|')}`,
    ].join(' '),
  };
}

/** The state ESTABLISHED in `/proc/net/tcp`. */
const ESTABLISHED = '01';

/** Reads the IPv4 or IPv6 TCP sockets of a network. */
function socketsIn(holder: number, family: 'tcp' | 'tcp6') {
  const rows = readFileSync(`/proc/${holder}/net/${family}`, 'latin1').trim().split('\n').slice(1);
  return rows.map((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    return { address, port: Number.parseInt(port, 16), state, inode };
  });
}

/** Loopback and unspecified addresses in the format of `/proc/net/tcp`. */
const LOOPBACKS = new Set(['0100007F', '00000000000000000000000001000000', '0000000000000000FFFF00000100007F']);
const ALL = new Set(['00000000', '0'.repeat(32)]);
const LISTENS = '0A';

function listeningIn(holder: number | undefined): readonly Listening[] {
  try {
    return (['tcp', 'tcp6'] as const).flatMap((table) =>
      socketsIn(holder ?? 0, table).flatMap(({ address, port, state, inode = '' }): readonly Listening[] => {
        const onAllAddresses = ALL.has(address);
        if (state !== LISTENS || !(onAllAddresses || LOOPBACKS.has(address))) return [];
        return [{ port, inode, onAllAddresses, family: table === 'tcp' || address.includes('FFFF') ? 4 : 6 }];
      }),
    );
  } catch {
    return [];
  }
}

/** Finds the client's end of the connection from this port in the holder's network. */
function socketAt(holder: number | undefined, port: number) {
  try {
    const at = (table: 'tcp' | 'tcp6') => socketsIn(holder ?? 0, table).find((socket) => socket.port === port);
    // Java uses IPv6 sockets for IPv4 connections.
    return at('tcp') ?? at('tcp6');
  } catch {
    return undefined;
  }
}

/** The process that has a socket open. */
function processWith(inode: string | undefined): number | undefined {
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holds(name, `socket:[${inode}]`));
  return pid === undefined ? undefined : Number(pid);
}

/** Finds the client with this source port in the holder's network. */
function clientAt(
  holder: number | undefined,
  port: number,
  jobOf: (pid: number) => number | undefined,
  isCommand: (pid: number) => boolean,
): Client {
  try {
    const pid = processWith(socketAt(holder, port)?.inode);
    if (pid === undefined) return UNKNOWN;
    const own = nameOf(pid);
    // ssh connects through the launcher, which is its child.
    const program = own === LAUNCHER_NAME ? nameOf(parentOf(pid)) : own;
    const command = above(pid, (at) => (isCommand(at) ? at : undefined));
    return { program, command, job: above(pid, jobOf) };
  } catch {
    return UNKNOWN;
  }
}

const UNKNOWN: Client = { program: 'a command' };

const LAUNCHER_NAME = 'aish-sandbox';
const nameOf = (pid: number | string) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
const parentOf = (pid: number | string) =>
  Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);

/** Returns the first known value of a process or one of its ancestors, such as the launcher of a command or job. */
function above(pid: number, known: (pid: number) => number | undefined): number | undefined {
  for (let at = pid; at > 1; at = parentOf(at)) {
    const found = known(at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function holds(pid: string, socket: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === socket;
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}

// Makes servers of background jobs reachable on this machine's loopback, for the user's browser (MO-10).

/** How often to look for new servers while a command runs, in ms. */
const LOOK_MS = 500;
/** Ports below belong to the system. */
const FIRST_PORT = 1024;

/** A socket that listens on the session's loopback. */
type Listening = {
  readonly port: number;
  readonly inode: string;
  /** The family of the loopback address on which the service listens. */
  readonly family: 4 | 6;
  readonly onAllAddresses: boolean;
};

type ForwardOptions = {
  /** Returns the listening sockets of the session's network. */
  readonly listening: () => readonly Listening[];
  /** Returns the job that has this socket open. */
  readonly jobOf: (inode: string) => number | undefined;
  /** Connects to a port of the session's loopback. */
  readonly connect: (port: number, family: 4 | 6) => Promise<Socket>;
  /** Shows a line to the user. */
  readonly say: (text: string) => void;
};

class Forwards {
  readonly #options: ForwardOptions;
  /** Keyed by the inode of the server's socket. */
  readonly #open = new Map<string, { readonly server: Server; readonly sockets: Set<Socket>; readonly port: number }>();
  readonly #said = new Set<string>();
  #commands = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ForwardOptions) {
    this.#options = options;
  }

  /** Looks for servers while any command is running. */
  follow(ended: Promise<unknown>): void {
    this.#commands += 1;
    this.#timer ??= setInterval(() => this.look(), LOOK_MS).unref();
    void ended.then(() => {
      this.#commands -= 1;
      this.look();
      if (this.#commands > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  /** Opens ports for new servers, and closes those of servers that have ended. */
  look(): void {
    const listening = this.#options.listening();
    for (const [inode, forward] of this.#open) {
      if (listening.some((one) => one.inode === inode)) continue;
      this.#open.delete(inode);
      forward.server.close();
      for (const socket of forward.sockets) socket.destroy();
    }
    for (const one of listening) {
      // One server often listens on the same port of IPv4 and IPv6.
      if (one.port < FIRST_PORT || [...this.#open.values()].some(({ port }) => port === one.port)) continue;
      const job = this.#options.jobOf(one.inode);
      if (job !== undefined) this.#forward(one, job);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { server, sockets } of this.#open.values()) {
      server.close();
      for (const socket of sockets) socket.destroy();
    }
    this.#open.clear();
  }

  #forward(one: Listening, job: number): void {
    const sockets = new Set<Socket>();
    const server = createServer((client) => void this.#serve(one, client, sockets)).unref();
    this.#open.set(one.inode, { server, sockets, port: one.port });
    // If another program uses the port, take any free one.
    server.once('error', () => server.once('error', () => {}).listen(0, '127.0.0.1'));
    server.on('listening', () => {
      const address = server.address();
      if (typeof address === 'object' && address) this.#tell(one, job, address.port);
    });
    server.listen(one.port, '127.0.0.1');
  }

  #tell({ port, onAllAddresses }: Listening, job: number, at: number): void {
    const what = at === port ? `job ${job}` : `port ${port} of job ${job}`;
    const only = onAllAddresses ? '; it listens on all addresses, and is reached from this machine only' : '';
    const text = `http://127.0.0.1:${at} is served from the session (${what})${only}`;
    const key = `${job} ${port} ${at}`;
    if (!this.#said.has(key)) this.#options.say(text);
    this.#said.add(key);
  }

  async #serve({ port, family }: Listening, client: Socket, sockets: Set<Socket>): Promise<void> {
    sockets.add(client);
    client.on('error', () => {}).on('close', () => sockets.delete(client));
    try {
      const inner = await this.#options.connect(port, family);
      inner.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.on('close', () => inner.destroy());
      if (client.destroyed) inner.destroy();
      client.pipe(inner).pipe(client);
    } catch {
      client.destroy();
    }
  }
}
