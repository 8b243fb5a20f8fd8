/**
 * Lines as cells. All text drawn on the screen passes through here, and only visible characters, colours and safe links
 * come out: no text can move the cursor or query the terminal (EX-9).
 */
import { displayText, graphemes, graphemeWidth } from '../../text/display.ts';
import { readSequence } from '../../text/escape-sequences.ts';
import { isSafeLink, plainText } from '../../text/sanitize.ts';
import { applySgr, PLAIN, type Style, styleOf } from '../../text/style.ts';

/** A row of the screen, cell by cell. */
export type Row = {
  /** The text that the row was parsed from. */
  readonly text: string;
  /** The character of each cell; the second cell of a wide character is empty. */
  readonly chars: readonly string[];
  /** The style of each cell, as a number of the parser's. */
  readonly styles: readonly number[];
  /** Whether the row holds a character whose width terminals disagree on. */
  readonly odd: boolean;
};

const ASCII = /^[\x20-\x7e]*$/;
/** The most rows and styles that are cached: links in foreign text must not fill the memory. */
const MAX_ROWS = 500;
const MAX_STYLES = 4096;

/** Returns whether terminals disagree on the width: joined characters, emoji, and wide signs below the CJK blocks. */
export function isRisky(char: string, width: number): boolean {
  return char.length > 1 || (width > 1 && char < '\u2e80');
}

export class CellParser {
  readonly #styles: Style[] = [PLAIN];
  readonly #numbers = new Map<string, number>([['|', 0]]);
  readonly #rows = new Map<string, Row>();
  #columns = 0;

  /** Returns the style of a number; 0 is no style. */
  style(number: number): Style {
    return this.#styles[number] ?? PLAIN;
  }

  /** Whether there are too many styles: then `reset` is due, which invalidates all earlier rows. */
  get full(): boolean {
    return this.#styles.length > MAX_STYLES;
  }

  reset(): void {
    this.#styles.length = 1;
    this.#numbers.clear();
    this.#numbers.set('|', 0);
    this.#rows.clear();
  }

  /** Parses a line into a row of `columns` cells. A longer line ends with an ellipsis. */
  parse(text: string, columns: number): Row {
    if (columns !== this.#columns || this.#rows.size > MAX_ROWS) this.#rows.clear();
    this.#columns = columns;
    let row = this.#rows.get(text);
    if (!row) {
      row = this.#parse(text, columns);
      this.#rows.set(text, row);
    }
    return row;
  }

  #parse(text: string, columns: number): Row {
    const cells = new Cells(columns);
    let style = PLAIN;
    let at = 0;
    while (at < text.length && !cells.overflown) {
      const start = text.indexOf('\x1b', at);
      const end = start < 0 ? text.length : start;
      if (end > at) cells.add(text.slice(at, end), this.#numberOf(style));
      if (start < 0) break;
      const sequence = readSequence(text, start);
      const change = styleOf(text, sequence);
      if (change && 'sgr' in change) style = { ...style, sgr: applySgr(style.sgr, change.sgr) };
      else if (change) style = { ...style, link: isSafeLink(change.link) ? change.link : '' };
      at = Math.max(start + 1, sequence.end);
    }
    const { chars, styles, odd } = cells;
    return { text, chars, styles, odd };
  }

  #numberOf({ sgr, link }: Style): number {
    const key = `${sgr}|${link}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#styles.push({ sgr, link }) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }
}

/** A row under construction. */
class Cells {
  readonly chars: string[];
  readonly styles: number[];
  odd = false;
  overflown = false;
  #x = 0;

  constructor(columns: number) {
    this.chars = Array.from({ length: columns }, () => ' ');
    this.styles = Array.from({ length: columns }, () => 0);
  }

  /** Appends a text without escape sequences. */
  add(text: string, style: number): void {
    if (ASCII.test(text)) {
      for (const char of text) if (!this.#put(char, 1, style)) return;
      return;
    }
    for (const each of graphemes(displayText(plainText(text)))) {
      // Only tab and newline remain of the control characters, and neither belongs in a line.
      const char = each < ' ' ? ' ' : each;
      const width = graphemeWidth(char);
      if (width === 0) this.#join(char);
      else if (!this.#put(char, width, style)) return;
    }
  }

  #put(char: string, width: number, style: number): boolean {
    if (this.#x + width > this.chars.length) {
      this.#cut();
      return false;
    }
    if (isRisky(char, width)) this.odd = true;
    this.chars[this.#x] = char;
    for (let cell = 0; cell < width; cell += 1) {
      if (cell > 0) this.chars[this.#x + cell] = '';
      this.styles[this.#x + cell] = style;
    }
    this.#x += width;
    return true;
  }

  /** Adds a character of width zero to the character before it. */
  #join(mark: string): void {
    const head = this.#headOf(this.#x - 1);
    if (head < 0) return;
    this.chars[head] += mark;
    this.odd = true;
  }

  /** Puts an ellipsis into the last cell. */
  #cut(): void {
    this.overflown = true;
    const last = Math.min(this.#x, this.chars.length - 1);
    const head = this.#headOf(last);
    if (head < 0) return;
    if (last === this.#x && last > 0) this.styles[last] = this.styles[last - 1] ?? 0;
    for (let cell = head; cell < this.chars.length; cell += 1) this.chars[cell] = ' ';
    this.chars[head] = '…';
  }

  /** Returns the first cell of the character that occupies a cell. */
  #headOf(cell: number): number {
    let head = cell;
    while (head > 0 && this.chars[head] === '') head -= 1;
    return head;
  }
}
