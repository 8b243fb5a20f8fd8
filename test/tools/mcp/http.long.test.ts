import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { LONG_TEXT, longestTurn } from './longest-turn.ts';
import { startMcp } from './support.ts';

type Request = { readonly id?: number; readonly method: string };

/** A server that answers as JSON or as a stream of events; `answers` are its results of the tool `big`. */
async function serve(answer: (id: number) => readonly (string | Buffer)[], as: 'json' | 'events') {
  const server = createServer((request, response) => void reply(request, response).catch(() => response.destroy()));
  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = (await json(request)) as Request;
    if (id === undefined) return void response.writeHead(202).end();
    const tool = { name: 'big', inputSchema: { type: 'object' } };
    const results: Readonly<Record<string, object>> = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      },
      'tools/list': { tools: [tool] },
    };
    const pieces =
      method === 'tools/call' ? answer(id) : [JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} })];
    response.writeHead(200, { 'content-type': as === 'json' ? 'application/json' : 'text/event-stream' });
    if (as === 'events') response.write('event: message\r\nid: 7\r\ndata: ');
    for (const piece of pieces) response.write(piece);
    response.end(as === 'events' ? '\r\n\r\n' : '');
  }
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

// The result is encoded once, since only the client’s turns are measured.
const encoded = Buffer.from(JSON.stringify({ content: [{ type: 'text', text: `begin\n${LONG_TEXT}end` }] }));
const big = (id: number) => [`{"jsonrpc":"2.0","id":${id},"result":`, encoded, '}'];

describe.each(['json', 'events'] as const)('a server over HTTP that answers by %s', (as) => {
  it('delivers a result of 50 MB completely, and delays no key', async () => {
    using server = await serve(big, as);
    await using desk = await startMcp(() => ({ h: { url: server.url } }));
    const { text, failed } = await desk.call('h__big');
    expect(failed).toBe(false);
    expect(text.startsWith('begin\n0123')).toBe(true);
    expect(text.endsWith('\nend')).toBe(true);
    const { whole, longest } = await longestTurn(() => desk.call('h__big'));
    expect(longest).toBeLessThan(0.8 * whole);
  });

  it('may send a long answer with empty content, and invalid JSON fails the call', async () => {
    const hollow = (id: number) => [
      `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"x":"${'y'.repeat(300_000)}"}}`,
    ];
    const answers = [hollow, () => [`{"a":${'['.repeat(1 << 20)}`]];
    using server = await serve((id) => (answers.shift() ?? big)(id), as);
    await using desk = await startMcp(() => ({ h: { url: server.url } }), { callTimeoutMs: 2000 });
    expect(await desk.call('h__big')).toMatchObject({ failed: false });
    expect(await desk.call('h__big')).toMatchObject({ failed: true });
  });
});
