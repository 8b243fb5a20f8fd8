import { BROKEN, COMMAND, ESC, ESCAPE, LF, nextState, TEXT } from '../text/escape-sequences.ts';

/** Bytes of one block handed on. */
const BLOCK_BYTES = 256 * 1024;
const MAX_SPARE_BLOCKS = 6;
const CR = 0x0d;
const BS = 0x08;
const TAB = 0x09;

/**
 * Turns terminal output into plain text at the speed of the terminal: sequences are dropped, a line that was rewritten
 * after a bare CR keeps its last version, BS takes a character back. Cursor movement is not followed; the rendered
 * head and tail are exact, this is the copy of what lies between.
 */
export class LineWriter {
  readonly #emit: (block: Buffer) => void;
  #block: Buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  /** Start of the current line in the block, and end of the text in it. */
  #line = 0;
  #length = 0;
  #state = TEXT;
  #returned = false;
  #spare: Buffer[] = [];
  lines = 0;

  constructor(emit: (block: Buffer) => void) {
    this.#emit = emit;
  }

  /** Gives a block back for reuse, once it has been written. */
  recycle(block: Buffer): void {
    if (this.#spare.length < MAX_SPARE_BLOCKS && block.buffer.byteLength >= BLOCK_BYTES) {
      this.#spare.push(Buffer.from(block.buffer, block.byteOffset, BLOCK_BYTES));
    }
  }

  push(data: Buffer): void {
    for (let at = 0; at < data.length; at += BLOCK_BYTES >> 2)
      this.#consume(data, at, Math.min(at + (BLOCK_BYTES >> 2), data.length));
  }

  end(): void {
    if (this.#length > this.#line) this.lines += 1;
    this.#line = this.#length;
    this.#hand();
  }

  #consume(data: Buffer, start: number, end: number): void {
    if (this.#length + (end - start) > BLOCK_BYTES) this.#hand();
    const block = this.#block;
    let length = this.#length;
    let state = this.#state;
    for (let at = start; at < end; at += 1) {
      const byte = data[at] as number;
      if (state === TEXT) {
        if (byte >= 0x20 && byte !== 0x7f) {
          if (this.#returned) {
            this.#returned = false;
            length = this.#line;
          }
          block[length] = byte;
          length += 1;
          if (byte >= 0x80) length -= hiddenTail(block, this.#line, length);
          const run = copyPlain(data, at + 1, end, block, length);
          at += run;
          length += run;
        } else if (byte === LF) {
          this.#returned = false;
          block[length] = LF;
          length += 1;
          this.#line = length;
          this.lines += 1;
        } else if (byte === ESC) state = ESCAPE;
        else if (byte === CR) this.#returned = true;
        else if (byte === TAB) {
          block[length] = TAB;
          length += 1;
        } else if (byte === BS) length = before(block, this.#line, length);
      } else {
        // A string that is never ended must not swallow more than its line.
        state = byte === LF && state >= COMMAND ? BROKEN : nextState(state, byte);
        if (state === BROKEN) {
          state = TEXT;
          at -= 1;
        }
      }
    }
    this.#length = length;
    this.#state = state;
  }

  /** Hands on all whole lines (or everything, when one line fills the block) and starts a new block with the rest. */
  #hand(): void {
    const cut = this.#length - this.#line > BLOCK_BYTES >> 1 ? this.#length : this.#line;
    if (cut === 0) return;
    const old = this.#block;
    const next = this.#spare.pop() ?? Buffer.allocUnsafe(BLOCK_BYTES);
    old.copy(next, 0, cut, this.#length);
    this.#emit(old.subarray(0, cut));
    this.#block = next;
    this.#length -= cut;
    this.#line = 0;
  }
}

/**
 * Copies printable ASCII as far as it goes, and tells how many bytes that were. Most of a flood is such: a loop of its own
 * asks nothing else of it.
 */
function copyPlain(from: Buffer, start: number, end: number, to: Buffer, length: number): number {
  let at = start;
  for (; at < end; at += 1) {
    const byte = from[at] as number;
    if (byte < 0x20 || byte >= 0x7f) break;
    to[length + at - start] = byte;
  }
  return at - start;
}

/** One character back, whole in UTF-8. */
function before(block: Buffer, line: number, length: number): number {
  let at = length - 1;
  while (at > line && ((block[at] as number) & 0xc0) === 0x80) at -= 1;
  return Math.max(at, line);
}

/** Length of a C1 or bidi control in UTF-8 that ends at `length`, else 0. */
function hiddenTail(block: Buffer, line: number, length: number): number {
  const last = block[length - 1] as number;
  if (length - line >= 2 && block[length - 2] === 0xc2 && last <= 0x9f) return 2;
  if (length - line < 3 || block[length - 3] !== 0xe2) return 0;
  const middle = block[length - 2];
  if (middle === 0x80 && ((last >= 0xaa && last <= 0xae) || last === 0x8e || last === 0x8f)) return 3;
  return middle === 0x81 && last >= 0xa0 && last <= 0xaf ? 3 : 0;
}
