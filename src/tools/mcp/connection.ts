/** One live connection to an MCP server. The only user of the MCP protocol library; loaded with the first server. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ElicitRequestSchema,
  ErrorCode,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  ListRootsRequestSchema,
  McpError,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { FormAnswer } from '../../session/form.ts';
import { asArray, isJsonObject, isTooDeep, type JsonObject, MAX_JSON_DEPTH } from '../../text/json.ts';
import { joined, LONG_BYTES, LongAnswers, parseLongJson, withObjectResult } from './long-json.ts';
import type { Launch, ServerConfig } from './messages.ts';
import { type Authorization, LoginNeeded } from './oauth/authorization.ts';

export type ConnectionOptions = {
  readonly config: ServerConfig;
  readonly version: string;
  /** The time limit of a start, in ms. */
  readonly startTimeoutMs: number;
  readonly launch: Launch;
  readonly env: Readonly<Record<string, string>>;
  /** The working directory of a local server. */
  readonly cwd: string;
  /** Returns the one root for the server, at each request (MC-1). */
  readonly root: () => string;
  /** For a server that may require a login. */
  readonly authorization?: Authorization | undefined;
  /** Called with output that is not part of the protocol. */
  readonly onText: (text: string) => void;
  readonly onToolsChanged: () => void;
  /** The connection was lost; the reason, if known. Not called after `close`. */
  readonly onGone: (why: string) => void;
  /** Aborts the start. */
  readonly signal: AbortSignal;
  /** A request of the server to the user, unchecked. */
  readonly elicit: (params: JsonObject, signal: AbortSignal) => Promise<FormAnswer>;
};

export type CallOptions = {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JsonObject) => void;
};

/** The time limit of a list of tools, in ms. */
const LIST_TIMEOUT_MS = 30_000;
const PING_TIMEOUT_MS = 5000;
/** Node's longest timer: the caller controls the timeout of a call. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const MAX_PAGES = 50;
/** How many tools of one server are used. */
const MAX_TOOLS = 500;

export class Connection {
  readonly #client: Client;
  #closed = false;
  #probing = false;

  private constructor(client: Client) {
    this.#client = client;
  }

  /** Starts or contacts the server and performs the handshake. Rejects with the reason, and leaves nothing behind. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const transport = transportFor(options);
    const client = new Client(
      { name: 'aish-tui', version: options.version },
      // Without the `sampling` capability the library rejects such requests (MC: refused).
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
      await client.connect(transport as Transport, { timeout: options.startTimeoutMs });
    } catch (error) {
      connection.#closed = true;
      await client.close().catch(() => {});
      await transport.close().catch(() => {});
      if (transport instanceof StdioTransport && transport.ending !== undefined) throw new Error(transport.ending);
      throw 'url' in options.config && (await isOldSse(options.config, error)) ? new Error(OLD_SSE) : error;
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

  /** The server's own name. */
  get title(): string {
    const { name = '', version = '' } = this.#client.getServerVersion() ?? {};
    return `${name} ${version}`.trim();
  }

