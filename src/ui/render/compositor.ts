/**
 * Combines Ink's picture with the surfaces, which are painted over it from their own lines. Only the compositor
 * writes to the terminal, and only the difference to the current screen.
 */

import { EventEmitter } from 'node:events';
import { lineWidth, wrapText } from '../../text/wrap.ts';
import { CellParser } from './cells.ts';
import { type Cell, Writer } from './writer.ts';

/** A part of the screen that is painted without Ink, in whole rows. */
export type Surface = {
  /** Returns the surface's place in rows of the screen; called after each frame of Ink. */
  readonly measure: () => { readonly y: number; readonly height: number };
  /** Returns the surface's lines; of more lines than rows, only the last ones are shown. */
  readonly lines: () => readonly string[];
  /** Returns the terminal's cursor relative to the first line, if this surface has the cursor. */
  readonly cursor?: (() => Cell | undefined) | undefined;
};

/** A column to the right of the first rows. Text that would reach into it is cut. */
export type Side = { readonly columns: number; readonly rows: number; readonly lines: readonly string[] };

type Place = { y: number; height: number };

export type CompositorOptions = {
  readonly write: (text: string) => void;
  readonly columns: number;
  readonly rows: number;
};

export class Compositor {
  protected readonly write: (text: string) => void;
  readonly #parser: CellParser;
  readonly #writer: Writer;
  readonly #surfaces = new Map<Surface, Place>();
  protected columns: number;
  protected rows: number;
  protected picture: readonly string[] = [];
  #frameText = '';
  #caret: Cell | undefined;
  #side: Side | undefined;
  #measured = true;
  #due = false;
  #held = false;
  /** Set while more output of the same kind follows at once: a surface's lines can then wait and be drawn together. */
  more = false;
  /** Frames of Ink and writes to the terminal so far, for tests and measurements. */
  readonly counts = { frames: 0, writes: 0 };

  constructor(
    { write, columns, rows }: CompositorOptions,
    parser: CellParser = new CellParser(),
    writer: Writer = new Writer(parser),
  ) {
    this.#parser = parser;
    this.#writer = writer;
    this.write = write;
    this.columns = columns;
    this.rows = rows;
  }

  resize(columns: number, rows: number): void {
    if (columns === this.columns && rows === this.rows) return;
    this.columns = columns;
    this.rows = rows;
    this.redraw();
  }

  /** Takes Ink's whole picture, one line for each row. Surfaces may have moved with it. */
  frame(text: string): void {
    this.counts.frames += 1;
    if (text !== this.#frameText) {
      this.#frameText = text;
      this.picture = text.split('\n');
    }
    this.#measured = false;
    this.later();
  }

  /** Shows a surface until the returned function is called. */
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

