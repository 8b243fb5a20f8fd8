/**
 * The way out of a session's network (MO-10): a proxy that commands in Project mode find by the variables that clients
 * know. It learns names, asks before it looks one up, and connects to the address that it has itself looked at.
 */
import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { BlockList, connect, isIP, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';

/** Connections that come together are asked about together. Ms. */
const TOGETHER_MS = 50;
const CONNECT_MS = 30_000;
const MAX_GRANTS = 500;
const WEB_PORTS = [443, 80];

export type Target = { readonly host: string; readonly port: number };
type Said = 'once' | 'always' | 'no';

/** Who connects. */
export type Client = {
  /** The program's name, for the question. */
  readonly program: string;
  /** The background job that it is part of: what is allowed to it ends with the job. */
  readonly job?: number | undefined;
};

export type GrantOptions = {
  /** Asks the user. */
  readonly ask: (client: Client, items: readonly string[]) => Promise<Said>;
  /** The client that connects from this port. */
  readonly clientAt: (port: number) => Client;
};

type Grant = { readonly allowed: boolean; readonly job?: number | undefined };
type Batch = { readonly client: Client; readonly targets: Target[]; readonly answer: Promise<Said> };

/** `host:port` as the user and a CONNECT line write it; addresses in one spelling. Undefined: none. */
export function targetOf(text: string, port?: number): Target | undefined {
  if (!/^[\w.:[\]-]+$/.test(text)) return undefined;
  const url = URL.parse(`http://${text}`);
  if (!url || url.pathname !== '/' || url.username !== '' || url.hostname === '') return undefined;
  // The URL leaves the port of its scheme out.
  const given = /:(\d{1,5})$/.exec(text)?.[1];
  const own = given === undefined || /^\[[^\]]*\]$/.test(text) ? port : Number(given);
  if (own === undefined || own < 1 || own > 65_535) return undefined;
  return { host: url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''), port: own };
}

const nameOf = ({ host, port }: Target) => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

const LINK = new BlockList();
LINK.addSubnet('169.254.0.0', 16);
LINK.addSubnet('fe80::', 10, 'ipv6');
LINK.addAddress('fd00:ec2::254', 'ipv6');
const MACHINE = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['224.0.0.0', 3],
] as const)
  MACHINE.addSubnet(net, bits);
MACHINE.addSubnet('::', 127, 'ipv6');
MACHINE.addSubnet('ff00::', 8, 'ipv6');

