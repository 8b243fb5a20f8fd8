/** Reads a server's answer: server-sent events or one JSON body, every part of it bounded while it is read (RE-6). */

import { finished, type Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseBoundedJson, parseJson } from '../text/json.ts';
import { bytesOf } from './exchange.ts';

/** Bytes of one answer, overhead included; far beyond any real one. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/**
 * Bytes of one event or of a whole JSON body: a reply with the largest arguments that are taken is a fraction of it.
 */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;
/**
 * Bytes that are read in one go: of a server that pours without end a socket gives megabytes before a key is looked at.
 */
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

  /**
   * The parsed chunks of an answer, whatever form it has. Throws `AnswerError`, or `SyntaxError` for what is no JSON.
   */
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

/** Bytes in pieces → lines of text, without garbage for a line that never ends. */

const [LF, CR] = [0x0a, 0x0d];
const BYTE_ORDER_MARK = '\ufeff';
const MIN_ROOM_BYTES = 64 * 1024;

/**
 * Room of the last answer, for the next one. Made anew for each, a line of megabytes would have the heap cleared up as
 * a whole, just while keys are typed: what is outside it counts as well.
 */
let spare: Buffer | undefined;

/**
 * What has not ended stays bytes, outside the heap. Only what is new is searched, so that a line costs no more than its
 * length, however many pieces it comes in. To be closed.
 */
export class LineSplitter {
  /** Its beginning is the line that has not ended; nothing where the lines end with their pieces. */
  #room: Buffer | undefined;
  #endedInReturn = false;
  #first = true;
  /** Bytes of the line that has not ended. */
  pending = 0;

  /** The lines that this piece ends, without their ends (`\n`, `\r\n` or `\r`). Keeps nothing of the piece itself. */
  push(piece: Uint8Array): readonly string[] {
    if (piece.length === 0) return [];
    const lines: string[] = [];
    // The second half of a line end whose first half came before.
    let from = this.#endedInReturn && piece[0] === LF ? 1 : 0;
    this.#endedInReturn = piece.at(-1) === CR;
    let feed = piece.indexOf(LF, from);
    let back = piece.indexOf(CR, from);
    while (feed >= 0 || back >= 0) {
      const end = back < 0 || (feed >= 0 && feed < back) ? feed : back;
      lines.push(this.#ended(piece.subarray(from, end)));
      from = end + (end === back && feed === back + 1 ? 2 : 1);
      if (feed >= 0 && feed < from) feed = piece.indexOf(LF, from);
      if (back >= 0 && back < from) back = piece.indexOf(CR, from);
    }
    this.#keep(piece.subarray(from));
    return lines;
  }

  /** The text after the last line end. */
  get rest(): string {
    return this.#text(this.#room?.subarray(0, this.pending));
  }

  /** Hands its room on. Idempotent. */
  close(): void {
    spare = this.#room ?? spare;
    this.#room = undefined;
    this.pending = 0;
  }

  #ended(end: Uint8Array): string {
    if (this.pending > 0) this.#keep(end);
    const text = this.pending > 0 ? this.rest : this.#text(end);
    this.pending = 0;
    this.#first = false;
    return text;
  }

  #text(bytes: Uint8Array | undefined): string {
    if (!bytes) return '';
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    return this.#first && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    const needed = this.pending + part.length;
    if (!this.#room) {
      this.#room = spare;
      spare = undefined;
    }
    if (!this.#room || this.#room.length < needed) {
      const larger = Buffer.allocUnsafeSlow(Math.max(MIN_ROOM_BYTES, 2 ** Math.ceil(Math.log2(needed))));
      if (this.#room) larger.set(this.#room.subarray(0, this.pending));
      this.#room = larger;
    }
    this.#room.set(part, this.pending);
    this.pending = needed;
  }
}

/**
 * The pieces of a stream as they came, one at a time. The stream's own iterator copies all that came meanwhile into
 * one: twice the bytes of a flood, and the heap is cleared up as a whole for them, while keys are typed.
 *
 * A consumer that stops destroys the stream. Throws what the stream fails with; one that is destroyed before its end
 * fails with `ERR_STREAM_PREMATURE_CLOSE`.
 */
export async function* piecesOf(stream: Readable): AsyncGenerator<Uint8Array> {
  const came: Uint8Array[] = [];
  let ended = false;
  let failure: Error | null | undefined;
  let wake = () => {};
  stream.on('data', (piece: Uint8Array) => {
    came.push(piece);
    stream.pause();
    wake();
  });
  // Its listeners stay: an error after the end must find one.
  finished(stream, { writable: false }, (error) => {
    ended = true;
    failure = error;
    wake();
  });
  try {
    for (;;) {
      const piece = came.shift();
      if (piece) yield piece;
      else if (failure) throw failure;
      else if (ended) return;
      else {
        const more = new Promise<void>((resolve) => {
          wake = resolve;
        });
        stream.resume();
        await more;
      }
    }
  } finally {
    stream.destroy();
  }
}
