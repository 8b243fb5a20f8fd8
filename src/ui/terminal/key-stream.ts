/** A stdin for Ink: it looks like a terminal and holds only complete keys, one for each read (DESIGN law 5). */
import { Readable } from 'node:stream';
import type { Token } from './token.ts';

/** The stream that Ink's own hooks read. Raw mode belongs to the Terminal; the calls here only satisfy the contract. */
export class KeyStream extends Readable {
  readonly isTTY = true;
  readonly fd = 0;
  isRaw = false;
  readonly #queue: string[] = [];

  constructor() {
    super({ read() {} });
  }

  /**
   * Passes on a token that a single-line field understands. Other tokens are dropped, and all of them while no field
   * listens.
   */
  feed(token: Token): void {
    const sequence = inkSequence(token);
    if (sequence === undefined || !this.isRaw) return;
    this.#queue.push(sequence);
    if (this.#queue.length === 1) this.#deliver();
  }

  /**
   * Delivers one key per turn of the event loop: Ink takes a chunk without ESC as one event, and a field must be
   * redrawn with one key before it can take the next.
   */
  #deliver(): void {
    const sequence = this.#queue[0];
    if (sequence === undefined) return;
    this.push(sequence);
    setImmediate(() => {
      this.#queue.shift();
      this.#deliver();
    });
  }

  /** Whether the field has not taken all keys yet. */
  get busy(): boolean {
    return this.#queue.length > 0;
  }

  setRawMode(mode: boolean): this {
    // A key that the previous field left unread must not reach the next one.
    if (mode && !this.isRaw) this.read();
    this.isRaw = mode;
    if (!mode) this.#queue.splice(1);
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** Returns a pasted block as one line, for a field. */
export function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

/** Keys that Ink and ink-text-input handle correctly. Esc is sent in its kitty form, since Ink delays a bare one. */
const SEQUENCES: Readonly<Record<string, string>> = {
  enter: '\r',
  escape: '\x1b[27u',
  tab: '\t',
  backspace: '\x7f',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
};

/**
 * Returns the bytes that Ink gets for a token. Chords are left out, because ink-text-input types their letter (Ctrl-N
 * inserts `n`), and so is Delete, which it takes for Backspace. A pasted block becomes one line.
 */
function inkSequence(token: Token): string | undefined {
  if (token.type === 'paste') return oneLine(token.text) || undefined;
  if (token.type !== 'key' || token.event === 'release' || token.burst || token.ctrl || token.alt) return undefined;
  if (token.name === 'tab' && token.shift) return '\x1b[Z';
  return token.text ?? SEQUENCES[token.name];
}
