/** What Ink draws on: the real terminal until it is given back, nothing after that. */
import { EventEmitter } from 'node:events';

type Sink = NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };

/**
 * Ink draws one more frame whenever the process dies. By then the terminal may belong to the shell again, so what is
 * written after `mute` is dropped. Resizes are not passed on: the screen lays itself out first and draws anew after.
 */
export class ScreenOutput extends EventEmitter {
  readonly isTTY = true;
  readonly writable = true;
  #muted = false;
  #held = false;
  #dropping = false;
  readonly #sink: Sink;

  constructor(sink: Sink) {
    super();
    this.#sink = sink;
  }

  get columns(): number {
    return this.#sink.columns || 80;
  }

  get rows(): number {
    return this.#sink.rows || 24;
  }

  write(text: string | Uint8Array, after?: (error?: Error | null) => void): boolean {
    if (!this.#muted && !this.#held && !this.#dropping)
      return after ? this.#sink.write(text, after) : this.#sink.write(text);
    if (after) queueMicrotask(after);
    return true;
  }

  /** For good: the terminal is somebody else's. */
  mute(): void {
    this.#muted = true;
  }

  /** While a full-screen program has the terminal. What is dropped meanwhile is redrawn afterwards. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
  }

  /** Writes nothing of what `draw` writes. */
  dropping(draw: () => void): void {
    this.#dropping = true;
    draw();
    this.#dropping = false;
  }

  direct(data: Uint8Array): void {
    if (!this.#muted) this.#sink.write(data);
  }
}
