/** Servers of the session's jobs, made reachable on this machine's loopback for the user's browser (MO-10). */
import { createServer, type Server, type Socket } from 'node:net';

/** How often new servers are looked for while a command runs. Ms. */
const LOOK_MS = 500;
/** Lower ports are those of the system. */
const FIRST_PORT = 1024;

/** A socket that listens on the session's loopback. */
export type Listening = {
  readonly port: number;
  readonly inode: string;
  /** The loopback address that reaches it. */
  readonly family: 4 | 6;
  readonly onAllAddresses: boolean;
};

export type ForwardOptions = {
  /** What listens in the session's network now. */
  readonly listening: () => readonly Listening[];
  /** The job whose process has this socket open. */
  readonly jobOf: (inode: string) => number | undefined;
  /** Connects to a port of the session's loopback. */
  readonly connect: (port: number, family: 4 | 6) => Promise<Socket>;
  /** Tells the user. */
  readonly say: (text: string) => void;
};

export class Forwards {
  readonly #options: ForwardOptions;
  /** By the socket inside. */
  readonly #open = new Map<string, { readonly server: Server; readonly sockets: Set<Socket>; readonly port: number }>();
  readonly #said = new Set<string>();
  #commands = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ForwardOptions) {
    this.#options = options;
  }

  /** Looks for servers as long as this command, or another one, runs. */
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

  /** Opens what has begun to listen, and closes what no longer does. */
  look(): void {
    const listening = this.#options.listening();
    for (const [inode, forward] of this.#open) {
      if (listening.some((one) => one.inode === inode)) continue;
      this.#open.delete(inode);
      forward.server.close();
      for (const socket of forward.sockets) socket.destroy();
    }
    for (const one of listening) {
      // The same port of IPv4 and of IPv6 is one server.
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
    // Another program of the user may have the port.
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
