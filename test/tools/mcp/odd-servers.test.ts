/** Servers that answer in unusual ways, or speak an older protocol. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { fault, startMcp } from './support.ts';

async function listen(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const ANSWERS = [
  ['nothing', null, '(no content)'],
  ['bare', 'a bare text', 'a bare text'],
  ['list', [1, 2], '[1,2]'],
] as const;

describe('a result that is not an object is accepted', () => {
  it.each(ANSWERS)('over stdio: %s', async (name, _result, text) => {
    await using desk = await startMcp(() => ({ f: fault() }));
    expect(await desk.call(`f__${name}`)).toEqual({ text, failed: false });
  });

  it.each(['application/json', 'text/event-stream'])('over HTTP as %s', async (type) => {
    using server = await listen(async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method, params } = (await json(request)) as { id?: number; method: string; params: object };
      if (id === undefined) return void response.writeHead(202).end();
      const called = 'name' in params ? ANSWERS.find(([name]) => name === params.name) : undefined;
      const results: Readonly<Record<string, object>> = {
        initialize: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 's', version: '1' },
        },
        'tools/list': { tools: ANSWERS.map(([name]) => ({ name, inputSchema: { type: 'object' } })) },
      };
      const message = JSON.stringify({ jsonrpc: '2.0', id, result: called ? called[1] : (results[method] ?? {}) });
      response.writeHead(200, { 'content-type': type });
      response.end(type === 'application/json' ? message : `event: message\ndata: ${message}\n\n`);
    });
    await using desk = await startMcp(() => ({ h: { url: server.url } }));
    for (const [name, , text] of ANSWERS) expect(await desk.call(`h__${name}`)).toEqual({ text, failed: false });
  });
});

describe('a server with only the old SSE transport', () => {
  it.each([400, 404, 405])('is reported as such when it answers a message with %s', async (status) => {
    using server = await listen((request, response) => {
      if (request.method !== 'GET') return void response.writeHead(status).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages?session=1\n\n');
    });
    await using desk = await startMcp(() => ({ old: { url: server.url } }));
    expect(desk.said).toEqual([expect.stringContaining('only the old SSE transport')]);
    expect(desk.mcp.servers[0]?.state).toBe('failed');
  });

  it('is not confused with another page that returns an error', async () => {
    using server = await listen((_request, response) => void response.writeHead(404).end('no such page'));
    await using desk = await startMcp(() => ({ web: { url: server.url } }), { restartDelayMs: 60_000 });
    expect(desk.said).toEqual([expect.stringMatching(/^mcp: web: HTTP 404/)]);
  });
});

it('a server that starts slowly is given up after the configured time', async () => {
  const servers = () => ({ f: fault('silent') });
  await using desk = await startMcp(servers, { startTimeoutMs: 300, restartDelayMs: 60_000 });
  expect(desk.said).toEqual([expect.stringContaining('mcp: f: ')]);
  expect(desk.mcp.servers[0]?.state).toBe('waiting');
});
