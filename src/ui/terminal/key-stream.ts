/** A stdin for Ink: looks like a terminal, holds nothing but clean keys, one for each read (DESIGN law 5). */
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

  /** Hands on a token that a single-line field understands; others are dropped, and all while no field listens. */
  feed(token: Token): void {
    const sequence = inkSequence(token);
    if (sequence === undefined || !this.isRaw) return;
    this.#queue.push(sequence);
    if (this.#queue.length === 1) this.#deliver();
  }

  /**
   * One key for each turn of the event loop: Ink takes a chunk without ESC as one event, and a field has to be drawn
   * with one key before it understands the next.
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

  /** Keys are on their way that the field has not taken yet. */
  get busy(): boolean {
    return this.#queue.length > 0;
  }

  setRawMode(mode: boolean): this {
    // A key left unread by the field before is not the next one's.
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

/** A pasted block as a field takes it. */
export function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

/** Keys that Ink and ink-text-input handle rightly. Esc in kitty form, since Ink waits to tell a bare one. */
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
 * What to feed Ink for a token. Chords are left out, because ink-text-input types their letter (Ctrl-N inserts `n`),
 * and so is Delete, which it takes for Backspace. A pasted block becomes one line.
 */
function inkSequence(token: Token): string | undefined {
  if (token.type === 'paste') return oneLine(token.text) || undefined;
  if (token.type !== 'key' || token.event === 'release' || token.burst || token.ctrl || token.alt) return undefined;
  if (token.name === 'tab' && token.shift) return '\x1b[Z';
  return token.text ?? SEQUENCES[token.name];
}
