/** The mouse in the transcript: selecting within one entry, turning the wheel, following links (UI-2). */
import { displayText, graphemes, graphemeWidth } from '../../text/display.ts';
import { visible } from '../../text/sanitize.ts';
import { eachStyle, stripStyles } from '../../text/style.ts';
import type { Row } from '../render/viewport.ts';
import type { Schedule } from '../terminal/schedule.ts';
import { GUTTER } from './entries/frame.ts';

type Spot = { readonly line: number; readonly cell: number };
/** A range, including both ends. */
type Range = { readonly key: string; readonly from: Spot; readonly to: Spot };

/** Presses closer together than this form one click: two select the word, three the line. In ms. */
const MULTI_MS = 400;
/** Characters that a double click selects together: words, paths, addresses. */
const WORD = /[\p{L}\p{N}_./~:@%+=?&#-]/u;

export type SelectionOptions = {
  /** Returns the lines of an entry as shown. */
  readonly linesOf: (key: string) => readonly string[];
  readonly now: () => number;
  readonly onChange: () => void;
};

export class MouseSelection {
  readonly #options: SelectionOptions;
  #rows: readonly Row[] = [];
  #place = { y: 0, height: 0 };
  #anchor: (Spot & { readonly key: string }) | undefined;
  #range: Range | undefined;
  #pressed = { at: Number.NEGATIVE_INFINITY, x: -1, y: -1, count: 0 };

  constructor(options: SelectionOptions) {
    this.#options = options;
  }

  /** Takes the rows of the transcript as last drawn; the last row is at the bottom of the pane. */
  shows(rows: readonly Row[]): void {
    this.#rows = rows;
  }

  /** Takes the pane's place on the screen. */
  placed(place: { readonly y: number; readonly height: number }): void {
    this.#place = place;
  }

  /** Returns the selected cells of a row. */
  cellsOf(key: string, line: number): readonly [from: number, to: number] | undefined {
    const range = this.#range;
    if (range?.key !== key || line < range.from.line || line > range.to.line) return undefined;
    const from = line === range.from.line ? range.from.cell : 0;
    return [Math.max(GUTTER, from), line === range.to.line ? range.to.cell + 1 : Number.POSITIVE_INFINITY];
  }

  /** Handles a button press: the second one in a place selects the word, the third one the line. */
  press(x: number, y: number): void {
    const at = this.#options.now();
    const again = at - this.#pressed.at < MULTI_MS && this.#pressed.y === y && Math.abs(this.#pressed.x - x) < 2;
    this.#pressed = { at, x, y, count: again ? this.#pressed.count + 1 : 1 };
    const row = this.#rowAt(y);
    this.#anchor = row && { key: row.key, line: row.line, cell: x };
    this.#select(undefined);
    if (!row || this.#pressed.count === 1) return;
    const words = this.#pressed.count === 2 ? wordAt(row.text, x) : undefined;
    const [from, to] = this.#pressed.count === 2 ? (words ?? [x, x]) : [0, Number.MAX_SAFE_INTEGER];
    this.#select({ key: row.key, from: { line: row.line, cell: from }, to: { line: row.line, cell: to } });
  }

  drag(x: number, y: number): void {
    const anchor = this.#anchor;
    if (!anchor || this.#pressed.count > 1) return;
    const { y: top, height } = this.#place;
    const rows = this.#rows.slice(-height).map((row, index) => ({ row, y: top + index }));
    const own = rows.filter(({ row }) => row.key === anchor.key);
    const nearest = own.reduce(
      (best, each) => (Math.abs(each.y - y) < Math.abs(best.y - y) ? each : best),
      own[0] ?? { row: anchor, y },
    );
    const cell = nearest.y === y ? x : nearest.y < y ? Number.MAX_SAFE_INTEGER : 0;
    const spot = { line: nearest.row.line, cell };
    const ahead = spot.line > anchor.line || (spot.line === anchor.line && spot.cell >= anchor.cell);
    const [from, to] = ahead ? [anchor, spot] : [spot, anchor];
    this.#select({ key: anchor.key, from, to });
  }

  /** Returns the selected text, or the entry and line of a plain click. */
  release(x: number, y: number): { readonly text: string } | { readonly clicked: Row } | undefined {
    const anchor = this.#anchor;
    this.#anchor = undefined;
    if (!anchor) return undefined;
    if (this.#range) return { text: this.#text(this.#range) };
    const row = this.#rowAt(y);
    return row?.key === anchor.key && row.line === anchor.line && Math.abs(x - anchor.cell) < 2
      ? { clicked: row }
      : undefined;
  }

  /** Drops the selection. */
  clear(): void {
    this.#anchor = undefined;
    this.#select(undefined);
  }

  #select(range: Range | undefined): void {
    if (range === this.#range) return;
    this.#range = range;
    this.#options.onChange();
  }

  #rowAt(y: number): Row | undefined {
    const { y: top, height } = this.#place;
    return y >= top && y < top + height ? this.#rows.slice(-height)[y - top] : undefined;
  }

  /** Returns the selected text without gutters and trailing blanks. */
  #text({ key, from, to }: Range): string {
    const lines = this.#options.linesOf(key).slice(from.line, to.line + 1);
    const cut = lines.map((_, index) => {
      const [first, last] = this.cellsOf(key, from.line + index) ?? [0, 0];
      return cellsOf(stripStyles(lines[index] ?? ''), first, last).trimEnd();
    });
    return cut.join('\n');
  }
}

function cellsOf(text: string, from: number, to: number): string {
  let cell = 0;
  let out = '';
  for (const grapheme of graphemes(text)) {
    if (cell >= from && cell < to) out += grapheme;
    cell += graphemeWidth(grapheme);
  }
  return out;
}

/** Returns the first and the last cell of the word at `x`. */
function wordAt(line: string, x: number): readonly [number, number] | undefined {
  let cell = 0;
  let start: number | undefined;
  let end = 0;
  for (const grapheme of graphemes(stripStyles(line))) {
    if (WORD.test(grapheme)) {
      start ??= cell;
      end = cell + graphemeWidth(grapheme) - 1;
    } else if (start !== undefined && x >= start && x <= end) break;
    else start = undefined;
    cell += graphemeWidth(grapheme);
  }
  return start !== undefined && x >= start && x <= end ? [start, end] : undefined;
}

// Turns of the wheel: terminals send one to nine reports for one (measured with many terminals).

/** Reports closer together than this are one turn. In ms. */
const TURN_GAP_MS = 16;

/** Returns a function that takes each report and calls `scroll` once a turn, at its first report. */
export function createWheel(schedule: Schedule, scroll: (direction: -1 | 1) => void): (direction: -1 | 1) => void {
  let turning: -1 | 1 | undefined;
  return (direction) => {
    if (turning === direction) return;
    turning = direction;
    schedule(() => {
      turning = undefined;
    }, TURN_GAP_MS);
    scroll(direction);
  };
}

// Addresses under the mouse.

type Link = {
  /** The whole address of the link. */
  readonly address: string;
  /** Whether the words on screen are the address itself. */
  readonly plain: boolean;
};

const BARE = /https?:\/\/[^\s<>"'`]+/gi;
/** Punctuation and brackets after an address. */
const BEHIND = /[.,;:!?)\]}]+$/;
const MAX_CHARS = 4000;