  /** Draws a surface whose lines have changed. Where their number has changed, Ink must lay out a frame instead. */
  paint(surface: Surface): void {
    if (this.more) return this.later();
    if (this.#due || !this.#measured) return this.flush();
    const place = this.#surfaces.get(surface);
    if (!place || this.#held) return;
    const lines = surface.lines();
    if (lines.length !== place.height) return;
    const from = Math.max(0, -place.y);
    const shown = lines.slice(from, Math.max(0, this.height - place.y));
    this.#writer.rows(place.y + from, this.#beside(place.y + from, shown), this.columns);
    this.#send();
  }

  /** Draws at the end of the current turn, so that frames, surfaces and cursor of one change are written together. */
  later(): void {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      if (this.#due) this.flush();
    });
  }

  /** Updates the terminal. */
  flush(): void {
    this.#due = false;
    if (this.#held) return;
    if (this.#parser.full) {
      this.#parser.reset();
      this.#writer.forget();
    }
    this.#measure();
    const texts = Array.from({ length: this.height }, (_, y) => this.picture[y] ?? '');
    for (const [surface, { y: top, height }] of this.#surfaces) {
      const lines = surface.lines();
      const first = Math.max(0, lines.length - height);
      for (let at = Math.max(0, -top); at < height && top + at < texts.length; at += 1)
        texts[top + at] = lines[first + at] ?? '';
    }
    this.draw(this.#beside(0, texts), this.columns);
    this.#send();
  }

  /** The rows in use. */
  protected get height(): number {
    return this.rows;
  }

  /** Draws the rows in use. */
  protected draw(texts: readonly string[], columns: number): void {
    this.#writer.rows(0, texts, columns);
  }

  /** Returns the rows from `y` on together with the side column. */
  #beside(y: number, texts: readonly string[]): readonly string[] {
    const side = this.#side;
    if (!side) return texts;
    const left = this.columns - side.columns;
    return texts.map((text, at) => {
      if (y + at >= side.rows) return text;
      const [first = ''] = lineWidth(text) > left ? wrapText(text, left, { mode: 'hard' }) : [text];
      return `${first}${' '.repeat(Math.max(0, left - lineWidth(first)))}\x1b[0m${side.lines[y + at] ?? ''}`;
    });
  }

  /** Redraws everything, whatever the terminal shows. */
  redraw(): void {
    this.#writer.forget();
    this.later();
  }

  /** Writes nothing while another program has the terminal. */
  hold(): void {
    if (this.#held) return;
    this.#held = true;
    const reset = this.#writer.plain();
    if (reset !== '') this.write(reset);
  }

  /** Takes the terminal back, whose contents are unknown by now. */
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
    this.write(text);
  }

  #cursor(): Cell | undefined {
    // The caret's row is counted on a whole screen, whose last rows are in use.
    const above = this.rows - this.height;
    let found = this.#caret && { x: this.#caret.x, y: this.#caret.y - above };
    for (const [surface, { y, height }] of this.#surfaces) {
      const cursor = surface.cursor?.();
      if (!cursor) continue;
      const first = Math.max(0, surface.lines().length - height);
      found = { x: cursor.x, y: y + cursor.y - first };
    }
    if (!found || found.y < 0 || found.y >= this.height) return undefined;
    return { x: Math.max(0, Math.min(found.x, this.columns - 1)), y: found.y };
  }
}

// The stream that Ink writes to: the compositor, or the real terminal for a screen reader; nothing once the terminal is
// given back.

export type CompositorKind = new (options: CompositorOptions) => Compositor;

type Sink = NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };

/**
 * Ink draws one more frame whenever the process dies. By then the terminal may belong to the shell again, so writes
 * after `mute` are dropped. Resizes are not forwarded: the screen lays itself out first and redraws afterwards.
 */
export class ScreenOutput extends EventEmitter {
  readonly isTTY = true;
  readonly writable = true;
  /** Absent where Ink writes to the terminal itself: a screen reader has no use for cells. */
  readonly compositor: Compositor | undefined;
  #muted = false;
  #held = false;
  #dropping = false;
  readonly #sink: Sink;

  /** @param Kind the compositor, if one paints */
  constructor(sink: Sink, composed: boolean, Kind: CompositorKind = Compositor) {
    super();
    this.#sink = sink;
    const { columns, rows } = this;
    const write = (text: string) => void (this.#muted || this.#sink.write(text));
    this.compositor = composed ? new Kind({ write, columns, rows }) : undefined;
  }

  get columns(): number {
    return this.#sink.columns || 80;
  }

  get rows(): number {
    return this.#sink.rows || 24;
  }

  /** Takes a frame of Ink; an empty one only waits until everything before it is written. */
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

  /** Stops all writes for good: another program owns the terminal. */
  mute(): void {
    this.compositor?.hold();
    this.#muted = true;
  }

  /** Stops writes while a full-screen program has the terminal. Everything is redrawn afterwards. */
  hold(): void {
    this.#held = true;
    this.compositor?.hold();
  }

  release(): void {
    this.#held = false;
    this.compositor?.release();
  }

  /** Runs `draw` and drops what it writes. */
  dropping(draw: () => void): void {
    this.#dropping = true;
    draw();
    this.#dropping = false;
  }

  direct(data: Uint8Array): void {
    if (!this.#muted) this.#sink.write(data);
  }
}
