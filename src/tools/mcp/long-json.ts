/** Parses JSON with very long strings in pieces, so that no key press waits for a message of 50 MB. */

import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject } from '../../text/json.ts';

export type PieceSizes = {
  /** Strings of this length are taken out and decoded separately. In bytes. */
  readonly long: number;
  /** How many bytes are decoded per turn of the event loop. */
  readonly piece: number;
  /** How many bytes may remain without those strings, because they are parsed in one go. */
  readonly rest: number;
};

const SIZES: PieceSizes = { long: 64 * 1024, piece: 512 * 1024, rest: 8 * 1024 * 1024 };
/** Longer messages are parsed in pieces. In bytes. */
export const LONG_BYTES = 256 * 1024;
/** How many bytes are copied per turn of the event loop. */
const TURN_BYTES = 4 * 1024 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** The length of an escape such as `\u1234`. */
const LONGEST_ESCAPE = 6;
/** How many strings to process between two looks at the clock, and the length of a turn in ms. */
const TEXTS_AT_ONCE = 500;
const TURN_MS = 8;

/** Returns the value. Throws a SyntaxError for invalid JSON, and if too much of it is not strings. */
export async function parseLongJson(bytes: Buffer, sizes: PieceSizes = SIZES): Promise<unknown> {
  const rest: Buffer[] = [];
  const texts: string[] = [];
  // The placeholder of a long string can't occur in the input: it is longer than any remaining string.
  const filler = 'x'.repeat(sizes.long);
  let restBytes = 0;
  let from = 0;
  let count = 0;
  let began = performance.now();
  for (let open = bytes.indexOf(QUOTE); open >= 0; ) {
    const close = endOfText(bytes, open + 1);
    if (close - open - 1 >= sizes.long && !isKey(bytes, close + 1)) {
      rest.push(bytes.subarray(from, open), Buffer.from(`"${filler}${texts.length}"`));
      restBytes += open - from;
      from = close + 1;
      texts.push(await decoded(bytes.subarray(open + 1, close), sizes.piece));
    }
    open = bytes.indexOf(QUOTE, close + 1);
    count += 1;
    if (count % TEXTS_AT_ONCE === 0 && performance.now() - began > TURN_MS) {
      await turn();
      began = performance.now();
    }
  }
  if (restBytes + bytes.length - from > sizes.rest) throw new SyntaxError('it is too long beside its texts');
  rest.push(bytes.subarray(from));
  return withTexts(JSON.parse(Buffer.concat(rest).toString('utf8')), (text) =>
    text.length > sizes.long && text.startsWith(filler) ? texts[Number(text.slice(sizes.long))] : undefined,
  );
}

/**
 * Returns the message with an object as its result. The library rejects `null` or a bare string as a message, so that
 * the call would wait forever.
 */
export function withObjectResult(message: unknown): unknown {
  if (!isJsonObject(message) || message.id === undefined || message.result === undefined) return message;
  const { result } = message;
  if (isJsonObject(result)) return message;
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  return { ...message, result: result === null ? {} : { content: [{ type: 'text', text }] } };
}

