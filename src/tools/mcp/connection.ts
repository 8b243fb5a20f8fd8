/** One live connection to a server. The only place that speaks the protocol; loaded with the first server. */

import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ElicitRequestSchema,
  ErrorCode,
  ListRootsRequestSchema,
  McpError,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { FormAnswer } from '../../session/form.ts';
import { asArray, isJsonObject, isTooDeep, type JsonObject, MAX_JSON_DEPTH } from '../../text/json.ts';
import { HttpTransport } from './http-transport.ts';
import type { Launch, ServerConfig } from './messages.ts';
import { type Authorization, LoginNeeded } from './oauth/authorization.ts';
import { StdioTransport } from './stdio-transport.ts';

export type ConnectionOptions = {
  readonly config: ServerConfig;
  readonly version: string;
  readonly launch: Launch;
  readonly env: Readonly<Record<string, string>>;
  /** Where a child starts. */
  readonly cwd: string;
  /** The one root told to the server, asked at each question (MC-1). */
  readonly root: () => string;
  /** Of a server that may want a login. */
  readonly authorization?: Authorization | undefined;
  /** What it writes beside the protocol. */
  readonly onText: (text: string) => void;
  readonly onToolsChanged: () => void;
  /** It is gone; why, where that is known. Not called for what `close` ended. */
  readonly onGone: (why: string) => void;
  /** Gives up the start. */
  readonly signal: AbortSignal;
  /** A question of the server's to the user, as it came. */
  readonly elicit: (params: JsonObject, signal: AbortSignal) => Promise<FormAnswer>;
};

export type CallOptions = {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JsonObject) => void;
};

/** How long a start may take (npx may have to download), and a list of tools. In ms. */
const START_TIMEOUT_MS = 60_000;
const LIST_TIMEOUT_MS = 30_000;
const PING_TIMEOUT_MS = 5000;
/** Node's longest timer: the timeout of a call is the caller's. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_PAGES = 50;
/** Tools taken of one server. */
const MAX_TOOLS = 500;

export class Connection {
  readonly #client: Client;
  #closed = false;
  #probing = false;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Starts or reaches the server and shakes hands. Rejects with why not, and leaves nothing behind. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const transport = transportFor(options);
    const client = new Client(
      { name: 'aish-tui', version: options.version },
      // Without `sampling` such a request is answered as one that nobody knows (MC: refused).
      { capabilities: { roots: { listChanged: true }, elicitation: { form: {} } } },
    );
    const connection = new Connection(client);
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: [{ uri: pathToFileURL(options.root()).href, name: 'cwd' }],
    }));
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => {
      refuseDeep(params);
      return { ...(await options.elicit(params as JsonObject, signal)) };
    });
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => options.onToolsChanged());
    client.onerror = (error) => {
      options.onText(`[${error.message.slice(0, 300)}]\n`);
      if (error instanceof LoginNeeded) return;
      if (transport instanceof HttpTransport) connection.#probe(options);
    };
    const giveUp = () => void transport.close();
    options.signal.addEventListener('abort', giveUp, { once: true });
    try {
      options.signal.throwIfAborted();
      await client.connect(transport as Transport, { timeout: START_TIMEOUT_MS });
    } catch (error) {
      connection.#closed = true;
      await client.close().catch(() => {});
      await transport.close().catch(() => {});
      throw transport instanceof StdioTransport && transport.ending !== undefined ? new Error(transport.ending) : error;
    } finally {
      options.signal.removeEventListener('abort', giveUp);
    }
    client.onclose = () => {
      if (connection.#closed) return;
      connection.#closed = true;
      options.onGone((transport instanceof StdioTransport && transport.ending) || 'the connection has ended');
    };
    return connection;
  }

  /** What the server calls itself. */
  get title(): string {
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {};
    return `${name} ${version}`.trim();
  }

  /** All tools as they came, page by page; a server without tools has none. */
  async tools(): Promise<readonly unknown[]> {
    if (!this.#client.getServerCapabilities()?.tools) return [];
    const tools: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      // The library's own way of listing compiles the servers' schemas, which must not be done without a limit.
      const result = await this.#client.request({ method: 'tools/list', params }, ResultSchema, {
        timeout: LIST_TIMEOUT_MS,
      });
      tools.push(...asArray(result.tools).slice(0, MAX_TOOLS));
      if (typeof result.nextCursor !== 'string') break;
      cursor = result.nextCursor;
    }
    return tools.slice(0, MAX_TOOLS);
  }

  /** Calls a tool; rejects where there is no answer. An abort is told to the server. */
  async call(own: string, args: JsonObject, { signal, onProgress }: CallOptions): Promise<JsonObject> {
    const result = await this.#client.request(
      { method: 'tools/call', params: { name: own, arguments: args } },
      ResultSchema,
      { signal, timeout: MAX_TIMER_MS, onprogress: (progress) => onProgress({ ...progress }) },
    );
    refuseDeep(result);
    return isJsonObject(result) ? result : {};
  }

  /** Over HTTP nobody tells that a server is gone: after a fault it is asked whether it is there. */
  #probe({ onGone }: ConnectionOptions): void {
    if (this.#closed || this.#probing) return;
    this.#probing = true;
    void this.#client
      .ping({ timeout: PING_TIMEOUT_MS })
      .catch((error: unknown) => {
        // A time-out is an error of the same kind, though nobody has answered.
        const silent = error instanceof McpError && error.code === ErrorCode.RequestTimeout;
        // One that wants a login is there; what asks next tells that.
        if (this.#closed || (isAnswer(error) && !silent) || loginWanted(error) !== undefined) return;
        this.#closed = true;
        onGone(reasonOf(error));
        void this.#client.close().catch(() => {});
      })
      .finally(() => {
        this.#probing = false;
      });
  }

  rootMoved(): void {
    void this.#client.sendRootsListChanged().catch(() => {});
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client.close().catch(() => {});
  }
}

/** Whether the server itself has answered with an error, which leaves the connection as good as it was. */
export function isAnswer(error: unknown): boolean {
  return error instanceof McpError;
}

/** The rights that a login must have and has not, '' for any login at all; undefined where none is wanted. */
export function loginWanted(error: unknown): string | undefined {
  return error instanceof LoginNeeded ? (error.missing ?? '') : undefined;
}

/** What went wrong, in the words nearest to its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const code = error instanceof StreamableHTTPError && error.code !== undefined ? `HTTP ${error.code}: ` : '';
  const message = error.message.replace(/^(?:Streamable HTTP error: |Error POSTing to endpoint: )+/, '');
  return `${code}${message}${cause instanceof Error ? ` (${cause.message})` : ''}`;
}

/** Whatever reads such an answer walks through it. */
function refuseDeep(answer: unknown): void {
  if (isTooDeep(answer))
    throw new McpError(ErrorCode.InternalError, `its answer is nested more than ${MAX_JSON_DEPTH} levels deep`);
}

function transportFor(options: ConnectionOptions): StdioTransport | HttpTransport {
  const { config, launch, env, cwd, onText } = options;
  if ('url' in config) return new HttpTransport(config.url, config.headers ?? {}, options.authorization);
  const started = launch([config.command, ...(config.args ?? [])], { ...env, ...config.env });
  return new StdioTransport({ ...started, cwd, onText });
}