/** Returns the link at a cell of a row, if there is one. */
export function linkAt(row: string, x: number): Link | undefined {
  const at = offsetOf(stripStyles(row), x);
  const marked = markedAt(row, at);
  if (marked) return { address: marked.address, plain: marked.words.trim() === marked.address };
  for (const found of stripStyles(row).matchAll(BARE)) {
    const bare = found[0].replace(BEHIND, '');
    if (found.index <= at && at < found.index + bare.length) return { address: bare, plain: true };
  }
  return undefined;
}

/** Returns the address and the words of a hyperlink at this place. */
function markedAt(row: string, at: number): { readonly address: string; readonly words: string } | undefined {
  let read = 0;
  let plain = '';
  let open = { address: '', from: 0 };
  for (const style of eachStyle(row)) {
    plain += row.slice(read, style.at);
    read = style.end;
    if (!('link' in style)) continue;
    if (open.address !== '' && open.from <= at && at < plain.length)
      return { address: open.address, words: plain.slice(open.from) };
    open = { address: style.link, from: plain.length };
  }
  return undefined;
}

/** Returns an address that a browser may show and that does not pretend to be another one; undefined for others. */
export function browsable(address: string): string | undefined {
  if (address.length > MAX_CHARS || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? href : undefined;
}

/** Returns the address with nothing hidden. */
function shownLink(address: string): string {
  return displayText(visible(address));
}

/** Returns the offset of the character in a cell. */
function offsetOf(text: string, x: number): number {
  let cell = 0;
  let offset = 0;
  for (const grapheme of graphemes(text)) {
    cell += graphemeWidth(grapheme);
    if (cell > x) return offset;
    offset += grapheme.length;
  }
  return offset;
}

/** The parts of the screen that following a link needs. */
type LinkFace = {
  /** Returns whether a browser was started. */
  readonly open: (address: string) => boolean;
  readonly copy: (address: string, shown: string) => void;
  readonly say: (text: string) => void;
};

/** Follows a clicked link (UI-2): http and https only, and never without showing the address first. */
export class LinkOpener {
  readonly #face: LinkFace;
  /** The hidden address that was shown last: another click opens it. */
  #shown: string | undefined;

  constructor(face: LinkFace) {
    this.#face = face;
  }

  /**
   * Opens an address that the text spells out; a hidden one is shown first. Without a browser the address is copied.
   */
  follow({ address, plain }: Link): void {
    const { open, copy, say } = this.#face;
    const shown = shownLink(address);
    const target = browsable(address);
    if (target === undefined) return say(`not opened: ${shown}`);
    if (!plain && this.#shown !== address) {
      this.#shown = address;
      return say(`another click opens ${shown}`);
    }
    this.#shown = undefined;
    if (open(target)) return say(`opened ${shown}`);
    copy(target, shown);
    say(`copied, there is no browser here: ${shown}`);
  }
}
