/** Wraps text with SGR and hyperlinks to lines no wider than a width, each complete in itself. */
import { displayText, graphemes, graphemeWidth, textWidth, visibleControls } from './display.ts';
import { applySgr, closeStyle, openStyle, PLAIN, type Style, stripStyles, styleAt } from './style.ts';

export type WrapOptions = {
  /** `word` breaks at blanks where it can; `hard` where the line is full, as a terminal does. */
  readonly mode?: 'word' | 'hard';
  /** Precedes every line but the first of each line of the text, within the width. */
  readonly indent?: string;
};

/** Cells between tab stops, as in terminals. */
const TAB = 8;
/** Text that needs no cleaning, and wrapping only by its length. */
const PLAIN_LINE = /^[\x20-\x7e]*$/;

/**
 * Wraps to `width` cells (at least 1). Styles and links continue over line ends, and every line closes what it opens.
 * Tabs are expanded; other control characters are shown as symbols. A newline at the end adds no empty line; an empty
 * text is one empty line. A character wider than the width becomes `…`.
 */
export function wrapText(text: string, width: number, options: WrapOptions = {}): string[] {
  const lines: string[] = [];
  const state: { style: Style } = { style: PLAIN };
  const source = text.endsWith('\n') ? text.slice(0, -1) : text;
  for (const line of source.split(/\r?\n/)) {
    if (state.style !== PLAIN || !PLAIN_LINE.test(line)) wrapLine(line, Math.max(1, width), options, state, lines);
    else if (line.length <= width) lines.push(line);
    else wrapPlain(line, Math.max(1, width), options, lines);
  }
  return lines;
}

/** Wraps text in which each character is a cell: most text, and all of a flood. */
function wrapPlain(line: string, width: number, options: WrapOptions, out: string[]): void {
  const indent = indentOf(options, width);
  const word = (options.mode ?? 'word') === 'word';
  for (let from = 0; from < line.length; ) {
    const before = from === 0 ? '' : indent;
    const to = Math.min(line.length, from + width - before.length);
    let next = to;
    let end = to;
    if (to < line.length && word) {
      const blank = line.lastIndexOf(' ', to);
      if (blank < to && blank > inkAt(line, from)) next = blank + 1;
      end = next;
      while (end > from && line[end - 1] === ' ') end--;
      while (line[next] === ' ') next++;
      if (end === from) end = Math.min(to, next);
    }
    out.push(before + line.slice(from, end));
    from = next;
  }
}

/** Returns the index of the first character that is not a blank. */
function inkAt(line: string, from: number): number {
  let at = from;
  while (line[at] === ' ') at++;
  return at;
}

function indentOf({ indent = '' }: WrapOptions, width: number): string {
  return indent.length < width ? indent : '';
}

type Cell = { readonly text: string; readonly width: number; readonly style: Style; readonly blank: boolean };

function wrapLine(line: string, width: number, options: WrapOptions, state: { style: Style }, out: string[]): void {
  const cells = toCells(line, state);
  const indent = indentOf(options, width);
  const word = (options.mode ?? 'word') === 'word';
  let from = 0;
  do {
    const lead = from === 0 ? '' : indent;
    const { to, lastBlank } = fitting(cells, from, width - lead.length);
    let next = to + 1;
    if (to < cells.length && to === from) {
      // The row is too narrow for a single character.
      out.push(lead + draw([{ text: '…', width: 1, style: cells[to]?.style ?? PLAIN, blank: false }]));
    } else {
      const broken = word && to < cells.length ? atBlank(cells, from, to, lastBlank) : { end: to, next: to };
      next = broken.next;
      out.push(lead + draw(cells.slice(from, broken.end)));
    }
    from = next;
  } while (from < cells.length);
}

/** Returns how many cells from `from` on fit, and the last blank behind a non-blank, where the line may break. */
function fitting(
  cells: readonly Cell[],
  from: number,
  room: number,
): { readonly to: number; readonly lastBlank: number } {
  let used = 0;
  let to = from;
  let lastBlank = -1;
  let inked = false;
  for (; to < cells.length; to++) {
    const cell = cells[to];
    if (cell === undefined || used + cell.width > room) break;
    used += cell.width;
    if (!cell.blank) inked = true;
    else if (inked) lastBlank = to;
  }
  return { to, lastBlank };
}

/** Returns where a line of words ends and where the next one begins: blanks at a break belong to neither. */
function atBlank(
  cells: readonly Cell[],
  from: number,
  to: number,
  lastBlank: number,
): { readonly end: number; readonly next: number } {
  let next = !cells[to]?.blank && lastBlank > from ? lastBlank + 1 : to;
  if (next >= cells.length) return { end: next, next };
  let end = next;
  while (end > from && cells[end - 1]?.blank) end--;
  while (next < cells.length && cells[next]?.blank) next++;
  // Blanks at the start of the text are its own indentation.
  return { end: end === from ? Math.min(to, next) : end, next };
}

function toCells(line: string, state: { style: Style }): Cell[] {
  const cells: Cell[] = [];
  let column = 0;
  let at = 0;
  const add = (plain: string) => {
    for (const text of graphemes(displayText(plain))) {
      const width = text === '\t' ? TAB - (column % TAB) : graphemeWidth(text);
      column += width;
      const last = cells.at(-1);
      // A character without a cell stays with the cell before it.
      if (width === 0 && last !== undefined)
        cells[cells.length - 1] = { ...last, text: last.text + text, blank: false };
      else if (text === '\t')
        for (let blank = 0; blank < width; blank++)
          cells.push({ text: ' ', width: 1, style: state.style, blank: true });
      else cells.push({ text, width, style: state.style, blank: text === ' ' });
    }
  };
  while (at < line.length) {
    const start = line.indexOf('\x1b', at);
    const end = start < 0 ? line.length : start;
    if (end > at) add(visibleControls(line.slice(at, end)));
    if (start < 0) break;
    const change = styleAt(line, start);
    if (!change) {
      add('␛');
      at = start + 1;
      continue;
    }
    state.style =
      'sgr' in change
        ? { ...state.style, sgr: applySgr(state.style.sgr, change.sgr) }
        : { ...state.style, link: safeLink(change.link) };
    if (state.style.sgr === '' && state.style.link === '') state.style = PLAIN;
    at = change.end;
  }
  return cells;
}

function draw(cells: readonly Cell[]): string {
  let result = '';
  let style = PLAIN;
  for (const cell of cells) {
    if (cell.style.sgr !== style.sgr || cell.style.link !== style.link) {
      result += closeStyle(style) + openStyle(cell.style);
      style = cell.style;
    }
    result += cell.text;
  }
  return result + closeStyle(style);
}

/** Returns an address that may be clickable, in printable ASCII; empty for others. */
export function safeLink(address: string): string {
  return /^(?:https?:\/\/|mailto:)[\x21-\x7e]{1,2000}$/i.test(address) ? address : '';
}

/** Returns the cells of a line that may hold SGR and hyperlinks. */
export function lineWidth(line: string): number {
  return textWidth(stripStyles(line));
}
