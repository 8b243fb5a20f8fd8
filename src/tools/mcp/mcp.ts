/** All configured servers as one set of tools (MC-1 … MC-4). Nothing of the protocol is loaded before one is started. */

import type { ToolCallOptions, ToolOutcome } from '../../contracts/tools.ts';
import type { ToolFacts } from '../../session/action.ts';
import type { ToolSpec } from '../../session/message.ts';
import { matchesGlob } from '../../text/glob.ts';
import type { JsonObject } from '../../text/json.ts';
import type { ForeignTools } from '../registry.ts';
import { type KeepText, readResult } from './result.ts';
import { Server, type ServerOptions } from './server.ts';
import type { Annotations, ToolDefinition } from './tool-definition.ts';
import type { ServerConfig } from './types.ts';

export type McpOptions = Omit<ServerOptions, 'name' | 'config' | 'onChange' | 'callTimeoutMs' | 'restartDelayMs'> & {
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** Globs over tools that the user knows to only read. */
  readonly readOnly: readonly string[];
  /** Keeps the whole of a large result. */
  readonly keep: KeepText;
  readonly callTimeoutMs?: number;
  readonly restartDelayMs?: number;
};

export type Mcp = ForeignTools & {
  readonly servers: readonly Server[];
  /** Starts all of them; resolves when each is ready or has failed. */
  start(): Promise<void>;
  /** Why the arguments of a tool are not checked here, as far as that is known. */
  unchecked(name: string): string | undefined;
  /** What a server says of a tool. */
  annotations(name: string): Annotations | undefined;
  /** The user's directory is another one. */
  rootMoved(): void;
  /** Ends all of them side by side. Nothing stays behind. */
  close(): Promise<void>;
};

const CALL_TIMEOUT_MS = 120_000;
const RESTART_DELAY_MS = 1000;
/** How long a call waits for a server that is on its way. In ms. */
const ARRIVAL_TIMEOUT_MS = 15_000;

export function createMcp(options: McpOptions): Mcp {
  const { keep } = options;
  let specs: readonly ToolSpec[] = [];
  const byName = new Map<string, { readonly server: Server; readonly tool: ToolDefinition }>();
  /** Schemas that have turned out to be of no use. */
  const useless = new WeakSet<JsonObject>();
  /** How each tool was defined when it was first seen. */
  const firstSeen = new Map<string, string>();
  const collect = () => {
    byName.clear();
    for (const server of servers) {
      for (const tool of server.tools) {
        byName.set(tool.spec.name, { server, tool });
        if (!firstSeen.has(tool.spec.name)) firstSeen.set(tool.spec.name, tool.digest);
      }
    }
    const next = [...byName.values()].map(({ tool }) => tool.spec);
    if (next.length !== specs.length || next.some((spec, index) => spec !== specs[index])) specs = next;
  };
  const servers = Object.entries(options.servers).map(
    ([name, config]) =>
      new Server({
        callTimeoutMs: CALL_TIMEOUT_MS,
        restartDelayMs: RESTART_DELAY_MS,
        ...options,
        name,
        config,
        onChange: collect,
      }),
  );

  async function run(
    name: string,
    args: JsonObject,
    { signal, definition, onProgress }: ToolCallOptions,
  ): Promise<ToolOutcome> {
    const found = byName.get(name);
    if (!found) return failed(`no tool is called ${name}`);
    const { server, tool } = found;
    if (definition !== undefined && definition !== tool.digest)
      return failed(`not run: ${name} was redefined after it was judged; call it again`);
    const answer = await server.call(tool.own, args, { signal, onProgress: onProgress ?? (() => {}) });
    return 'problem' in answer ? failed(answer.problem) : readResult(answer.raw, keep);
  }

  return {
    servers,
    get specs() {
      return specs;
    },
    arrived: (name) =>
      servers.find((server) => name.startsWith(`${server.name}__`))?.settled(ARRIVAL_TIMEOUT_MS) ?? Promise.resolve(),
    async refusal(name, args) {
      const found = byName.get(name);
      if (!found) return undefined;
      if (found.server.state !== 'ready') return found.server.away;
      const { foreignProblemOf, isUseless } = await import('../validator.ts');
      const { parameters } = found.tool.spec;
      const problem = foreignProblemOf(parameters, args);
      if (isUseless(parameters)) useless.add(parameters);
      return problem === undefined ? undefined : `invalid arguments for ${name}: ${problem}`;
    },
    facts(name): ToolFacts | undefined {
      const found = byName.get(name);
      if (!found) return undefined;
      const { digest, claims } = found.tool;
      return { definition: digest, claims, changed: firstSeen.get(name) !== digest };
    },
    unchecked(name) {
      const tool = byName.get(name)?.tool;
      if (!tool) return undefined;
      return tool.unchecked ?? (useless.has(tool.spec.parameters) ? 'its schema can’t be used' : undefined);
    },
    onlyReads: (name) => byName.has(name) && matchesGlob(name, options.readOnly),
    annotations: (name) => byName.get(name)?.tool.annotations,
    run,
    start: () => Promise.all(servers.map((server) => server.start())).then(() => {}),
    rootMoved() {
      for (const server of servers) server.rootMoved();
    },
    close: () => Promise.all(servers.map((server) => server.close())).then(() => {}),
  };
}

function failed(text: string): ToolOutcome {
  return { text, failed: true };
}
