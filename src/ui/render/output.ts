/** What Ink draws on: the compositor, or the real terminal where a screen reader reads; nothing once it is given back. */
import { EventEmitter } from 'node:events';
import { Compositor } from './compositor.ts';

type Sink = NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };

/**
 * Ink draws one more frame whenever the process dies. By then the terminal may belong to the shell again, so what is
 * written after `mute` is dropped. Resizes are not passed on: the screen lays itself out first and draws anew after.
 */
export class ScreenOutput extends EventEmitter {
  readonly isTTY = true;
  readonly writable = true;
  /** Absent where Ink writes to the terminal itself: cells say nothing to a screen reader. */
  readonly compositor: Compositor | undefined;
  #muted = false;
  #held = false;
  #dropping = false;
  readonly #sink: Sink;

  constructor(sink: Sink, composed: boolean) {
    super();
    this.#sink = sink;
    const { columns, rows } = this;
    const write = (text: string) => void (this.#muted || this.#sink.write(text));
    this.compositor = composed ? new Compositor({ write, columns, rows }) : undefined;
  }

  get columns(): number {
    return this.#sink.columns || 80;
  }

  get rows(): number {
    return this.#sink.rows || 24;
  }

  /** A frame of Ink's; an empty one only waits until all before it is written. */
  write(text: string | Uint8Array, after?: (error?: Error | null) => void): boolean {
    const passed = this.compositor ? this.#compose(this.compositor, text) : text;
    if (!this.#muted && !this.#held && !this.#dropping && (passed !== '' || after))
      return after ? this.#sink.write(passed, after) : this.#sink.write(passed);
    if (after) queueMicrotask(after);
    return true;
  }

  #compose(compositor: Compositor, text: string | Uint8Array): '' {
    if (text.length > 0) {
      compositor.resize(this.columns, this.rows);
      compositor.frame(text.toString());
    } else compositor.flush();
    return '';
  }

  /** For good: the terminal is somebody else's. */
  mute(): void {
    this.#muted = true;
  }

  /** While a full-screen program has the terminal. What is dropped meanwhile is redrawn afterwards. */
  hold(): void {
    this.#held = true;
    this.compositor?.hold();
  }

  release(): void {
    this.#held = false;
    this.compositor?.release();
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
