/**
 * Long messages over HTTP, read in pieces as those over pipes are. The library parses an answer in one go; so it is given
 * a short stand-in for each long event, and the message takes its place again when it comes out.
 */
import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject } from '../../text/json.ts';
import { joined, LONG_BYTES, parseLongJson } from './long-json.ts';

const LF = 0x0a;
const DATA = Buffer.from('data:');

type Json = Readonly<Record<string, unknown>>;

export class LongAnswers {
  /** No server can guess it. */
  readonly #key = randomUUID();
  readonly #messages = new Map<string, Json>();

  /** The same answer, with stand-ins where it is long. */
  of(response: Response): Response {
    const { body, status, statusText, headers } = response;
    const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (!body) return response;
    if (type === 'application/json') {
      const json = async () => {
        const pieces: Uint8Array[] = [];
        await body.pipeTo(new WritableStream({ write: (piece: Uint8Array) => void pieces.push(piece) }));
        return parseLongJson(await joined(pieces));
      };
      return Object.defineProperty(response, 'json', { value: json });
    }
    if (type !== 'text/event-stream') return response;
    return new Response(body.pipeThrough(this.#events()), { status, statusText, headers });
  }

  /** The message that `message` stands for; itself where it stands for none. */
  restored(message: JSONRPCMessage): JSONRPCMessage {
    const { result, params, id } = message as Json;
    const place = [result, params].find((value) => isJsonObject(value) && typeof value[this.#key] === 'string');
    if (!isJsonObject(place)) return message;
    const token = String(place[this.#key]);
    const full = this.#messages.get(token);
    this.#messages.delete(token);
    // The library may have given it the id of the request that it answers.
    return full ? ({ ...full, ...(id === undefined ? {} : { id }) } as JSONRPCMessage) : message;
  }

  /** Passes lines on as they are, but for long ones with data. */
  #events(): TransformStream<Uint8Array, Uint8Array> {
    let pieces: Uint8Array[] = [];
    const line = async (controller: TransformStreamDefaultController<Uint8Array>, end: Uint8Array) => {
      const whole = pieces;
      pieces = [];
      const bytes = whole.reduce((sum, piece) => sum + piece.length, 0);
      const text = bytes < LONG_BYTES ? undefined : await this.#standIn(await joined(whole));
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
      // What is no JSON, or too much beside its texts, is the library's to refuse; bounded, so that it does so at once.
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