  /** Returns all tools unchecked, page by page; none for a server without tools. */
  async tools(): Promise<readonly unknown[]> {
    if (!this.#client.getServerCapabilities()?.tools) return [];
    const tools: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      // The library's own list function compiles the servers' schemas without any limit.
      const result = await this.#client.request({ method: 'tools/list', params }, ResultSchema, {
        timeout: LIST_TIMEOUT_MS,
      });
      tools.push(...asArray(result.tools).slice(0, MAX_TOOLS));
      if (typeof result.nextCursor !== 'string') break;
      cursor = result.nextCursor;
    }
    return tools.slice(0, MAX_TOOLS);
  }

  /** Calls a tool; rejects without an answer. The server is told about an abort. */
  async call(own: string, args: JsonObject, { signal, onProgress }: CallOptions): Promise<JsonObject> {
    const result = await this.#client.request(
      { method: 'tools/call', params: { name: own, arguments: args } },
      ResultSchema,
      { signal, timeout: MAX_TIMER_MS, onprogress: (progress) => onProgress({ ...progress }) },
    );
    refuseDeep(result);
    return isJsonObject(result) ? result : {};
  }

  /** HTTP does not report a lost server, so ask after a fault whether the server still answers. */
  #probe({ onGone }: ConnectionOptions): void {
    if (this.#closed || this.#probing) return;
    this.#probing = true;
    void this.#client
      .ping({ timeout: PING_TIMEOUT_MS })
      .catch((error: unknown) => {
        // A timeout has the same error class, though nobody has answered.
        const silent = error instanceof McpError && error.code === ErrorCode.RequestTimeout;
        // A server that requires a login does answer; the next request reports the login.
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

/** Whether the server itself answered with an error, after which the connection is still usable. */
export function isAnswer(error: unknown): boolean {
  return error instanceof McpError;
}

/** Returns the scopes that a login lacks, '' for any login at all; undefined if none is required. */
export function loginWanted(error: unknown): string | undefined {
  return error instanceof LoginNeeded ? (error.missing ?? '') : undefined;
}

/** Returns the reason of an error, as close to its cause as possible. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const code = error instanceof StreamableHTTPError && error.code !== undefined ? `HTTP ${error.code}: ` : '';
  const message = error.message.replace(/^(?:Streamable HTTP error: |Error POSTing to endpoint: )+/, '');
  return `${code}${message}${cause instanceof Error ? ` (${cause.message})` : ''}`;
}

/** Rejects deeply nested answers, because all readers are recursive. */
function refuseDeep(answer: unknown): void {
  if (isTooDeep(answer))
    throw new McpError(ErrorCode.InternalError, `its answer is nested more than ${MAX_JSON_DEPTH} levels deep`);
}

function transportFor(options: ConnectionOptions): StdioTransport | HttpTransport {
  const { config, launch, env, cwd, onText } = options;
  if ('url' in config) return new HttpTransport(config.url, config.headers ?? {}, options.authorization);
  const started = launch([config.command, ...(config.args ?? [])], { ...env, ...config.env });
  return new StdioTransport({ ...started, cwd: config.cwd ?? cwd, onText });
}

// The streamable HTTP transport. It follows no redirects to another origin, because headers may contain secrets.

const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
/** A retry is pointless. */
const OLD_SSE =
  'could not start: it speaks only the old SSE transport (2024-11-05), which aish-tui does not; look for its streamable HTTP address, often ending in /mcp';
/** The time limit of that check, in ms. */
const OLD_SSE_TIMEOUT_MS = 3000;

/** Whether an address that rejects messages belongs to an old server, where a GET starts a stream. */
async function isOldSse(config: Extract<ServerConfig, { url: string }>, error: unknown) {
  if (!(error instanceof StreamableHTTPError) || ![400, 404, 405].includes(error.code ?? 0)) return false;
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), OLD_SSE_TIMEOUT_MS);
  try {
    const headers = { ...config.headers, accept: 'text/event-stream' };
    const {
      ok,
      headers: answered,
      body,
    } = await fetch(config.url, { headers, redirect: 'manual', signal: end.signal });
    if (!ok || !body || !answered.get('content-type')?.startsWith('text/event-stream')) return false;
    for await (const piece of body) return /^event: *endpoint/m.test(Buffer.from(piece).toString('utf8'));
    return false;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    end.abort();
  }
}

/** How long to wait for the server when ending its session, in ms. */
const CLOSE_TIMEOUT_MS = 1000;

class HttpTransport extends StreamableHTTPClientTransport {
  /** @param authorization for a server that may require a login */
  constructor(url: string, headers: Readonly<Record<string, string>>, authorization?: Authorization) {
    const bounded = authorization?.fetch(boundedFetch) ?? boundedFetch;
    const answers = new LongAnswers();
    const fetch: FetchLike = async (from, init) => answers.of(await bounded(from, init));
    super(new URL(url), { requestInit: { headers }, fetch });
    // The client sets its own handler later. Pass it the original message instead of the stand-in.
    let take: typeof this.onmessage;
    Object.defineProperty(this, 'onmessage', {
      get: () => take,
      set: (next: typeof this.onmessage) => {
        take = next && ((message: JSONRPCMessage) => next(answers.restored(message)));
      },
    });
  }

  /** Also ends the session on the server, if the server answers soon. */
  override async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    });
    await Promise.race([this.terminateSession().catch(() => {}), late]).finally(() => clearTimeout(timer));
    await super.close();
  }
}

/** Limits each answer; the long-lived stream of a GET contains many answers and is not limited. */
const boundedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  if (!response.body || init?.method === 'GET') return response;
  let left = MAX_ANSWER_BYTES;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      left -= piece.length;
      if (left < 0) controller.error(new Error(`it answered more than ${MAX_ANSWER_BYTES / 1024 / 1024} MB`));
      else controller.enqueue(piece);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
};

// A server that is a child process: MCP messages as lines on its standard input and output.

const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
/** How long a server may take to end after its input closes, and again after SIGTERM. In ms. */
const EXIT_TIMEOUT_MS = 800;
/** The last output arrives a moment after the exit. In ms. */
const DRAIN_TIMEOUT_MS = 200;
const MAX_GARBAGE_CHARS = 200;
const LF = 0x0a;

