/** The network that a session's commands in Project mode share (MO-9): a loopback of its own, which a process holds. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Server } from 'node:net';
import { asCompanion } from '../executor/index.ts';
import { shellQuote } from '../text/shell.ts';
import { type Client, type GrantOptions, NetworkGrants } from './network-grants.ts';
import { serveProxy } from './network-proxy.ts';

/** Commands then have a loopback each. Ms. */
const GIVE_UP_MS = 2000;
/** Hosts that clients reach without the proxy. */
const INSIDE = 'localhost,127.0.0.1,::1';

export type Joinable = {
  /** The process that holds the network. */
  readonly holder: number;
  /** By which clients find the way out. */
  readonly env: Readonly<Record<string, string>>;
};

export class SessionNetwork {
  readonly grants: NetworkGrants;
  readonly #launcher: string;
  #held: Promise<Joinable | undefined> | undefined;
  #child: ChildProcess | undefined;

  /**
   * @param user puts connections to the user, and knows the run under way
   * @param jobOf the background job whose launcher is this process
   */
  constructor(
    launcher: string,
    user: Pick<GrantOptions, 'ask' | 'run'>,
    jobOf: (pid: number) => number | undefined = () => undefined,
  ) {
    this.#launcher = launcher;
    const holder = () => this.#child?.pid;
    this.grants = new NetworkGrants({
      ...user,
      clientAt: (port) => clientAt(holder(), port, jobOf, (pid) => this.grants.knows(pid)),
      isOpen: (port) => socketAt(holder(), port)?.state === ESTABLISHED,
    });
  }

  /** Undefined where none can be held: then each command has a loopback of its own. */
  join(): Promise<Joinable | undefined> {
    this.#held ??= this.#hold();
    return this.#held;
  }

  close(): void {
    if (this.#child?.connected) this.#child.disconnect();
  }

  #hold(): Promise<Joinable | undefined> {
    const { argv, env } = asCompanion([this.#launcher, '--hold-network', String(process.pid)], {});
    const [file, ...args] = argv;
    // A session of its own: what ends the program's terminal must not end it.
    const child = spawn(file, args, { detached: true, cwd: '/', env, stdio: ['ipc', 'ignore', 'ignore'] });
    this.#child = child;
    child.unref();
    child.channel?.unref();
    return new Promise((resolve) => {
      const without = () => resolve(undefined);
      const limit = setTimeout(without, GIVE_UP_MS);
      child.on('message', (_, server) => {
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
    // Node's own clients look at the others only with it.
    NODE_USE_ENV_PROXY: '1',
    GIT_SSH_COMMAND: ssh,
  };
}

/** As `/proc/net/tcp` writes it. */
const ESTABLISHED = '01';

/** The sockets of a network for TCP over IPv4 or 6. */
function socketsIn(holder: number, family: 'tcp' | 'tcp6') {
  const rows = readFileSync(`/proc/${holder}/net/${family}`, 'latin1').trim().split('\n').slice(1);
  return rows.map((row) => {
    const [, local = '', , state, , , , , , inode] = row.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    return { address, port: Number.parseInt(port, 16), state, inode };
  });
}

/** The client's end of the connection that comes from this port in the holder's network. */
function socketAt(holder: number | undefined, port: number) {
  try {
    return socketsIn(holder ?? 0, 'tcp').find((socket) => socket.port === port);
  } catch {
    return undefined;
  }
}

/** The process that has a socket open. */
function processWith(inode: string | undefined): number | undefined {
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holds(name, `socket:[${inode}]`));
  return pid === undefined ? undefined : Number(pid);
}

/** The client that connects from this port in the holder's network. */
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
    // ssh connects by way of the launcher, its child.
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

/** What is known of a process or of one above it: the launcher of a command or job. */
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
