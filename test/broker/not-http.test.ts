/** Servers that answer, but not as a model's server does: the advice is not to start one. */
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { expect, test } from 'vitest';
import { faultOf } from '../../src/broker/faults.ts';
import { converse, impatient, presetAt } from './talk.ts';

/** Returns the user's message about a call to such a server, and the number of attempts. */
async function toldBy(server: Server, scheme = 'http') {
  let tried = 0;
  server.on('connection', () => tried++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { broker } = impatient([presetAt(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)]);
  const { reply } = await converse(broker);
  await new Promise((resolve) => server.close(resolve));
  return { ...reply.failure, tried };
}

test('a server with another protocol is not reported as missing', async () => {
  const ssh = createTcpServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end('SSH-2.0-OpenSSH_9.2\r\n'),
  );
  const told = await toldBy(ssh);
  expect(told).toMatchObject({ kind: 'protocol', tried: 1 });
  expect(told.message).toMatch(/fast \(tiny\) sent something that is not a chat answer: .*HTTP/);
});

test('an answer with a wrong compression is not reported as a missing server', async () => {
  const packed = createServer((_, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip', connection: 'close' });
    res.end('data: not packed at all');
  });
  const told = await toldBy(packed);
  expect(told).toMatchObject({ kind: 'protocol', tried: 1 });
  expect(told.message).toMatch(/not a chat answer: incorrect header check/);
});

test('https to an http server names the address, and is not tried again', async () => {
  const plain = createTcpServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  );
  const told = await toldBy(plain, 'https');
  expect(told).toMatchObject({ kind: 'unreachable', tried: 1 });
  expect(told.message).toMatch(
    /^no safe connection to https:\/\/127\.0\.0\.1:\d+.* \(\w+\): does base_url of fast begin/,
  );
});

test.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
  'an untrusted certificate (%s) is reported',
  (code) => {
    const error = new Error('Connection error.', { cause: Object.assign(new Error('a certificate'), { code }) });
    const { failure, retry } = faultOf(error, presetAt('https://model.test/v1'), undefined);
    expect(failure.message).toContain(`no safe connection to https://model.test/v1 (${code})`);
    expect(failure.message).toContain('NODE_EXTRA_CA_CERTS');
    expect(retry).toBe('no');
  },
);
