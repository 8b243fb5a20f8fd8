/**
 * `aish-tui mcp serve`: the gate, the kernel sandbox and trials as an MCP server on standard input and output, for
 * other agents. Nothing that it offers changes anything: it judges, runs where nothing can be written, or tries and
 * discards.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { EXIT } from '../../cli/exit-codes.ts';
import { messageOf } from '../../text/errors.ts';
import { servedTools } from './served-tools.ts';

/** Serves until standard input ends. */
export async function serveMcp(config: string | undefined, version: string): Promise<number> {
  const tools = new Map(servedTools(config).map((tool) => [tool.name, tool]));
  const server = new Server({ name: 'aish-tui', version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.values()].map(({ name, title, description, inputSchema }) => ({
      name,
      title,
      description,
      inputSchema,
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.get(params.name);
    if (!tool) return answer({ error: `there is no tool ${params.name}` }, true);
    try {
      const told = await tool.run(params.arguments ?? {}, signal);
      return typeof told === 'string' ? answer({ error: told }, true) : answer(told, false);
    } catch (error) {
      return answer({ error: messageOf(error) }, true);
    }
  });
  const ended = Promise.withResolvers<void>();
  process.stdin.once('end', () => ended.resolve());
  server.onclose = () => ended.resolve();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => ended.resolve());
  await server.connect(new StdioServerTransport());
  await ended.promise;
  // Its requests are aborted with it, and what they run is ended.
  await server.close();
  await Promise.all([...tools.values()].map((tool) => tool.settled()));
  return EXIT.ok;
}

function answer(told: Readonly<Record<string, unknown>>, isError: boolean) {
  return { content: [{ type: 'text' as const, text: JSON.stringify(told, null, 2) }], isError };
}
