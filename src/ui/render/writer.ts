/** Brings a terminal from the rows it shows to new ones, with the fewest bytes. */
import { type CellParser, isRisky, type Row } from './cells.ts';

/** A cell of the screen, counted from 0. */
export type Cell = { readonly x: number; readonly y: number };

/** Up to this many equal cells between two different ones are rewritten: moving the cursor takes as many bytes. */
const MAX_GAP = 4;
/** A single stretch of up to this many bytes needs no synchronized update. */
const MAX_LONE_BYTES = 200;
/** Weight and text colours: the style is reset before anything is erased, so a background stays where it was drawn. */
const PLAIN_COLOURS = /^(?:(?:[123]|[349][0-7]|[34]8(?:;\d+)+)(?:;|$))*$/;
/** The style in force is unknown. */
export const UNKNOWN = -1;

export class Writer {
  readonly #parser: CellParser;
  #columns = 0;
  /** The rows that the terminal shows; undefined where that is unknown. */
  protected front: (Row | undefined)[] = [];
  /** The column of the terminal’s cursor; -1 where terminals disagree, such as after the last column. */
  protected x = -1;
  protected y = -1;
  #cursorShown: boolean | undefined;
  /** The style in force. It stays between two writes, since the next letter mostly has the same. */
  protected style = 0;
  protected out = '';
  #stretches = 0;
  /** Whether the terminal may move rows up itself. */
  protected shifts = true;

  constructor(parser: CellParser) {
    this.#parser = parser;
  }

  /** Forgets what the terminal shows, after a resize or another program's output. */
  forget(): void {
    this.front = [];
    this.x = -1;
    this.y = -1;
    this.#cursorShown = undefined;
    this.style = UNKNOWN;
  }

  /** Returns the sequence that resets the style, for another program's text. */
  plain(): string {
    this.restyle(0);
    const reset = this.out;
    this.out = '';
    return reset;
  }

  /** Draws rows from `top` on. */
  rows(top: number, texts: readonly string[], columns: number): void {
    this.#columns = columns;
    const shift = this.shifts ? findShift(this.front.slice(top, top + texts.length), texts) : undefined;
    if (shift) this.#shift({ ...shift, top: shift.top + top, bottom: shift.bottom + top });
    for (const [at, text] of texts.entries()) this.#row(top + at, text);
  }