type StdioOptions = {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Called with standard error, and with lines of standard output that are not messages. */
  readonly onText: (text: string) => void;
};

/**
 * A transport over standard input and output. The library's own transport copies a long message again with each piece,
 * ends only its child and not that child's children, and may take 4 s to close. This transport has its own process
 * group.
 */
class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** How it ended, in a few words. */
  ending: string | undefined;
  readonly #options: StdioOptions;
  #child: ChildProcessWithoutNullStreams | undefined;
  #ended = Promise.withResolvers<void>();
  #closed = false;
  #pieces: Buffer[] = [];
  /** A long message is being parsed; later ones wait, to keep their order. */
  #reading: Promise<void> | undefined;
  #waiting = 0;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  start(): Promise<void> {
    const [file, ...args] = this.#options.argv;
    const { cwd, env, onText } = this.#options;
    const child = spawn(file, args, { cwd, env, detached: true, stdio: 'pipe' });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', onText);
    child.stdout.on('data', (data: Buffer) => this.#take(data));
    // Ignore write errors of an ended server; `exit` reports its end.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {});
    child.on('exit', (code, signal) => {
      this.ending ??= signal ? `ended by ${signal}` : `ended with exit ${code}`;
      const timer = setTimeout(() => this.#end(), DRAIN_TIMEOUT_MS);
      child.once('close', () => {
        clearTimeout(timer);
        this.#end();
      });
    });
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.ending ??= error.message;
        this.#end();
        reject(error);
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (!child || this.#closed) return Promise.reject(new Error('the server has exited'));
    return new Promise((resolve) => {
      child.stdin.write(serializeMessage(message), () => resolve());
    });
  }

  /** Closes its input, then asks, then kills, within twice `EXIT_TIMEOUT_MS`. None of its processes survives. */
  async close(): Promise<void> {
    if (!this.#child || this.#closed) return;
    this.#child.stdin.end();
    if (!(await this.#gone())) this.#signal('SIGTERM');
    if (!(await this.#gone())) this.#end();
  }

  #gone(): Promise<boolean> {
    if (this.#closed) return Promise.resolve(true);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), EXIT_TIMEOUT_MS);
    });
    return Promise.race([this.#ended.promise.then(() => true), late]).finally(() => clearTimeout(timer));
  }

  /** Handles its end once; ends the rest of its process group. */
  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#signal('SIGKILL');
    const child = this.#child;
    for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy();
    this.#pieces = [];
    this.#ended.resolve();
    this.onclose?.();
  }

  #signal(name: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, name);
    } catch {
      // No process is left.
    }
  }

  #take(data: Buffer): void {
    let from = 0;
    for (let at = data.indexOf(LF); at >= 0 && !this.#closed; at = data.indexOf(LF, from)) {
      this.#pieces.push(data.subarray(from, at));
      from = at + 1;
      const pieces = this.#pieces;
      const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
      this.#pieces = [];
      this.#waiting = 0;
      this.#message(pieces, bytes);
    }
    if (this.#closed || from === data.length) return;
    this.#pieces.push(data.subarray(from));
    this.#waiting += data.length - from;
    if (this.#waiting <= MAX_MESSAGE_BYTES) return;
    this.ending = `stopped: it sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB`;
    this.#end();
  }

  #message(pieces: readonly Buffer[], bytes: number): void {
    if (bytes < LONG_BYTES && !this.#reading) return this.#line(Buffer.concat(pieces).toString('utf8'));
    const before = this.#reading ?? Promise.resolve();
    const reading = before
      .then(() => this.#long(pieces))
      .finally(() => {
        if (this.#reading === reading) this.#reading = undefined;
      });
    this.#reading = reading;
  }

  async #long(pieces: readonly Buffer[]): Promise<void> {
    const line = await joined(pieces);
    try {
      const message = JSONRPCMessageSchema.parse(withObjectResult(await parseLongJson(line)));
      if (!this.#closed) this.onmessage?.(message);
    } catch {
      this.#garbage(line.toString('utf8', 0, MAX_GARBAGE_CHARS));
    }
  }

  #line(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = JSONRPCMessageSchema.parse(withObjectResult(JSON.parse(line)));
    } catch {
      this.#garbage(line);
      return;
    }
    this.onmessage?.(message);
  }

  #garbage(line: string): void {
    if (line.trim() !== '') this.#options.onText(`[no message: ${line.slice(0, MAX_GARBAGE_CHARS)}]\n`);
  }
}
