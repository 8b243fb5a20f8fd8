import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { protocolFor, SYSTEM_PROMPT } from '../../src/app/services.ts';
import { startEngine } from '../support/engine.ts';

type Body = { readonly messages: readonly { readonly content: string }[]; readonly tools?: unknown };

/** Asks twice; returns the system messages of the requests that the server answered. */
async function systemsFor(takesTools: boolean) {
  const systems: string[] = [];
  const server = createServer(async (request, response) => {
    const asked = await text(request);
    if (!request.url?.endsWith('/chat/completions')) return response.writeHead(404).end();
    const body: Body = JSON.parse(asked);
    if (!takesTools && body.tools !== undefined)
      return response.writeHead(500).end('{"error":{"message":"tools param requires --jinja flag"}}');
    systems.push(body.messages[0]?.content ?? '');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return response.end('data: {"choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const services = { systemPrompt: SYSTEM_PROMPT, protocol: protocolFor };
  await using bench = startEngine({ name: 'fast', model: 'm', baseUrl, context: 8192 }, { services });
  for (const line of ['l1', 'l2']) {
    await bench.engine.dispatch({ type: 'asked', line, text: 'hi' });
    await bench.until(() => bench.engine.conversation.phase.kind === 'idle');
  }
  server.close();
  return systems;
}

it('a server with tools is told of tools only', async () => {
  const [first, second] = await systemsFor(true);
  expect(first).toContain('call a tool');
  expect(first).not.toMatch(/CMD:|PATCH:|MODE:/);
  expect(second).toBe(first);
});

it('a server without tools is told of markers only, from the first answer on', async () => {
  const [first, second] = await systemsFor(false);
  expect(first).toMatch(/CMD:[\s\S]*PATCH:[\s\S]*MODE:[\s\S]*DELEGATE:/);
  expect(first).not.toContain('call a tool');
  expect(second).toBe(first);
});

it('a sub-agent is told neither to delegate nor to ask', () => {
  expect(protocolFor({ tools: false, agent: true })).not.toMatch(/DELEGATE|MODE:/);
});
