/**
 * The screen as one picture: what Ink has drawn, and over it the surfaces, which are painted from their own lines. It
 * alone writes to the terminal, and what it writes is the difference to what is there.
 */

import { EventEmitter } from 'node:events';
import { lineWidth, wrapText } from '../../text/wrap.ts';
import { CellParser } from './cells.ts';
import { type Cell, Writer } from './writer.ts';

/** A part of the screen that is painted without Ink. It takes whole rows. */
export type Surface = {
  /** Where it is, in rows of the screen; asked again after each frame of Ink's. */
  readonly measure: () => { readonly y: number; readonly height: number };
  /** Its lines; where there are more than rows, the last ones are shown. */
  readonly lines: () => readonly string[];
  /** The terminal's cursor, from the beginning of its first line; where it has it. */
  readonly cursor?: (() => Cell | undefined) | undefined;
};

/** A column at the right of the first rows, beside everything else; what reaches into it is cut. */
export type Side = { readonly columns: number; readonly rows: number; readonly lines: readonly string[] };

type Place = { y: number; height: number };

export type CompositorOptions = {
  readonly write: (text: string) => void;
  readonly columns: number;
  readonly rows: number;
};

export class Compositor {
  readonly #write: (text: string) => void;
  readonly #parser = new CellParser();
  readonly #writer = new Writer(this.#parser);
  readonly #surfaces = new Map<Surface, Place>();
  #columns: number;
  #rows: number;
  #frame: readonly string[] = [];
  #frameText = '';
  #caret: Cell | undefined;
  #side: Side | undefined;
  #measured = true;
  #due = false;
  #held = false;
  /** What happens now is followed at once by more of its kind, with which a surface's lines can be drawn. */
  more = false;
  /** What there was to do so far: frames of Ink's, and writes to the terminal. For tests and measurements. */
  readonly counts = { frames: 0, writes: 0 };

  constructor({ write, columns, rows }: CompositorOptions) {
    this.#write = write;
    this.#columns = columns;
    this.#rows = rows;
  }

  resize(columns: number, rows: number): void {
    if (columns === this.#columns && rows === this.#rows) return;
    this.#columns = columns;
    this.#rows = rows;
    this.redraw();
  }

  /** Ink's whole picture, one line for each row. Its surfaces may have moved with it. */
  frame(text: string): void {
    this.counts.frames += 1;
    if (text !== this.#frameText) {
      this.#frameText = text;
      this.#frame = text.split('\n');
    }
    this.#measured = false;
    this.later();
  }

  /** Shows a surface until the result is called. */
  add(surface: Surface): () => void {
    this.#surfaces.set(surface, { y: 0, height: 0 });
    this.#measured = false;
    this.later();
    return () => {
      this.#surfaces.delete(surface);
      this.later();
    };
  }

  set side(side: Side | undefined) {
    this.#side = side;
    this.later();
  }

  /** The terminal's cursor where no surface has it. */
  set caret(caret: Cell | undefined) {
    this.#caret = caret;
    this.later();
  }

  /**
   * A surface has other lines: they are drawn at once, unless there are more or fewer; then a frame of Ink's is due.
   */
  paint(surface: Surface): void {
    if (this.more) return this.later();
    if (this.#due || !this.#measured) return this.flush();
    const place = this.#surfaces.get(surface);
    if (!place || this.#held) return;
    const lines = surface.lines();
    if (lines.length !== place.height) return;
    const from = Math.max(0, -place.y);
    const shown = lines.slice(from, Math.max(0, this.#rows - place.y));
    this.#writer.rows(place.y + from, this.#beside(place.y + from, shown), this.#columns);
    this.#send();
  }

  /** Draws when what happens now has happened: frames, surfaces and cursor of one change go out together. */
  later(): void {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      if (this.#due) this.flush();
    });
  }

  /** Makes the terminal show how things are. */
  flush(): void {
    this.#due = false;
    if (this.#held) return;
    if (this.#parser.full) {
      this.#parser.reset();
      this.#writer.forget();
    }
    this.#measure();
    const texts = Array.from({ length: this.#rows }, (_, y) => this.#frame[y] ?? '');
    for (const [surface, { y: top, height }] of this.#surfaces) {
      const lines = surface.lines();
      const first = Math.max(0, lines.length - height);
      for (let at = Math.max(0, -top); at < height && top + at < this.#rows; at += 1)
        texts[top + at] = lines[first + at] ?? '';
    }
    this.#writer.rows(0, this.#beside(0, texts), this.#columns);
    this.#send();
  }

  /** The rows from `y` on, with the side beside them. */
  #beside(y: number, texts: readonly string[]): readonly string[] {
    const side = this.#side;
    if (!side) return texts;
    const left = this.#columns - side.columns;
    return texts.map((text, at) => {
      if (y + at >= side.rows) return text;
      const [first = ''] = lineWidth(text) > left ? wrapText(text, left, { mode: 'hard' }) : [text];
      return `${first}${' '.repeat(Math.max(0, left - lineWidth(first)))}\x1b[0m${side.lines[y + at] ?? ''}`;
    });
  }

  /** Whatever the terminal shows, all of it is drawn anew. */
  redraw(): void {
    this.#writer.forget();
    this.later();
  }

  /** While somebody else has the terminal nothing is written. */
  hold(): void {
    if (this.#held) return;
    this.#held = true;
    const reset = this.#writer.plain();
    if (reset !== '') this.#write(reset);
  }

  /** It is back, with nobody knows what on it. */
  release(): void {
    if (!this.#held) return;
    this.#held = false;
    this.redraw();
  }

  #measure(): void {
    if (this.#measured) return;
    this.#measured = true;
    for (const [surface, place] of this.#surfaces) {
      const { y, height } = surface.measure();
      Object.assign(place, { y, height });
    }
  }

  #send(): void {
    const text = this.#writer.end(this.#cursor());
    if (text === '') return;
    this.counts.writes += 1;
    this.#write(text);
  }

  #cursor(): Cell | undefined {
    let found = this.#caret;
    for (const [surface, { y, height }] of this.#surfaces) {
      const cursor = surface.cursor?.();
      if (!cursor) continue;
      const first = Math.max(0, surface.lines().length - height);
      found = { x: cursor.x, y: y + cursor.y - first };
    }
    if (!found || found.y < 0 || found.y >= this.#rows) return undefined;
    return { x: Math.max(0, Math.min(found.x, this.#columns - 1)), y: found.y };
  }
}

// What Ink draws on: the compositor, or the real terminal where a screen reader reads; nothing once it is given back.

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
