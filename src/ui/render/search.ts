/** Search over the transcript's lines (`/`, `n`, `N`). */

import { graphemes, graphemeWidth } from '../../text/display.ts';
import { stripStyles, styleAt } from '../../text/style.ts';
import type { Anchor } from './viewport.ts';

export type Searchable = {
  readonly keys: readonly string[];
  /** Returns the entry's unwrapped text, so that entries can be skipped without wrapping them. */
  textOf(key: string): string;
  /** Returns the entry's wrapped lines. */
  linesOf(key: string): readonly string[];
};

/**
 * Returns the next line after `from` (or before it) in which a match begins, wrapping around the ends; undefined when
 * there is none. Without `from` the search starts at the beginning, or backwards at the end. Blanks and line ends don't
 * matter, so a match may be wrapped. Case counts only when the query has a capital.
 */
export function findLine(
  source: Searchable,
  query: string,
  from: Anchor | undefined,
  direction: -1 | 1,
): Anchor | undefined {
  const { keys } = source;
  const words = wordsOf(query);
  if (words.length === 0 || keys.length === 0) return undefined;
  const found = from === undefined ? -1 : keys.indexOf(from.key);
  const start = found >= 0 ? found : direction > 0 ? 0 : keys.length - 1;
  for (let step = 0; step <= keys.length; step++) {
    const key = keys[(start + direction * step + keys.length * 2) % keys.length] ?? '';
    if (!words.every((word) => wordIn(word, fold(source.textOf(key), query)))) continue;
    let lines = matchingLines(source.linesOf(key), query);
    if (direction < 0) lines = lines.reverse();
    const line = lines.find(
      (at) => found < 0 || step !== 0 || from === undefined || (direction > 0 ? at > from.line : at < from.line),
    );
    if (line !== undefined) return { key, line };
  }
  return undefined;
}

/** The longest that counting may take before it returns a partial count. In ms. */
const COUNT_MS = 40;

export type Count = {
  /** The number of the match at `at`, from 1; 0 if it was not counted. */
  readonly index: number;
  readonly count: number;
  /** Whether the count is partial. */
  readonly more: boolean;
};

/**
 * Counts the lines in which a match begins, and which of them `at` is. Bounded in time: a long transcript is counted in
 * part.
 */
export function countMatches(source: Searchable, query: string, at: Anchor | undefined): Count {
  const words = wordsOf(query);
  const end = performance.now() + COUNT_MS;
  let count = 0;
  let index = 0;
  if (words.length === 0) return { index, count, more: false };
  for (const key of source.keys) {
    if (performance.now() > end) return { index, count, more: true };
    if (!words.every((word) => wordIn(word, fold(source.textOf(key), query)))) continue;
    for (const line of matchingLines(source.linesOf(key), query)) {
      count += 1;
      if (at?.key === key && at.line === line) index = count;
    }
  }
  return { index, count, more: false };
}

/** Returns how often a text contains a query, ignoring line ends. */
export function occurrences(text: string, query: string): number {
  const needle = squeeze(fold(query, query));
  return needle === '' ? 0 : squeeze(fold(stripStyles(text), query)).split(needle).length - 1;
}

function wordsOf(query: string): readonly string[] {
  return fold(query, query)
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Compares only letters and digits, since Markdown may put marks inside a word. */
function wordIn(word: string, text: string): boolean {
  const parts = word.match(/[\p{L}\p{N}]+/gu);
  return parts === null ? true : parts.every((part) => text.includes(part));
}

/** Returns the lines in which a match begins, ascending. */
function matchingLines(lines: readonly string[], query: string): number[] {
  const needle = squeeze(fold(query, query));
  const starts: number[] = [];
  let joined = '';
  for (const line of lines) {
    starts.push(joined.length);
    joined += squeeze(fold(stripStyles(line), query));
  }
  const result = new Set<number>();
  for (let at = joined.indexOf(needle); at >= 0; at = joined.indexOf(needle, at + 1)) {
    result.add(starts.findLastIndex((start) => start <= at));
  }
  return [...result];
}

/** Inverts the first cell of a line: a bar to the left of the entry that keys act on. */
export function markStart(line: string): string {
  let at = 0;
  for (let style = styleAt(line, at); style; style = styleAt(line, at)) at = style.end;
  const [first = ' '] = graphemes(line.slice(at, at + 20));
  return `${line.slice(0, at)}\x1b[7m${first}\x1b[27m${line.slice(at + first.length)}`;
}

/**
 * Marks every match that lies within one line.
 * @param style SGR parameters; inverted (7) unless another is given
 */
export function markMatches(line: string, query: string, style = '7'): string {
  const needle = fold(query, query);
  const text = fold(stripStyles(line), query);
  if (needle.trim() === '' || !text.includes(needle)) return line;
  const inside = new Uint8Array(text.length);
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length))
    inside.fill(1, at, at + needle.length);
  return markInside(line, inside, style);
}

/** Marks the cells from `from` up to `to` (exclusive). */
export function markCells(line: string, from: number, to: number, style = '7'): string {
  const text = stripStyles(line);
  const inside = new Uint8Array(text.length);
  let cell = 0;
  let offset = 0;
  for (const grapheme of graphemes(text)) {
    if (cell >= from && cell < to) inside.fill(1, offset, offset + grapheme.length);
    cell += graphemeWidth(grapheme);
    offset += grapheme.length;
  }
  return markInside(line, inside, style);
}

/** Returns the line with the marked characters in another style, and its own style restored behind them. */
function markInside(line: string, inside: Uint8Array, style: string): string {
  const open = `\x1b[${style}m`;
  let result = '';
  let offset = 0;
  let on = false;
  /** The line's own styles in force. */
  let own = '';
  for (let at = 0; at < line.length; ) {
    const found = styleAt(line, at);
    if (found) {
      const sequence = line.slice(at, found.end);
      if (/^\x1b\[0*m$/.test(sequence)) own = '';
      else if (sequence.startsWith('\x1b[')) own += sequence;
      // An escape sequence inside a match may switch the mark off.
      result += sequence + (on ? open : '');
      at = found.end;
      continue;
    }
    const marked = inside[offset] === 1;
    if (marked !== on) result += marked ? open : `\x1b[0m${own}`;
    on = marked;
    result += line[at];
    offset++;
    at++;
  }
  return on ? `${result}\x1b[0m${own}` : result;
}

function fold(text: string, query: string): string {
  // toLowerCase may change the length (İ): only characters of one unit are folded, so that offsets hold.
  return query === query.toLowerCase() ? text.replace(/\p{Lu}/gu, lower) : text;
}

function lower(character: string): string {
  const result = character.toLowerCase();
  return result.length === character.length ? result : character;
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, '');
}