/** Names an address to which no name of the internet may lead; undefined for an ordinary address. */
function special(address: string): string | undefined {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (LINK.check(address, family)) return 'link-local, where clouds give out keys';
  const own = new BlockList();
  for (const each of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
    own.addAddress(each.address, each.family === 'IPv6' ? 'ipv6' : 'ipv4');
  return MACHINE.check(address, family) || own.check(address, family) ? 'this machine' : undefined;
}

/** As it stands in the question: a bare address is named for what it is. */
function described(target: Target): string {
  if (isIP(target.host) === 0) return nameOf(target);
  return `${nameOf(target)} (${special(target.host) ?? 'an address without a name'})`;
}

/** The user's answer for each host and port. */
export class NetworkGrants {
  readonly #options: GrantOptions;
  readonly #said = new Map<string, Grant>();
  readonly #waiting = new Map<string, Promise<boolean>>();
  #batch: Batch | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: GrantOptions) {
    this.#options = options;
  }

  /** A host with or without a port, as the user writes it; what was set, undefined where it is none. */
  setNamed(text: string, allowed: boolean | undefined): string | undefined {
    const known = targetOf(text);
    const targets = known ? [known] : WEB_PORTS.flatMap((port) => targetOf(text, port) ?? []);
    for (const target of targets) this.set(target, allowed);
    return targets.map(nameOf).join(', ') || undefined;
  }

  list(): readonly (readonly [string, boolean])[] {
    return [...this.#said].map(([name, { allowed }]) => [name, allowed]);
  }

  /** Undefined: asked about again. `job`: it ends with that job. */
  set(target: Target, allowed: boolean | undefined, job?: number): void {
    if (allowed === undefined) this.#said.delete(nameOf(target));
    else if (this.#said.size < MAX_GRANTS) this.#said.set(nameOf(target), { allowed, job });
  }

  jobEnded(job: number): void {
    for (const [name, grant] of this.#said) if (grant.job === job) this.#said.delete(name);
  }

  async allows(target: Target, port: number): Promise<boolean> {
    const name = nameOf(target);
    const said = this.#said.get(name);
    if (said !== undefined) return said.allowed;
    const asked = this.#waiting.get(name) ?? this.#ask(target, port).finally(() => this.#waiting.delete(name));
    this.#waiting.set(name, asked);
    return asked;
  }

  async #ask(target: Target, port: number): Promise<boolean> {
    const client = this.#options.clientAt(port);
    const { program, job } = this.#batch?.client ?? {};
    const fits = program === client.program && job === client.job;
    const batch = fits && this.#batch ? this.#batch : this.#open(client);
    batch.targets.push(target);
    const said = await batch.answer;
    if (said !== 'once') this.set(target, said === 'always', client.job);
    return said !== 'no';
  }

  /** One question at a time; it closes its list when it is put. */
  #open(client: Client): Batch {
    const targets: Target[] = [];
    const together = new Promise((resolve) => setTimeout(resolve, TOGETHER_MS));
    const answer = Promise.all([this.#last, together]).then(() => {
      if (this.#batch?.targets === targets) this.#batch = undefined;
      return this.#options.ask(client, targets.map(described));
    });
    this.#last = answer.catch(() => {});
    this.#batch = { client, targets, answer };
    return this.#batch;
  }
}

/** Thrown for what is not let through; the text goes to the program. */
class Refused extends Error {}

/** The addresses that may be connected to: those of a name that was allowed. */
async function addressesOf(target: Target, grants: NetworkGrants, port: number): Promise<readonly string[]> {
  if (!(await grants.allows(target, port)))
    throw new Refused(`the user does not allow a connection to ${nameOf(target)}`);
  if (isIP(target.host) !== 0) return [target.host];
  const found = (await lookup(target.host, { all: true })).map(({ address }) => address);
  for (const address of found) {
    const what = special(address);
    if (what) throw new Refused(`${nameOf(target)} leads to ${address} (${what}), which only its address can allow`);
  }
  return found;
}

async function connected(target: Target, grants: NetworkGrants, from: Duplex): Promise<Socket> {
  const port = 'remotePort' in from ? Number(from.remotePort) : 0;
  let last: unknown = new Error('no address');
  for (const host of await addressesOf(target, grants, port)) {
    const socket = connect({ host, port: target.port, timeout: CONNECT_MS });
    try {
      await new Promise((resolve, reject) => {
        socket.once('connect', resolve).once('error', reject);
        socket.once('timeout', () => reject(new Error('the connection timed out')));
      });
      return socket.setTimeout(0);
    } catch (error) {
      socket.destroy();
      last = error;
    }
  }
  throw last;
}

const statusOf = (error: unknown) => (error instanceof Refused ? 403 : 502);
const sayOf = (error: unknown) => `aish-tui: ${error instanceof Error ? error.message : String(error)}\n`;

/** Answers what comes in at `server`, a listening socket in the session's network. */
export function serveProxy(server: Server, grants: NetworkGrants): void {
  // A request waits as long as the user's question is open.
  const proxy = createServer({ requestTimeout: 0 }, (incoming, answer) => void forward(incoming, answer, grants));
  proxy.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => {});
    void tunnel(incoming.url ?? '', client, head, grants);
  });
  proxy.on('clientError', (_, client) => client.destroy());
  server.on('connection', (socket) => proxy.emit('connection', socket));
}

async function tunnel(url: string, client: Duplex, head: Buffer, grants: NetworkGrants): Promise<void> {
  try {
    const target = targetOf(url);
    if (!target) throw new Refused('no host and port');
    const socket = await connected(target, grants, client);
    socket.on('error', () => client.destroy());
    client.on('close', () => socket.destroy());
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.write(head);
    socket.pipe(client).pipe(socket);
  } catch (error) {
    const text = sayOf(error);
    const reason = statusOf(error) === 403 ? '403 Forbidden' : '502 Bad Gateway';
    client.end(
      `HTTP/1.1 ${reason}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
  }
}

async function forward(incoming: IncomingMessage, answer: ServerResponse, grants: NetworkGrants): Promise<void> {
  try {
    const url = URL.parse(incoming.url ?? '');
    const target = url?.protocol === 'http:' ? targetOf(url.host, 80) : undefined;
    if (!url || !target) throw new Refused('this is a proxy: it takes http://HOST/ and CONNECT');
    const socket = await connected(target, grants, incoming.socket);
    const { 'proxy-connection': _, 'proxy-authorization': __, connection: ___, ...headers } = incoming.headers;
    const outgoing = request({
      createConnection: () => socket,
      method: incoming.method,
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host, connection: 'close' },
    });
    outgoing.on('response', (response) => {
      const { connection: ____, 'keep-alive': _____, ...rest } = response.headers;
      answer.writeHead(response.statusCode ?? 502, rest);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.on('error', () => outgoing.destroy());
    incoming.pipe(outgoing);
  } catch (error) {
    answer.writeHead(statusOf(error), { 'content-type': 'text/plain', connection: 'close' }).end(sayOf(error));
  }
}
