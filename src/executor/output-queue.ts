import { find, wanted } from './find-bytes.ts';

const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;

/** Modes, scroll regions, charsets and resets: what a terminal must know even of output it never drew. */
const STICKY = /\x1b\[[?!>]?[\d;]*[hlrp]|\x1bc|\x1b[()][0-9A-Za-z]|\x1b\[[3]J/g;
/** As bytes: a text would be made into such for each search. */
const STICKY_BEGINS = ['\x1b[?', '\x1bc', '\x1b('].map(wanted);
const MAX_STICKY = 64;
const NOTHING = Buffer.alloc(0);

/** Output that waits for the terminal model. It can be cut down to its last bytes when the model can't keep up. */
export class OutputQueue {
  #chunks: Buffer[] = [];
  #first = 0;
  bytes = 0;
  #sticky: string[] = [];

  /** The chunk is the backlog's from here on. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.bytes += chunk.length;
  }

  /** Takes at most `most` bytes and `newlines` line ends from the front; undefined when empty. */
  take(most: number, newlines: number): Buffer | undefined {
    const chunk = this.#chunks[this.#first];
    if (!chunk) return undefined;
    let end = Math.min(most, chunk.length);
    let at = -1;
    for (let count = 0; count < newlines; count += 1) {
      at = chunk.indexOf(LF, at + 1);
      if (at < 0 || at >= end) break;
      if (count === newlines - 1) end = at + 1;
    }
    if (end === chunk.length) this.#drop();
    else {
      this.#chunks[this.#first] = chunk.subarray(end);
      this.bytes -= end;
    }
    return chunk.subarray(0, end);
  }

  /** Forgets whole chunks from the front until about `keep` bytes are left; whether there were any. */
  trim(keep: number): boolean {
    for (let dropped = false; ; dropped = true) {
      const chunk = this.#chunks[this.#first];
      if (!chunk || this.bytes - chunk.length < keep) return dropped;
      this.#remember(chunk);
      this.#drop();
      free(chunk);
    }
  }

  /** Cuts the rest so that it starts at a line (or, without lines, at a place where no sequence is torn). */
  startAtLine(): void {
    const chunk = this.#chunks[this.#first];
    if (!chunk) return;
    const at =
      [LF, CR].map((byte) => chunk.indexOf(byte) + 1).find((place) => place > 0) ?? Math.max(chunk.indexOf(ESC), 0);
    if (at === 0) return;
    this.#remember(chunk.subarray(0, at));
    this.#chunks[this.#first] = chunk.subarray(at);
    this.bytes -= at;
  }

  /** The last bytes, from a line start, without taking them. */
  peekEnd(most: number): Buffer {
    const last = this.#chunks.at(-1) ?? Buffer.alloc(0);
    const end = last.subarray(Math.max(0, last.length - most));
    return end.subarray(end.indexOf(LF) + 1);
  }

  clear(): void {
    this.#chunks = [];
    this.#first = 0;
    this.bytes = 0;
  }

  /** The mode changes within what was forgotten since the last call. */
  takeSticky(): string {
    return this.#sticky.splice(0).join('');
  }

  #remember(chunk: Buffer): void {
    if (chunk.indexOf(ESC) < 0) return;
    // Most floods are colour only: a native search detects that, and nothing is decoded.
    if (!STICKY_BEGINS.some((begins) => find(chunk, begins) >= 0)) return;
    this.#sticky.push(...(chunk.toString('latin1').match(STICKY) ?? []));
    if (this.#sticky.length > MAX_STICKY) this.#sticky = this.#sticky.slice(-MAX_STICKY);
  }

  #drop(): void {
    this.bytes -= this.#chunks[this.#first]?.length ?? 0;
    // Let go at once: what is still named when the young are collected grows old, and a flood is made of such.
    this.#chunks[this.#first] = NOTHING;
    this.#first += 1;
    if (this.#first > 64) {
      this.#chunks = this.#chunks.slice(this.#first);
      this.#first = 0;
    }
  }
}

/**
 * Gives the memory of a forgotten chunk back at once: V8 would let 64 MB of such pile up before it looks. Only of one
 * that has its memory to itself.
 */
function free({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}