/** The same for a line of an event stream that contains data. */
function withObjectLine(line: Buffer): readonly Uint8Array[] | undefined {
  if (!line.subarray(0, DATA.length).equals(DATA)) return undefined;
  const text = line.toString('utf8', DATA.length);
  if (!/"result"\s*:\s*[^\s{]/.test(text)) return undefined;
  try {
    return [DATA, Buffer.from(JSON.stringify(withObjectResult(JSON.parse(text))))];
  } catch {
    return undefined;
  }
}

/** Returns the closing quote of the string that starts at `from`. */
function endOfText(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let before = at;
    while (before > from && bytes[before - 1] === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  throw new SyntaxError('a text without its end');
}

/** Whether the string before `at` is an object key: keys stay, and don't count as text. */
function isKey(bytes: Buffer, at: number): boolean {
  let after = at;
  while (BLANKS.has(bytes[after] ?? 0)) after += 1;
  return bytes[after] === COLON;
}

/** Decodes the text between the quotes, one piece per turn. */
async function decoded(bytes: Buffer, piece: number): Promise<string> {
  let text = '';
  for (let from = 0; from < bytes.length; ) {
    const to = cutBefore(bytes, from, Math.min(from + piece, bytes.length));
    const part: unknown = JSON.parse(`"${bytes.toString('utf8', from, to)}"`);
    text += String(part);
    from = to;
    await turn();
  }
  return text;
}

/** Returns the last position up to `to` that splits neither a character nor an escape. */
function cutBefore(bytes: Buffer, from: number, to: number): number {
  if (to === bytes.length) return to;
  let cut = to;
  while (((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
  // The last escape that could cross the position.
  const slash = bytes.subarray(Math.max(from, cut - LONGEST_ESCAPE), cut).lastIndexOf(BACKSLASH);
  if (slash < 0) return cut;
  const last = Math.max(from, cut - LONGEST_ESCAPE) + slash;
  let first = last;
  while (first > from && bytes[first - 1] === BACKSLASH) first -= 1;
  // In an even run of backslashes each second one is escaped.
  if ((last - first) % 2 === 1) return cut;
  const length = bytes[last + 1] === 0x75 ? LONGEST_ESCAPE : 2;
  return last + length > cut ? last : cut;
}

/** Replaces strings in the value for which `other` returns one, in place. */
function withTexts(value: unknown, other: (text: string) => string | undefined): unknown {
  if (typeof value === 'string') return other(value) ?? value;
  const open: unknown[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (Array.isArray(one)) for (const [at, item] of one.entries()) put(one, at, item);
    else if (isJsonObject(one)) for (const [key, item] of Object.entries(one)) put(one, key, item);
  }
  return value;

  function put(within: object, key: string | number, item: unknown): void {
    if (typeof item === 'object' && item !== null) open.push(item);
    const text = typeof item === 'string' ? other(item) : undefined;
    if (text !== undefined)
      Object.defineProperty(within, key, { value: text, enumerable: true, writable: true, configurable: true });
  }
}

/** Joins the pieces, a few megabytes per turn. */
export async function joined(pieces: readonly Uint8Array[]): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  let turnAt = TURN_BYTES;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
    if (at < turnAt) continue;
    turnAt = at + TURN_BYTES;
    await turn();
  }
  return whole;
}

// Parses long messages over HTTP in pieces, like those over pipes. The library parses an answer in one go, so it gets
// a short stand-in for each long event, which is exchanged for the message when it comes out.

const LF = 0x0a;
const DATA = Buffer.from('data:');

type Json = Readonly<Record<string, unknown>>;

export class LongAnswers {
  /** A random key, which a server can't guess. */
  readonly #key = randomUUID();
  readonly #messages = new Map<string, Json>();

  /** Returns the answer with stand-ins for long events. */
  of(response: Response): Response {
    const { body, status, statusText, headers } = response;
    const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (!body) return response;
    if (type === 'application/json') {
      const json = async () => {
        const pieces: Uint8Array[] = [];
        await body.pipeTo(new WritableStream({ write: (piece: Uint8Array) => void pieces.push(piece) }));
        return withObjectResult(await parseLongJson(await joined(pieces)));
      };
      return Object.defineProperty(response, 'json', { value: json });
    }
    if (type !== 'text/event-stream') return response;
    return new Response(body.pipeThrough(this.#events()), { status, statusText, headers });
  }

  /** Returns the message for a stand-in; other messages unchanged. */
  restored(message: JSONRPCMessage): JSONRPCMessage {
    const { result, params, id } = message as Json;
    const place = [result, params].find((value) => isJsonObject(value) && typeof value[this.#key] === 'string');
    if (!isJsonObject(place)) return message;
    const token = String(place[this.#key]);
    const full = this.#messages.get(token);
    this.#messages.delete(token);
    // The library may have set the id of the request that it answers.
    return full ? ({ ...full, ...(id === undefined ? {} : { id }) } as JSONRPCMessage) : message;
  }

  /** Passes lines on unchanged, except long ones with data. */
  #events(): TransformStream<Uint8Array, Uint8Array> {
    let pieces: Uint8Array[] = [];
    const line = async (controller: TransformStreamDefaultController<Uint8Array>, end: Uint8Array) => {
      const whole = pieces;
      pieces = [];
      const bytes = whole.reduce((sum, piece) => sum + piece.length, 0);
      const text = bytes < LONG_BYTES ? withObjectLine(Buffer.concat(whole)) : await this.#standIn(await joined(whole));
      for (const piece of text ?? whole) controller.enqueue(piece);
      if (end.length > 0) controller.enqueue(end);
    };
    return new TransformStream({
      transform: async (chunk, controller) => {
        let from = 0;
        for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
          pieces.push(chunk.subarray(from, at));
          from = at + 1;
          await line(controller, chunk.subarray(at, from));
        }
        if (from < chunk.length) pieces.push(chunk.subarray(from));
      },
      flush: (controller) => line(controller, new Uint8Array()),
    });
  }

  async #standIn(line: Buffer): Promise<readonly Uint8Array[] | undefined> {
    if (!line.subarray(0, DATA.length).equals(DATA)) return undefined;
    let message: unknown;
    try {
      message = await parseLongJson(line.subarray(DATA.length));
    } catch {
      // Let the library reject invalid JSON, in a short form so that it does so at once.
      return [Buffer.from('data: too long')];
    }
    if (!isJsonObject(message)) return undefined;
    const token = randomUUID();
    this.#messages.set(token, message);
    const { jsonrpc, id, method } = message;
    const place = { [this.#key]: token };
    const short = {
      jsonrpc,
      ...(id === undefined ? {} : { id }),
      ...(method === undefined ? { result: place } : { method, params: place }),
    };
    return [Buffer.from(`data: ${JSON.stringify(short)}`)];
  }
}
