/** An MCP server over stdio whose texts are all hostile: its name, its tools, its answers and its errors. */
import { createInterface } from 'node:readline';
import { HOSTILE } from './hostile.ts';

const all = HOSTILE.join(' ');
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const ANSWERS: Readonly<Record<string, (params: Record<string, unknown>) => object>> = {
  initialize: () => ({
    result: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: `evil ${all}`, version: all },
      instructions: all,
    },
  }),
  'tools/list': () => ({
    result: {
      tools: ['say', 'fail', `evil${HOSTILE[0]}`].map((name) => ({
        name,
        title: all,
        description: all,
        inputSchema: { type: 'object', properties: { [`key ${all}`]: { type: 'string', description: all } } },
        annotations: { title: all, readOnlyHint: true },
      })),
    },
  }),
  'tools/call': ({ name }) =>
    name === 'fail'
      ? { error: { code: -32000, message: all } }
      : { result: { content: [{ type: 'text', text: all }] } },
};

process.stderr.write(`${all}\n`);
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: number; method?: string; params?: Record<string, unknown> };
  if (id === undefined || method === undefined) return;
  send({ id, ...(ANSWERS[method]?.(params ?? {}) ?? { result: {} }) });
});
