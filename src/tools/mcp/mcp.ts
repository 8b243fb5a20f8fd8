/** All configured servers as one set of tools (MC-1 … MC-4). The protocol code is loaded with the first server. */

import type { ToolCallOptions, ToolOutcome } from '../../contracts/tools.ts';
import type { ToolFacts } from '../../session/action.ts';
import type { ToolSpec } from '../../session/message.ts';
import type { JsonObject } from '../../text/json.ts';
import { matchesGlob } from '../../text/matching.ts';
import type { ForeignTools } from '../registry.ts';
import { type Annotations, type KeepText, readResult, type ServerConfig, type ToolDefinition } from './messages.ts';
import { Server, type ServerOptions } from './server.ts';

export type McpOptions = Omit<
  ServerOptions,
  'name' | 'config' | 'onChange' | 'startTimeoutMs' | 'callTimeoutMs' | 'restartDelayMs'
> & {
  readonly servers: Readonly<Record<string, ServerConfig>>;
  /** Globs of tools that the user declares read-only. */
  readonly readOnly: readonly string[];
  /** Saves the full text of a large result. */
  readonly keep: KeepText;
  /** Called when a server's state or tools change. */
  readonly changed?: () => void;
  readonly startTimeoutMs?: number | undefined;
  readonly callTimeoutMs?: number;
  readonly restartDelayMs?: number;
};

/** Long, because npx may have to download. */
const START_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 120_000;
const RESTART_DELAY_MS = 1000;
/** How long a call waits for a starting server, in ms. */
const ARRIVAL_TIMEOUT_MS = 15_000;

type Known = { readonly server: Server; readonly tool: ToolDefinition };

export class McpServers implements ForeignTools {
  readonly servers: readonly Server[];
  readonly #options: McpOptions;
  readonly #byName = new Map<string, Known>();
  #specs: readonly ToolSpec[] = [];
  /** Schemas that have turned out to be unusable. */
  readonly #useless = new WeakSet<JsonObject>();
  /** Tools that the user enabled for this session. */
  readonly #enabled = new Set<string>();
  /** Each tool's definition when it was first seen. */
  readonly #firstSeen = new Map<string, string>();

  constructor(options: McpOptions) {
    this.#options = options;
    const { callTimeoutMs = CALL_TIMEOUT_MS, restartDelayMs = RESTART_DELAY_MS } = options;
    const startTimeoutMs = options.startTimeoutMs ?? START_TIMEOUT_MS;
    const common = { ...options, startTimeoutMs, callTimeoutMs, restartDelayMs, onChange: () => this.#collect() };
    this.servers = Object.entries(options.servers).map(([name, config]) => new Server({ ...common, name, config }));
  }

  get specs(): readonly ToolSpec[] {
    return this.#specs;
  }

  isEnabled(name: string): boolean {
    return this.#enabled.has(name);
  }

  /** From now on models get the tool's description, however many tools there are; false for an unknown name. */
  enable(name: string): boolean {
    if (!this.#byName.has(name)) return false;
    this.#enabled.add(name);
    return true;
  }

  /** Starts all servers; resolves when each is ready or has failed. */
  async start(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.start()));
  }

  /** Ends all servers in parallel. None of their processes survives. */
  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close()));
  }

  /** The user's directory has changed. */
  rootMoved(): void {
    for (const server of this.servers) server.rootMoved();
  }

  async arrived(name: string): Promise<void> {
    await this.servers.find((server) => name.startsWith(`${server.name}__`))?.settled(ARRIVAL_TIMEOUT_MS);
  }

  async refusal(name: string, args: JsonObject): Promise<string | undefined> {
    const found = this.#byName.get(name);
    if (!found) return undefined;
    if (found.server.state !== 'ready') return found.server.away;
    const { foreignProblemOf, isUseless } = await import('../validator.ts');
    const { parameters } = found.tool.spec;
    const problem = foreignProblemOf(parameters, args);
    if (isUseless(parameters)) this.#useless.add(parameters);
    return problem === undefined ? undefined : `invalid arguments for ${name}: ${problem}`;
  }

  facts(name: string): ToolFacts | undefined {
    const tool = this.#byName.get(name)?.tool;
    if (!tool) return undefined;
    return { definition: tool.digest, claims: tool.claims, changed: this.#firstSeen.get(name) !== tool.digest };
  }

  /** Returns why a tool's arguments are not checked here, if known. */
  unchecked(name: string): string | undefined {
    const tool = this.#byName.get(name)?.tool;
    if (!tool) return undefined;
    return tool.unchecked ?? (this.#useless.has(tool.spec.parameters) ? 'its schema can’t be used' : undefined);
  }

  onlyReads(name: string): boolean {
    return this.#byName.has(name) && matchesGlob(name, this.#options.readOnly);
  }

  /** The server's own statements about a tool. */
  annotations(name: string): Annotations | undefined {
    return this.#byName.get(name)?.tool.annotations;
  }

  async run(name: string, args: JsonObject, { signal, definition, onProgress }: ToolCallOptions): Promise<ToolOutcome> {
    const found = this.#byName.get(name);
    if (!found) return failed(`no tool is called ${name}`);
    const { server, tool } = found;
    if (definition !== undefined && definition !== tool.digest)
      return failed(`not run: ${name} was redefined after it was judged; call it again`);
    const answer = await server.call(tool.own, args, { signal, onProgress: onProgress ?? (() => {}) });
    return 'problem' in answer ? failed(answer.problem) : readResult(answer.raw, this.#options.keep);
  }

  #collect(): void {
    this.#byName.clear();
    for (const server of this.servers) {
      for (const tool of server.tools) {
        this.#byName.set(tool.spec.name, { server, tool });
        if (!this.#firstSeen.has(tool.spec.name)) this.#firstSeen.set(tool.spec.name, tool.digest);
      }
    }
    const next = [...this.#byName.values()].map(({ tool }) => tool.spec);
    if (next.length !== this.#specs.length || next.some((spec, index) => spec !== this.#specs[index]))
      this.#specs = next;
    this.#options.changed?.();
  }
}

function failed(text: string): ToolOutcome {
  return { text, failed: true };
}
