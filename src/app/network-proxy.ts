/**
 * The only exit of a session's network (MO-10): a proxy that commands in Project mode find through the usual
 * variables. It asks before it resolves a name, and connects only to addresses that it has resolved and checked
 * itself.
 */
import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, isIP, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type NetworkGrants, nameOf, special, type Target, targetOf } from './network-grants.ts';

const CONNECT_MS = 30_000;

/** Thrown when a connection is not allowed; the text goes to the program. */
class Refused extends Error {}

/** Resolves an allowed target to the addresses that may be used. */
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

/** Serves connections to `server`, a socket that listens in the session's network. */
export function serveProxy(server: Server, grants: NetworkGrants): void {
  // There is no timeout, because a request waits while the user decides.
  const proxy = createServer({ requestTimeout: 0 }, (incoming, answer) => void forward(incoming, answer, grants));
  proxy.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => {});
    void tunnel(incoming.url ?? '', client, head, grants);
  });
  proxy.on('clientError', (_, client) => client.destroy());
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', (first) => {
      const [, url] = CONNECT.exec(first.toString('latin1')) ?? [];
      if (url !== undefined) return void tunnel(url, socket, first.subarray(0, 0), grants);
      socket.unshift(first);
      proxy.emit('connection', socket);
    });
  });
}

/** A complete CONNECT request without a body; the first bytes of a client are matched without an HTTP parser. */
const CONNECT = /^CONNECT (\S+) HTTP\/1\.[01]\r\n(?:[^\r\n]+\r\n)*\r\n$/;

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
    if (!url || !target) throw new Refused('this is a proxy: it accepts only http://HOST/ requests and CONNECT');
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
