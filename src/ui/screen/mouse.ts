/** The mouse in the transcript: selecting within one entry, turning the wheel, following links (UI-2). */
import { displayText, graphemes, graphemeWidth } from '../../text/display.ts';
import { visible } from '../../text/sanitize.ts';
import { eachStyle, stripStyles } from '../../text/style.ts';
import type { Row } from '../render/viewport.ts';
import type { Schedule } from '../terminal/schedule.ts';
import { GUTTER } from './entries/frame.ts';

type Spot = { readonly line: number; readonly cell: number };
/** Both ends are within it. */
type Range = { readonly key: string; readonly from: Spot; readonly to: Spot };

/** Presses nearer to each other than this belong together: two take the word, three the line. In ms. */
const MULTI_MS = 400;
/** What a double click takes: words, paths, addresses. */
const WORD = /[\p{L}\p{N}_./~:@%+=?&#-]/u;

export type SelectionOptions = {
  /** The lines of an entry as they are shown. */
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

  /** The rows of the transcript as they were drawn last; the last of them stand at the bottom of their place. */
  shows(rows: readonly Row[]): void {
    this.#rows = rows;
  }

  /** Where they stand on the screen. */
  placed(place: { readonly y: number; readonly height: number }): void {
    this.#place = place;
  }

  /** The cells of a row that are selected. */
  cellsOf(key: string, line: number): readonly [from: number, to: number] | undefined {
    const range = this.#range;
    if (range?.key !== key || line < range.from.line || line > range.to.line) return undefined;
    const from = line === range.from.line ? range.from.cell : 0;
    return [Math.max(GUTTER, from), line === range.to.line ? range.to.cell + 1 : Number.POSITIVE_INFINITY];
  }

  /** A button goes down; the second time in a place it takes the word, the third time the line. */
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

  /** What was selected, as text; or the entry and line that were only clicked on. */
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

  /** Nothing is selected any more. */
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

  /** Line by line, without gutters and the blanks at the ends. */
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

/** The first and the last cell of the word at `x`. */
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

// Turns of the wheel: one to nine reports of a terminal are one of them (notes of many terminals differ).

/** Reports closer together than this are one turn. In ms. */
const TURN_GAP_MS = 16;

/** Gives a function that takes each report and calls `scroll` once a turn, at its first report. */
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
  /** Where it leads, whole. */
  readonly address: string;
  /** The words on the screen are the address itself. */
  readonly plain: boolean;
};

const BARE = /https?:\/\/[^\s<>"'`]+/gi;
/** Ends of sentences and brackets around an address. */
const BEHIND = /[.,;:!?)\]}]+$/;
const MAX_CHARS = 4000;

/** The link at a cell of a row; undefined where there is none. */
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

/** A hyperlink of the text at this place of its words: where it leads, and its words. */
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

/** Only what a browser shows, and nothing that pretends to lead elsewhere; undefined of anything else. */
export function browsable(address: string): string | undefined {
  if (address.length > MAX_CHARS || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  return /^https?:$/.test(protocol) && username === '' && password === '' ? href : undefined;
}

/** As it can be read: nothing in it is hidden. */
function shownLink(address: string): string {
  return displayText(visible(address));
}

/** Which character of a text stands in a cell. */
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

/** What following a link needs of the screen. */
type LinkFace = {
  /** Whether a browser was started. */
  readonly open: (address: string) => boolean;
  readonly copy: (address: string, shown: string) => void;
  readonly say: (text: string) => void;
};

/** Follows a clicked link (UI-2): http and https only, and never without showing first where it leads. */
export class LinkOpener {
  readonly #face: LinkFace;
  /** The address behind words that was shown last: another click opens it. */
  #shown: string | undefined;

  constructor(face: LinkFace) {
    this.#face = face;
  }

  /** Opens an address that the text spells out; one behind words is shown first. Without a browser it is copied. */
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