  #row(y: number, text: string): void {
    const front = this.front[y];
    if (front?.text === text) return;
    const next = this.#parser.parse(text, this.#columns);
    this.front[y] = next;
    this.#diff(y, front, next);
  }

  /** Returns everything drawn since the last call as one piece, with the cursor put in its place. */
  end(cursor: Cell | undefined): string {
    const { sgr, link } = this.#parser.style(this.style);
    if (link !== '' || !PLAIN_COLOURS.test(sgr)) this.restyle(0);
    const body = this.out;
    this.out = '';
    if (cursor) this.move(cursor.x, cursor.y);
    const shown = cursor !== undefined;
    const visibility = shown === this.#cursorShown ? '' : `\x1b[?25${shown ? 'h' : 'l'}`;
    this.#cursorShown = shown;
    // The cursor is hidden before drawing and shown when it is in its place.
    const all = shown ? body + this.out + visibility : visibility + body;
    const atOnce = this.#stretches <= 1 && all.length <= MAX_LONE_BYTES;
    this.out = '';
    this.#stretches = 0;
    return atOnce ? all : `\x1b[?2026h${all}\x1b[?2026l`;
  }

  /** Lets the terminal itself move rows up; the freed rows are blank. */
  #shift({ top, bottom, by }: Shift): void {
    this.restyle(0);
    this.out += `\x1b[${top + 1};${bottom + 1}r\x1b[${bottom + 1}H${'\n'.repeat(by)}\x1b[r`;
    this.#stretches += 2;
    this.x = 0;
    this.y = 0;
    const blank = this.#parser.parse('', this.#columns);
    this.front.splice(top, by);
    this.front.splice(bottom - by + 1, 0, ...Array.from({ length: by }, () => blank));
  }

  #diff(y: number, front: Row | undefined, next: Row): void {
    const { chars, styles } = next;
    const isSame = (x: number) => front !== undefined && front.chars[x] === chars[x] && front.styles[x] === styles[x];
    // The terminal may give characters other widths than this program: everything after the first difference is drawn
    // again.
    const odd = next.odd || (front?.odd ?? false);
    let end = chars.length;
    while (end > 0 && chars[end - 1] === ' ' && styles[end - 1] === 0) end -= 1;
    let drawn = false;
    for (let x = 0; x < end; ) {
      if (isSame(x)) {
        x += 1;
        continue;
      }
      let from = x;
      while (from > 0 && chars[from] === '') from -= 1;
      const to = odd ? end : stretchEnd(chars, x, end, isSame);
      this.#stretch(y, from, to, next);
      drawn = true;
      x = to;
    }
    if (end === chars.length) return;
    // The characters that were after the new end of the row.
    const stale = front === undefined || (odd && drawn) || !isBlank(front, end);
    if (!stale) return;
    this.restyle(0);
    this.move(end, y);
    this.out += '\x1b[K';
    this.#stretches += drawn ? 0 : 1;
  }

  #stretch(y: number, from: number, to: number, { chars, styles }: Row): void {
    this.move(from, y);
    this.#stretches += 1;
    for (let x = from; x < to; ) {
      const char = chars[x] ?? ' ';
      let width = 1;
      while (x + width < chars.length && chars[x + width] === '') width += 1;
      this.restyle(styles[x] ?? 0);
      if (isRisky(char, width)) {
        // Erased first and left by an absolute move: whatever width the terminal gives it, no other cell suffers.
        this.out += `\x1b[${width}X${char}`;
        if (x + width < chars.length) this.out += `\x1b[${x + width + 1}G`;
      } else this.out += char;
      x += width;
    }
    // After the last column terminals disagree about the cursor’s place.
    this.x = to >= this.#columns ? -1 : to;
  }

  protected restyle(number: number): void {
    if (number === this.style) return;
    const known = this.style !== UNKNOWN;
    const was = this.#parser.style(this.style);
    const { sgr, link } = this.#parser.style(number);
    this.style = number;
    if (link !== was.link) this.out += `\x1b]8;;${link}\x1b\\`;
    if (known && sgr === was.sgr) return;
    this.out += sgr === '' ? '\x1b[m' : known && was.sgr === '' ? `\x1b[${sgr}m` : `\x1b[0;${sgr}m`;
  }

  protected move(x: number, y: number): void {
    if (this.y === y && this.x === x) return;
    if (this.y === y && this.x >= 0) {
      const by = x - this.x;
      const count = Math.abs(by) === 1 ? '' : Math.abs(by);
      this.out += x === 0 ? '\r' : `\x1b[${count}${by > 0 ? 'C' : 'D'}`;
    } else if (x === 0 && this.x >= 0 && y === this.y + 1) this.out += '\r\n';
    else if (x === 0) this.out += y === 0 ? '\x1b[H' : `\x1b[${y + 1}H`;
    else this.out += `\x1b[${y + 1};${x + 1}H`;
    this.x = x;
    this.y = y;
  }
}

/** Returns the end of the stretch of different cells that begins at `x`; short gaps of equal cells belong to it. */
function stretchEnd(chars: readonly string[], x: number, end: number, isSame: (x: number) => boolean): number {
  let to = x + 1;
  for (let at = to; at < end && at - to <= MAX_GAP; at += 1) if (!isSame(at)) to = at + 1;
  while (to < chars.length && chars[to] === '') to += 1;
  return to;
}

function isBlank({ chars, styles }: Row, from: number): boolean {
  for (let x = from; x < chars.length; x += 1) if (chars[x] !== ' ' || styles[x] !== 0) return false;
  return true;
}

// Rows that have moved up unchanged: a reply grows and pushes up what is above it. The terminal can move them itself.

/** The rows from `top` to `bottom`, both inclusive, move up by `by`; the first ones leave the screen. */
type Shift = { readonly top: number; readonly bottom: number; readonly by: number };

/** The fewest saved rows for which moving rows costs less than drawing them again. */
const MIN_SAVED_ROWS = 3;
/** Larger shifts are not looked for. */
const MAX_BY = MIN_SAVED_ROWS;

/**
 * Returns the shift that saves the most rows from being drawn. Only known rows move, and none with characters on whose
 * width terminals disagree.
 * @param front the rows that the terminal shows
 * @param want the rows to show next
 */
function findShift(front: readonly (Row | undefined)[], want: readonly string[]): Shift | undefined {
  const changed = want.filter((text, y) => front[y]?.text !== text).length;
  if (changed < MIN_SAVED_ROWS) return undefined;
  let best: Shift | undefined;
  let most = MIN_SAVED_ROWS - 1;
  for (let by = 1; by <= MAX_BY; by += 1) {
    let saved = 0;
    let top = 0;
    for (let y = 0; y + by < want.length; y += 1) {
      const from = front[y + by];
      if (from && !from.odd && !front[y]?.odd && front[y] && from.text === want[y]) {
        if (front[y]?.text !== want[y]) saved += 1;
        if (saved > most) {
          most = saved;
          best = { top, bottom: y + by, by };
        }
      } else {
        saved = 0;
        top = y + 1;
      }
    }
  }
  return best;
}
