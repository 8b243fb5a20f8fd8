/**
 * Drawing on the normal screen, below what is there: only rows in progress are drawn again, and final rows are left to
 * the terminal's scrollback.
 */
import { CellParser } from './cells.ts';
import { Compositor, type CompositorOptions } from './compositor.ts';
import { UNKNOWN, Writer } from './writer.ts';

/** Counts rows from the first live one, whose place in the window is unknown: so the cursor moves by rows only. */
class InlineWriter extends Writer {
  protected override shifts = false;
  /** The rows that the terminal has so far; those that are no longer in use must be blanked. */
  height = 1;

  constructor(parser: CellParser) {
    super(parser);
    this.restart();
  }

  /** Draws from the cursor's row on, wherever that is. */
  restart(): void {
    super.forget();
    this.y = 0;
    this.height = 1;
  }

  /** Erases all rows; after that nothing is known about the screen. */
  override forget(): void {
    this.style = UNKNOWN;
    this.restyle(0);
    this.x = UNKNOWN;
    this.move(0, 0);
    const erasing = `${this.out}\x1b[J`;
    this.restart();
    this.out = erasing;
  }

  /** Returns the sequence that gives the terminal to another program; it erases our rows. */
  override plain(): string {
    this.forget();
    const all = `${this.out}\x1b[?25h`;
    this.out = '';
    return all;
  }

  /** Leaves the first rows behind; the one below them becomes the first. */
  leave(rows: number): void {
    this.front.splice(0, rows);
    this.y -= rows;
    this.height -= rows;
  }

  /** New rows are begun one by one, and the terminal scrolls for them. */
  protected override move(x: number, y: number): void {
    if (this.y === y && this.x >= 0) return super.move(x, y);
    const fresh = Math.max(0, y - this.height + 1);
    const by = y - fresh - this.y;
    this.out += `\r${by === 0 ? '' : `\x1b[${Math.abs(by)}${by > 0 ? 'B' : 'A'}`}${'\n'.repeat(fresh)}`;
    if (x > 0) this.out += `\x1b[${x + 1}G`;
    this.height += fresh;
    this.x = x;
    this.y = y;
  }
}

export class InlineCompositor extends Compositor {
  /** Returns the rows that have become final since the last call. */
  finished: () => readonly string[] = () => [];
  readonly #writer: InlineWriter;
  /** Rows left to the scrollback so far. */
  #left = 0;

  constructor(options: CompositorOptions) {
    const parser = new CellParser();
    const writer = new InlineWriter(parser);
    super(options, parser, writer);
    this.#writer = writer;
  }

  /** After this the caller begins a new window: a terminal may have moved the rows anywhere. */
  override resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
  }

  /** Draws from the cursor on, where another program has left it. */
  restart(): void {
    this.#writer.restart();
    this.later();
  }

  /**
   * Begins an empty window. What is not ours, or is not drawn again, is pushed into the scrollback.
   * @param repeats our last rows are drawn again
   */
  begin(repeats: boolean): void {
    const push = repeats && this.#left >= this.rows ? '' : `\x1b[${this.rows}H${'\n'.repeat(this.rows)}`;
    this.write(`${this.#writer.plain()}${push}\x1b[H\x1b[J`);
    this.redraw();
  }

  /** The rows of Ink's picture, which is as high as what is in progress. */
  protected override get height(): number {
    return Math.min(this.rows, this.picture.length);
  }

  protected override draw(live: readonly string[], columns: number): void {
    const finished = this.finished();
    const all = [...finished, ...live];
    while (all.length < this.#writer.height) all.push('');
    this.#writer.rows(0, all, columns);
    this.#writer.leave(finished.length);
    this.#left += finished.length;
  }
}
