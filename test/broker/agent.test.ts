/** Proxies and certificates from the environment (BR-7). */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { agentFor } from '../../src/broker/agent.ts';
import { createBroker } from '../../src/broker/index.ts';
import { lacks, pathOf } from '../support/lacks.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';
import { converse, impatient, presetAt } from './talk.ts';

const open: Server[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of open.splice(0)) {
    if ('closeAllConnections' in server) (server as ReturnType<typeof createServer>).closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

async function portOf(server: Server): Promise<number> {
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A proxy that leads every host to one port of this machine, and records its requests. */
async function proxyTo(port: number) {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    const { pathname } = new URL(req.url ?? '');
    const on = forward({ port, path: pathname, method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    req.pipe(on);
  });
  server.on('connect', (req, client) => {
    asked.push(`CONNECT ${req.url}`);
    const there = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      there.pipe(client).pipe(there);
    });
    for (const end of [there, client]) end.on('error', () => {});
  });
  return { asked, url: `http://127.0.0.1:${await portOf(server)}` };
}

function withProxy(url: string): void {
  for (const name of ['http_proxy', 'https_proxy', 'no_proxy', 'NO_PROXY', 'SSL_CERT_FILE']) vi.stubEnv(name, '');
  vi.stubEnv('HTTP_PROXY', url);
  vi.stubEnv('HTTPS_PROXY', url);
}

describe('a proxy from the environment', () => {
  it('is used for a remote server, also as HOST:PORT, and never for this machine', async () => {
    await using server = await startScriptedServer([say('through'), say('direct')]);
    const proxy = await proxyTo(server.port);
    withProxy(proxy.url.replace('http://', ''));
    const far = createBroker({ presets: [presetAt('http://models.example/v1')] });
    expect((await converse(far)).reply.text).toBe('through');
    expect(proxy.asked).toEqual(['POST http://models.example/v1/chat/completions']);
    const near = createBroker({ presets: [presetAt(server.baseUrl)] });
    expect((await converse(near)).reply.text).toBe('direct');
    expect(proxy.asked).toHaveLength(1);
  });

  it('is not used for this machine’s own network addresses', () => {
    const own = Object.values(networkInterfaces()).flat();
    for (const each of own) {
      const host = each?.family === 'IPv6' ? `[${each.address}]` : each?.address;
      // A link-local address has a zone, which no URL can contain.
      if (!URL.canParse(`http://${host}/v1`)) continue;
      expect(agentFor(new URL(`http://${host}/v1`), { HTTP_PROXY: 'http://proxy.example:3128' })).toBeUndefined();
    }
    expect(agentFor(new URL('http://10.9.8.7/v1'), { HTTP_PROXY: 'http://proxy.example:3128' })).toBeDefined();
  });

  it('is not used for the hosts of NO_PROXY', async () => {
    const proxy = await proxyTo(1);
    withProxy(proxy.url);
    vi.stubEnv('NO_PROXY', 'models.invalid');
    const { broker } = impatient([presetAt('http://models.invalid/v1')]);
    expect((await converse(broker)).reply.failure?.kind).toBe('unreachable');
    expect(proxy.asked).toEqual([]);
  });

  it('that can’t be reached is named in the error', async () => {
    withProxy('http://127.0.0.1:1');
    const { broker } = impatient([presetAt('https://models.example/v1')]);
    const { failure } = (await converse(broker)).reply;
    expect(failure?.message).toContain(
      'nothing answers at https://models.example/v1 (connection refused, HTTPS_PROXY is set)',
    );
  });

  it('of an unsupported kind fails the call, and nothing is sent another way', async () => {
    withProxy('socks5://user:hunter2@127.0.0.1:1');
    const { broker } = impatient([presetAt('http://models.example/v1')]);
    const { failure } = (await converse(broker)).reply;
    expect(failure?.message).toContain('the proxy in the environment is not an http or https address');
    expect(failure?.message).not.toContain('hunter2');
  });
});

describe.skipIf(lacks('openssl'))('SSL_CERT_FILE', () => {
  const certificate = () => {
    const folder = mkdtempSync(join(tmpdir(), 'cert-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=models.example', '-addext', 'subjectAltName=DNS:models.example'];
    const files = ['-keyout', key, '-out', cert];
    execFileSync(pathOf('openssl') ?? '', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject], {
      stdio: 'ignore',
    });
    return { cert, options: { key: readFileSync(key), cert: readFileSync(cert) } };
  };

  it('adds trusted certificates, also behind a proxy', async () => {
    await using server = await startScriptedServer([say('safe')]);
    const { cert, options } = certificate();
    const port = await portOf(
      createSecure(options, (req, res) => {
        const { method, headers } = req;
        req.pipe(forward({ port: server.port, path: req.url, method, headers }, (answer) => answer.pipe(res)));
      }),
    );
    const proxy = await proxyTo(port);
    withProxy(proxy.url);
    const { broker } = impatient([presetAt('https://models.example/v1')]);
    expect((await converse(broker)).reply.failure?.message).toContain('no safe connection');
    vi.stubEnv('SSL_CERT_FILE', cert);
    expect((await converse(broker)).reply.text).toBe('safe');
    expect(proxy.asked).toEqual(['CONNECT models.example:443', 'CONNECT models.example:443']);
  });

  it('fails the call when the file that it names is missing', async () => {
    withProxy('');
    vi.stubEnv('SSL_CERT_FILE', '/nowhere/ca.pem');
    const { broker } = impatient([presetAt('https://models.example/v1')]);
    expect((await converse(broker)).reply.failure?.message).toContain("SSL_CERT_FILE can't be read");
  });
});
