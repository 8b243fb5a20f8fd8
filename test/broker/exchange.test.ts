import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { beginningOf, bytesOf, exchange, fetchForLibrary } from '../../src/broker/exchange.ts';

const NEVER = new AbortController().signal;
const GET = { method: 'GET', headers: {}, signal: NEVER };

const open: Server[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const server of open.splice(0)) {
    if ('closeAllConnections' in server) (server as ReturnType<typeof createServer>).closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

async function at(server: Server): Promise<string> {
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answering(listener: RequestListener) {
  const server = createServer(listener);
  const connections: unknown[] = [];
  server.on('connection', (socket) => connections.push(socket));
  return { url: `http://${await at(server)}/v1`, connections };
}

test('a request is sent unchanged, and successive requests share a connection', async () => {
  const seen: unknown[] = [];
  const { url, connections } = await answering(async (req, res) => {
    const { method, headers } = req;
    seen.push([
      method,
      headers['x-own'],
      headers['content-length'],
      headers['accept-encoding'],
      await beginningOf(req, 99),
    ]);
    res.writeHead(201, { 'x-two': ['1', '2'] }).end('fine');
  });
  for (const body of ['grüße', 'again']) {
    const { status, headers, bytes } = await exchange(url, { ...GET, method: 'POST', headers: { 'x-own': 'a' }, body });
    expect([status, headers['x-two'], await beginningOf(bytes, 99)]).toEqual([201, '1, 2', 'fine']);
  }
  expect(seen).toEqual([
    ['POST', 'a', '7', undefined, 'grüße'],
    ['POST', 'a', '5', undefined, 'again'],
  ]);
  expect(connections).toHaveLength(1);
});

test('an answer that changes the protocol is an error', async () => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    );
  });
  await expect(exchange(`http://${await at(server)}/v1`, GET)).rejects.toThrow('another protocol');
});

test('a compressed answer is decompressed', async () => {
  const packed: Record<string, Buffer> = {
    gzip: gzipSync('fine'),
    'X-GZIP': gzipSync('fine'),
    deflate: deflateSync('fine'),
    br: brotliCompressSync('fine'),
    identity: Buffer.from('fine'),
  };
  const { url } = await answering((req, res) => {
    const name = req.headers['x-as'] as string;
    res.writeHead(200, { 'content-encoding': name }).end(packed[name]);
  });
  for (const name of Object.keys(packed)) {
    const { bytes } = await exchange(url, { ...GET, headers: { 'x-as': name } });
    expect(await beginningOf(bytes, 99)).toBe('fine');
  }
});

test('a compressed stream is read as it arrives, and one that breaks off is an error', async () => {
  const gzip = createGzip();
  const { url } = await answering((_req, res) => {
    res.writeHead(200, { 'content-encoding': 'gzip' });
    gzip.on('data', (data) => res.write(data));
    gzip.write('first');
    gzip.flush(constants.Z_SYNC_FLUSH);
    gzip.on('close', () => res.destroy());
  });
  const { bytes } = await exchange(url, GET);
  const pieces = bytes[Symbol.asyncIterator]();
  expect(String((await pieces.next()).value)).toBe('first');
  gzip.destroy();
  await expect(pieces.next()).rejects.toThrow();
});

test('an answer that is not read to its end releases its connection', async () => {
  let gone: Promise<unknown> | undefined;
  const { url } = await answering((_req, res) => {
    gone = once(res, 'close');
    res.write('some');
  });
  const { bytes } = await exchange(url, GET);
  bytes.destroy();
  await gone;
  const second = await exchange(url, GET);
  expect(await beginningOf(second.bytes, 2)).toBe('so');
  await gone;
});

test('an abort ends a request before and during its answer', async () => {
  const { url } = await answering((req, res) => {
    if (req.url === '/v1/begins') res.write('some');
  });
  const controller = new AbortController();
  const begun = await exchange(`${url}/begins`, { ...GET, signal: controller.signal });
  const waiting = exchange(url, { ...GET, signal: controller.signal });
  controller.abort();
  await expect(waiting).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
  await expect(beginningOf(begun.bytes, 99)).rejects.toThrow();
});

test('an address with a user or password, or with another protocol, is never contacted', async () => {
  const { url, connections } = await answering((_req, res) => res.end());
  await expect(exchange(url.replace('//', '//me:secret@'), GET)).rejects.toThrow(/must not contain a user or password/);
  await expect(exchange(url.replace('http:', 'ftp:'), GET)).rejects.toThrow();
  expect(connections).toEqual([]);
});

test('the call fails when a server stays silent while the connection is made', async () => {
  const silent = createTcpServer();
  const connected = once(silent, 'connection');
  const address = await at(silent);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const sent = exchange(`https://${address}/v1`, GET);
  const failed = expect(sent).rejects.toThrow(expect.objectContaining({ code: 'ETIMEDOUT' }));
  await connected;
  vi.advanceTimersByTime(10_000);
  await failed;
});

test('the library gets successful answers unchanged, only the beginning of others, and redirects without following them', async () => {
  let elsewhere = 0;
  const { url } = await answering((req, res) => {
    if (req.url === '/elsewhere') elsewhere += 1;
    const status = Number(req.headers['x-status']);
    res.writeHead(status, { location: '/elsewhere', 'x-request-id': 'r1' });
    res.end(status === 304 ? undefined : 'x'.repeat(100_000));
  });
  const ask = (status: number) => fetchForLibrary(url, { headers: { 'x-status': String(status) } });
  const good = await ask(200);
  expect([good.ok, good.headers.get('x-request-id')]).toEqual([true, 'r1']);
  expect(await beginningOf(bytesOf(good), 200_000)).toHaveLength(100_000);
  for (const [status, length] of [
    [302, 65_536],
    [304, 0],
    [500, 65_536],
  ] as const) {
    const bad = await ask(status);
    expect([bad.ok, bad.status, (await bad.text()).length]).toEqual([false, status, length]);
    expect(() => bytesOf(bad)).toThrow();
  }
  expect(elsewhere).toBe(0);
});
