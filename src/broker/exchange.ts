/** Sends one request to a model server with Node's own HTTP client, because `fetch` uses three times the CPU time. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { type JsonObject, parseJson } from '../text/json.ts';
import { agentFor } from './agent.ts';
import { asObject } from './json.ts';

/** Milliseconds to connect; a running server accepts at once, however long its answer takes. */
const CONNECT_MS = 10_000;
/** How many bytes of an error's body are read; the message fits one line. */
const MAX_ERROR_BYTES = 64 * 1024;
/** Statuses without a body by definition. */
const BODILESS = new Set([204, 205, 304]);

type ToSend = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
};

/** The body of an answer. Read it to its end or destroy it: until then it occupies the connection. */
export type Bytes = Readable;

type Exchanged = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly bytes: Bytes };

/**
 * Sends one request and resolves when the answer starts. Does not follow redirects: the conversation goes only where
 * the user said. Rejects with the system's error or an `AbortError`.
 */
export async function exchange(address: string | URL, { method, headers, body, signal }: ToSend): Promise<Exchanged> {
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') throw new TypeError('an address must not contain a user or password');
  const secure = url.protocol === 'https:';
  // An import would also load Node's whole web client.
  const { request: send } = process.getBuiltinModule(secure ? 'node:https' : 'node:http');
  const agent = agentFor(url);
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(url, { method, headers, signal, ...(agent && { agent }) });
    const late = () => request.destroy(Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' }));
    // Starts before the socket exists: a proxy provides none until it has reached the server.
    const timer = setTimeout(late, CONNECT_MS);
    request.once('close', () => clearTimeout(timer));
    request.on('response', resolve).on('error', reject);
    // Without a listener Node would silently end a request whose server switches protocols.
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('the server answered in another protocol'));
    });
    request.on('socket', (socket) => {
      if (!socket.connecting) return clearTimeout(timer);
      const stands = secure ? 'secureConnect' : 'connect';
      for (const event of [stands, 'close']) socket.once(event, () => clearTimeout(timer));
    });
    request.end(body);
  });
  return { status: message.statusCode ?? 0, headers: message.headers, bytes: unpacked(message) };
}

type Zlib = typeof import('node:zlib');

/** We request no compression, but a proxy may compress anyway. */
const UNPACK: Readonly<Record<string, (zlib: Zlib) => Transform>> = {
  gzip: ({ createGunzip, constants }) => createGunzip({ flush: constants.Z_SYNC_FLUSH }),
  'x-gzip': ({ createGunzip, constants }) => createGunzip({ flush: constants.Z_SYNC_FLUSH }),
  deflate: ({ createInflate, constants }) => createInflate({ flush: constants.Z_SYNC_FLUSH }),
  br: ({ createBrotliDecompress, constants }) => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
};

function unpacked(message: IncomingMessage): Bytes {
  const unpack = UNPACK[message.headers['content-encoding']?.trim().toLowerCase() ?? ''];
  // A broken connection ends the decompression with its error.
  return unpack ? pipeline(message, unpack(process.getBuiltinModule('node:zlib')), () => {}) : message;
}

/** Returns the first `maxBytes` bytes of an answer as text. Rejects if the connection breaks. */
export async function beginningOf(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes) {
    parts.push(piece);
    size += piece.byteLength;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(parts).toString('utf8', 0, maxBytes);
}

/**
 * Bodies of answers, by the response that the library got: reading Node's stream directly avoids a web stream on top.
 */
const unread = new WeakMap<Response, Bytes>();

/** Returns the body of an answer from `fetchForLibrary`. */
export function bytesOf(response: Response): Bytes {
  const bytes = unread.get(response);
  if (!bytes) throw new TypeError('the reply has no readable body');
  return bytes;
}

/** As much of `fetch` as the client library needs. An error's body is read at once, and only its beginning. */
export async function fetchForLibrary(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const body = init.body ?? undefined;
  if (body !== undefined && typeof body !== 'string') throw new TypeError('a body that is no text is not sent');
  const { status, headers, bytes } = await exchange(input instanceof Request ? input.url : input, {
    method: init.method ?? 'GET',
    headers: Object.fromEntries(new Headers(init.headers)),
    ...(body !== undefined && { body }),
    signal: init.signal ?? new AbortController().signal,
  });
  const answered = status >= 200 && status < 300;
  const text = answered || BODILESS.has(status) ? null : await beginningOf(bytes, MAX_ERROR_BYTES);
  const response = new Response(text, {
    status,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
  });
  if (answered) unread.set(response, bytes);
  else bytes.destroy();
  return response;
}

export type JsonAnswer = {
  /** The server answered, with any status. */
  readonly answered: boolean;
  readonly status: number;
  readonly body: JsonObject | undefined;
};

const NOTHING: JsonAnswer = { answered: false, status: 0, body: undefined };
/** OpenRouter's list of models is about half a megabyte. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Sends a small request to a server: JSON in, JSON out, with a timeout in ms. Never rejects. */
export async function requestJson(
  url: string,
  options: {
    signal: AbortSignal;
    timeoutMs: number;
    key?: string | undefined;
    headers?: Readonly<Record<string, string>>;
    post?: JsonObject;
  },
): Promise<JsonAnswer> {
  const { signal, timeoutMs, key, headers: more = {}, post } = options;
  try {
    const { status, bytes } = await exchange(url, {
      method: post ? 'POST' : 'GET',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: {
        ...(post && { 'content-type': 'application/json' }),
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name.toLowerCase(), value])),
      },
      ...(post && { body: JSON.stringify(post) }),
    });
    return { answered: true, status, body: asObject(parseJson(await beginningOf(bytes, MAX_BODY_BYTES))) };
  } catch {
    return NOTHING;
  }
}
