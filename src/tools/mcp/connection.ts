/** One live connection to a server. The only place that speaks the protocol; loaded with the first server. */

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
  /** How long a start may take. In ms. */
  readonly startTimeoutMs: number;
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

/** How long a list of tools may take. In ms. */
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
  return new StdioTransport({ ...started, cwd: config.cwd ?? cwd, onText });
}

// A server over streamable HTTP. Redirects to another origin are not followed: headers may hold secrets.

/** The longest answer taken to one request, in bytes. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;
/** No other try will help. */
const OLD_SSE =
  'could not start: it speaks only the old SSE transport (2024-11-05), which aish-tui does not; look for its streamable HTTP address, often ending in /mcp';
/** How long it may take to show that. In ms. */
const OLD_SSE_TIMEOUT_MS = 3000;

/** Whether an address that takes no message is one of a server of the old kind: there a GET begins a stream. */
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

/** How long a server may take to be told of the end. In ms. */
const CLOSE_TIMEOUT_MS = 1000;

class HttpTransport extends StreamableHTTPClientTransport {
  /** @param authorization of a server that may want a login */
  constructor(url: string, headers: Readonly<Record<string, string>>, authorization?: Authorization) {
    const bounded = authorization?.fetch(boundedFetch) ?? boundedFetch;
    const answers = new LongAnswers();
    const fetch: FetchLike = async (from, init) => answers.of(await bounded(from, init));
    super(new URL(url), { requestInit: { headers }, fetch });
    // The client sets its own later; what it is handed is the message, not what stood for it.
    let take: typeof this.onmessage;
    Object.defineProperty(this, 'onmessage', {
      get: () => take,
      set: (next: typeof this.onmessage) => {
        take = next && ((message: JSONRPCMessage) => next(answers.restored(message)));
      },
    });
  }

  /** Ends the session on the server as well, where it answers soon. */
  override async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    });
    await Promise.race([this.terminateSession().catch(() => {}), late]).finally(() => clearTimeout(timer));
    await super.close();
  }
}

/** Each answer is bounded; the long-lived stream of a GET carries many and is not. */
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

// A server that is a child of this program: MCP messages as lines on its standard input and output.

/** The longest message taken, in bytes. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
/** How long a server may take to leave once its input is closed, and once more after SIGTERM. In ms. */
const EXIT_TIMEOUT_MS = 800;
/** What was printed last arrives a moment after the exit. In ms. */
const DRAIN_TIMEOUT_MS = 200;
const MAX_GARBAGE_CHARS = 200;
const LF = 0x0a;

type StdioOptions = {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What it writes beside the protocol: its standard error, and what is no message on its standard output. */
  readonly onText: (text: string) => void;
};

/**
 * The library's own transport copies everything anew with each piece of a long message, ends with its child alone and
 * not with what the child has started, and may take 4 s to close. This one owns a process group of its own.
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
  /** A long message that is being read: those behind it wait, so that they stay in order. */
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
    // A server that is gone takes nothing; its end is told by `exit`.
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

  /** Closes its input, then asks, then kills, within two times `CLOSE_TIMEOUT_MS`. Nothing it started stays behind. */
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

  /** Its end, once: whatever is left of its group goes with it. */
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
      // Nobody is left.
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
