/** Reads a server's answer, server-sent events or one JSON body, with limits on every part (RE-6). */

import { finished, type Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseBoundedJson, parseJson } from '../text/json.ts';
import { bytesOf } from './exchange.ts';

/** The maximum bytes of one answer including overhead, far beyond any real one. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** The maximum bytes of one event or of a whole JSON body: several times the largest accepted reply. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;
/** The bytes to read at a time: a flooding server fills a socket with megabytes, and key presses would wait. */
const TURN_BYTES = 64 * 1024;

/** The answer is not a chat answer. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

export class AnswerReader {
  readonly #onBytes: () => void;
  #done = false;

  /** @param onBytes called for every piece, including keep-alive comments, which show that the server is alive */
  constructor(onBytes: () => void) {
    this.#onBytes = onBytes;
  }

  /** The server ended its stream with `[DONE]`. */
  get done(): boolean {
    return this.#done;
  }

  /** Yields the parsed chunks of an answer in any form. Throws `AnswerError`, or `SyntaxError` for invalid JSON. */
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
    // The last event counts when it is complete, even if its empty line is missing.
    const rest = dataOf(lines.rest);
    const last = (rest === undefined ? data : [...data, rest]).join('\n');
    if (last !== '' && (isDone(last) || parseJson(last) !== undefined)) yield* this.#event(last);
  }

  *#event(data: string): Generator<unknown> {
    if (isDone(data)) this.#done = true;
    else if (!this.#done) yield parseBoundedJson(data);
  }

  /** A consumer that stops releases the connection. */
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

/** Returns the value of a `data:` line. */
function dataOf(line: string): string | undefined {
  return line.startsWith('data:') ? line.slice(line[5] === ' ' ? 6 : 5) : undefined;
}

function isDone(data: string): boolean {
  return data.trim() === '[DONE]';
}

/** Splits pieces of bytes into lines, without creating garbage for an endless line. */

const [LF, CR] = [0x0a, 0x0d];
const BYTE_ORDER_MARK = '\ufeff';
const MIN_ROOM_BYTES = 64 * 1024;

/**
 * The buffer of the last answer, for reuse. A new one of several megabytes would trigger a full garbage collection
 * while the user types, because memory outside the heap counts too.
 */
let spare: Buffer | undefined;

/**
 * The unfinished line stays as bytes outside the heap. Only new bytes are searched, so a line costs its length,
 * however many pieces it has. Must be closed.
 */
export class LineSplitter {
  /** Starts with the unfinished line; undefined if every line ended with its piece. */
  #room: Buffer | undefined;
  #endedInReturn = false;
  #first = true;
  /** The bytes of the unfinished line. */
  pending = 0;

  /**
   * Returns the lines completed by this piece, without their ends (`\n`, `\r\n` or `\r`). Keeps no reference to the
   * piece.
   */
  push(piece: Uint8Array): readonly string[] {
    if (piece.length === 0) return [];
    const lines: string[] = [];
    // The second half of a line end that was split between pieces.
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

  /** Releases the buffer for reuse. Idempotent. */
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
 * Yields the pieces of a stream as they arrived. The stream's own iterator joins all waiting pieces: that doubles the
 * memory of a flood and causes full garbage collections while the user types.
 *
 * A consumer that stops destroys the stream. Throws the stream's error; a stream destroyed before its end fails
 * with `ERR_STREAM_PREMATURE_CLOSE`.
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
  // Keep the listeners: an error may follow the end.
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
