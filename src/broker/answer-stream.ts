/** Reads a server's answer: server-sent events or one JSON body, every part of it bounded while it is read (RE-6). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseBoundedJson, parseJson } from '../text/json.ts';
import { bytesOf } from './exchange.ts';
import { LineSplitter } from './line-splitter.ts';
import { piecesOf } from './pieces.ts';

/** Bytes of one answer, overhead included; far beyond any real one. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Bytes of one event or of a whole JSON body: a reply with the largest arguments that are taken is a fraction of it. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;
/** Bytes that are read in one go: of a server that pours without end a socket gives megabytes before a key is looked at. */
const TURN_BYTES = 64 * 1024;

/** An answer of a kind that can't be read as a chat answer. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

export class AnswerReader {
  readonly #onBytes: () => void;
  #done = false;

  /** @param onBytes told of every piece, keep-alive comments included: a server that sends them is alive */
  constructor(onBytes: () => void) {
    this.#onBytes = onBytes;
  }

  /** The server ended its stream with `[DONE]`. */
  get done(): boolean {
    return this.#done;
  }

  /** The parsed chunks of an answer, whatever form it has. Throws `AnswerError`, or `SyntaxError` for what is no JSON. */
  async *chunks(response: Response): AsyncGenerator<unknown> {
    const type = response.headers.get('content-type') ?? '';
    if (type.includes('html')) {
      bytesOf(response).destroy();
      throw new AnswerError('a web page; base_url usually ends in /v1');
    }
    if (type.includes('json')) {
      const body = await this.#whole(response);
      if (body.trim() !== '') yield parseBoundedJson(body);
    } else yield* this.#events(response);
  }

  async #whole(response: Response): Promise<string> {
    const parts: Uint8Array[] = [];
    for await (const part of this.#pieces(response, MAX_EVENT_BYTES)) parts.push(part);
    return Buffer.concat(parts).toString();
  }

  async *#events(response: Response): AsyncGenerator<unknown> {
    const lines = new LineSplitter();
    try {
      yield* this.#eventsIn(response, lines);
    } finally {
      lines.close();
    }
  }

  async *#eventsIn(response: Response, lines: LineSplitter): AsyncGenerator<unknown> {
    let data: string[] = [];
    let size = 0;
    for await (const piece of this.#pieces(response, MAX_ANSWER_BYTES)) {
      for (const line of lines.push(piece)) {
        if (line === '') {
          if (data.length > 0) yield* this.#event(data.join('\n'));
          data = [];
          size = 0;
          continue;
        }
        const value = dataOf(line);
        if (value === undefined) continue;
        data.push(value);
        size += value.length;
        if (size > MAX_EVENT_BYTES) throw new AnswerError(`an event of more than ${MAX_EVENT_BYTES} bytes`);
      }
      if (lines.pending > MAX_EVENT_BYTES) throw new AnswerError(`a line of more than ${MAX_EVENT_BYTES} bytes`);
    }
    // The last event counts without the empty line behind it, if it came as a whole.
    const rest = dataOf(lines.rest);
    const last = (rest === undefined ? data : [...data, rest]).join('\n');
    if (last !== '' && (isDone(last) || parseJson(last) !== undefined)) yield* this.#event(last);
  }

  *#event(data: string): Generator<unknown> {
    if (isDone(data)) this.#done = true;
    else if (!this.#done) yield parseBoundedJson(data);
  }

  /** When the consumer stops, the connection is released. */
  async *#pieces(response: Response, maxBytes: number): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    let inThisTurn = 0;
    for await (const piece of piecesOf(bytesOf(response))) {
      this.#onBytes();
      bytes += piece.byteLength;
      if (bytes > maxBytes) throw new AnswerError(`more than ${maxBytes} bytes`);
      yield piece;
      inThisTurn += piece.byteLength;
      if (inThisTurn < TURN_BYTES) continue;
      inThisTurn = 0;
      await nextTurn();
    }
  }
}

/** The value of a line of data. */
function dataOf(line: string): string | undefined {
  return line.startsWith('data:') ? line.slice(line[5] === ' ' ? 6 : 5) : undefined;
}

function isDone(data: string): boolean {
  return data.trim() === '[DONE]';
}
