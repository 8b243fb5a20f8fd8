/** Finds a text in another: exactly, or ignoring blanks and tabs. */
import { type Lines, toNewlines } from './lines.ts';
import type { Patch } from './patches.ts';

/**
 * Returns the offset of every occurrence, including overlapping ones. Knuth-Morris-Pratt: linear time, unlike the
 * built-in search, because a model may choose both texts.
 */
export function occurrences(text: string, pattern: string): number[] {
  const found: number[] = [];
  if (pattern === '' || pattern.length > text.length) return found;
  const shorter = borders(pattern);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && pattern.charCodeAt(matched) !== code) matched = shorter[matched - 1] ?? 0;
    if (pattern.charCodeAt(matched) === code) matched += 1;
    if (matched < pattern.length) continue;
    found.push(at + 1 - matched);
    matched = shorter[matched - 1] ?? 0;
  }
  return found;
}

/** Returns for each prefix of the pattern the length of its longest border. */
function borders(pattern: string): Int32Array {
  const lengths = new Int32Array(pattern.length);
  let length = 0;
  for (let at = 1; at < pattern.length; at += 1) {
    while (length > 0 && pattern.charCodeAt(length) !== pattern.charCodeAt(at)) length = lengths[length - 1] ?? 0;
    if (pattern.charCodeAt(length) === pattern.charCodeAt(at)) length += 1;
    lengths[at] = length;
  }
  return lengths;
}

/** Text without blanks around lines and with single ones inside; `at` maps to the original offsets. */
export type Squeezed = { readonly text: string; readonly at: Int32Array };

/** Keeps line breaks. A last line without one gets one, mapped to the end of the text. */
function squeeze(text: string): Squeezed {
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  const at = new Int32Array(whole.length);
  const parts: string[] = [];
  let length = 0;
  let lineBegins = true;
  for (const { 0: part, index } of whole.matchAll(/\n|\S+/g)) {
    if (part !== '\n' && !lineBegins) {
      at[length] = index - 1;
      length += 1;
      parts.push(' ');
    }
    for (let i = 0; i < part.length; i += 1) at[length + i] = index + i;
    length += part.length;
    parts.push(part);
    lineBegins = part === '\n';
  }
  return { text: parts.join(''), at };
}

/** A match that ignores blanks and tabs, with the indentation for its replacement. */
export type Place = {
  readonly start: number;
  readonly end: number;
  /** The old text ends with a line break that the file's last line lacks. */
  readonly lacksBreak: boolean;
  /** Whether `start` is at the beginning of a line, and the old text includes its indentation. */
  readonly indented: boolean;
  /** Returns the new text with the file's indentation; `first`: in its first line too. */
  reindent(newText: string, first: boolean): string;
};

/**
 * @param wanted text with `\n` for line breaks
 * @returns the offsets of matches that ignore blanks; `place` is undefined if there are several, or if the
 * indentation differs too irregularly to derive the new text's
 */
function tolerant(text: string, squeezed: Squeezed, wanted: string): { at: number[]; place?: Place } {
  const small = squeeze(wanted).text;
  const pattern = wanted.endsWith('\n') ? small : small.slice(0, -1);
  if (pattern.trim() === '') return { at: [] };
  const found = occurrences(squeezed.text, pattern);
  const at = found.map((offset) => squeezed.at[offset] ?? 0);
  const [first] = found;
  if (first === undefined || found.length > 1) return { at };
  const start = squeezed.at[first] ?? 0;
  const end = (squeezed.at[first + pattern.length - 1] ?? 0) + 1;
  const place = placeAt(text, wanted, start, end);
  return place ? { at, place } : { at };
}

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? '';
const isBlank = (line: string): boolean => line.trim() === '';

function placeAt(text: string, wanted: string, from: number, to: number): Place | undefined {
  const lacksBreak = to > text.length;
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  const lead = from === 0 ? '' : text.slice(lineStart, from);
  const lines = wanted.split('\n');
  const [firstLine = ''] = lines;
  // Line breaks must match, so the lines correspond one to one.
  const there = text.slice(lineStart, to).split('\n');
  const pairs = lines
    .map((line, index): [string, string] => [line, there[index] ?? ''])
    .slice(1)
    .filter(([line]) => !isBlank(line))
    .map(([line, other]): [string, string] => [indentOf(line), indentOf(other)]);
  const begins = isBlank(lead) && !isBlank(firstLine);
  // A text that starts after its first line's indentation says nothing about it, unless all its lines are shifted.
  const indented = begins && (indentOf(firstLine) !== '' || pairs.some(([mine, file]) => mine !== file));
  if (indented) pairs.unshift([indentOf(firstLine), lead]);
  const indents = new Map<string, string>();
  for (const [mine, file] of pairs) {
    if ((indents.get(mine) ?? file) !== file) return undefined;
    indents.set(mine, file);
  }
  let start = indented ? lineStart : from;
  if (/^[ \t]/.test(firstLine)) while (start > 0 && /[ \t]/.test(text[start - 1] ?? '')) start -= 1;
  let end = Math.min(to, text.length);
  if (/[ \t]$/.test(wanted)) while (/[ \t]/.test(text[end] ?? '')) end += 1;
  return { start, end, lacksBreak, indented, reindent: (newText, first) => indentLike(newText, indents, first) };
}

function indentLike(newText: string, indents: ReadonlyMap<string, string>, first: boolean): string {
  const known = [...indents].sort(([one], [other]) => other.length - one.length);
  return newText
    .split('\n')
    .map((line, index) => {
      if ((index === 0 && !first) || isBlank(line)) return line;
      const indent = indentOf(line);
      return translate(indent, known) + line.slice(indent.length);
    })
    .join('\n');
}

/** Returns the file's indentation for one of the model's: a known one, or one relative to a known one. */
function translate(indent: string, known: readonly (readonly [string, string])[]): string {
  const shallower = known.find(([mine]) => indent.startsWith(mine));
  if (shallower) return shallower[1] + indent.slice(shallower[0].length);
  const deeper = known.findLast(([mine, file]) => mine.startsWith(indent) && file.endsWith(mine.slice(indent.length)));
  return deeper ? deeper[1].slice(0, deeper[1].length - (deeper[0].length - indent.length)) : indent;
}

/** How many lines of the wanted text are compared, and how many characters of each. */
const MAX_COMPARED = 4;
const MAX_LINE_CHARS = 160;
/** Below this similarity (0 to 1) two places have little more in common than the language. */
const MIN_SIMILARITY = 0.5;
const MAX_SHOWN_LINES = 6;
const MAX_MORE_PLACES = 3;

/**
 * @param text,wanted with `\n` for line breaks
 * @returns lines for the model: the closest place with its text, and further ones by line number; empty if nothing is
 * close
 */
function nearest(text: string, wanted: string): string[] {
  const wantedLines = wanted.split('\n');
  const skipped = wantedLines.findIndex((line) => line.trim() !== '');
  const compared = wantedLines.slice(skipped, skipped + MAX_COMPARED).map(pairsOf);
  const lines = text.split('\n');
  const pairs = lines.map(pairsOf);
  const places = lines
    .map((_, at) => ({ at: at - skipped, score: likeness(compared, pairs, at) }))
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .sort((one, other) => other.score - one.score || one.at - other.at);
  const [best, ...others] = places;
  if (!best) return [];
  const from = Math.max(0, best.at);
  const count = wantedLines.at(-1) === '' ? wantedLines.length - 1 : wantedLines.length;
  const shown = lines.slice(from, from + Math.min(count, MAX_SHOWN_LINES));
  const more = others.slice(0, MAX_MORE_PLACES).map(({ at }) => Math.max(0, at) + 1);
  return [
    `closest, line ${from + 1}:`,
    ...shown.map((line) => `  | ${line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line}`),
    ...(count > MAX_SHOWN_LINES ? [`  | … ${count - MAX_SHOWN_LINES} more`] : []),
    ...(more.length > 0 ? [`also alike: line ${more.join(', ')}`] : []),
  ];
}

type Pairs = ReadonlyMap<string, number>;

/** Counts the pairs of adjacent characters in a line, ignoring case and blanks. */
function pairsOf(line: string): Pairs {
  const text = line.slice(0, MAX_LINE_CHARS).replace(/\s+/g, '').toLowerCase();
  const pairs = new Map<string, number>();
  for (let at = 0; at < Math.max(1, text.length - 1); at += 1) {
    const pair = text.slice(at, at + 2);
    if (pair !== '') pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** The mean of Dice's coefficient over the compared lines, weighted by their size. */
function likeness(wanted: readonly Pairs[], pairs: readonly Pairs[], at: number): number {
  let common = 0;
  let total = 0;
  for (const [index, line] of wanted.entries()) {
    const other = pairs[at + index];
    total += size(line) + (other ? size(other) : 0);
    if (!other) continue;
    for (const [pair, count] of line) common += 2 * Math.min(count, other.get(pair) ?? 0);
  }
  return total === 0 ? 0 : common / total;
}

function size(pairs: Pairs): number {
  let count = 0;
  for (const times of pairs.values()) count += times;
  return count;
}

// Converts patches to edits with positions in the original text.

/** Replaces the original text from `start` to `end` (offsets of `Lines`). */
export type Edit = {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /**
   * The order of insertions at one place: start of the file, after the previous text, before the next text, end of
   * the file.
   */
  readonly rank: 0 | 1 | 2 | 3;
  /** Appended and prepended texts become lines of their own; others are inserted unchanged. */
  readonly form: 'plain' | 'append' | 'prepend';
  /** The index of the patch that has the change. */
  readonly patch: number;
};

export type Found = { readonly edits: readonly Edit[]; readonly note?: string } | { readonly problem: string };

/** For how many patches to search near matches, which requires a pass over all lines. */
const MAX_SEARCHES = 3;
const MAX_LINES_NAMED = 8;
/** How many places one call may change. A hundred replaceAll of one letter would fill the memory. */
const MAX_PLACES = 50_000;
/** A shorter text would match anywhere. */
const MIN_TELLING = 4;

/** Returns a function that finds patches in one text. The patches must be well-formed (`shapeProblem`). */
export function finder(lines: Lines): (patch: Patch, index: number) => Found {
  const { text } = lines;
  let squeezed: Squeezed | undefined;
  let searches = 0;
  let places = 0;
  return (patch, index) => {
    const newText = patch.newText ?? '';
    if (patch.operation === 'overwrite')
      return { edits: [{ start: 0, end: text.length, text: newText, rank: 0, form: 'plain', patch: index }] };
    if (patch.operation === 'prepend_bof')
      return { edits: [{ start: 0, end: 0, text: newText, rank: 0, form: 'prepend', patch: index }] };
    if (patch.operation === 'append_eof')
      return {
        edits: [{ start: text.length, end: text.length, text: newText, rank: 3, form: 'append', patch: index }],
      };

    const wanted = toNewlines(patch.oldText ?? '');
    const exact = occurrences(text, wanted);
    if (exact.length > 1 && patch.replaceAll !== true) return { problem: ambiguous(lines, exact) };
    if (exact.length > 0) {
      const starts = nonOverlapping(exact, wanted.length);
      places += starts.length;
      if (places > MAX_PLACES)
        return { problem: `more than ${MAX_PLACES} places would change; use a command for that` };
      return { edits: starts.map((at) => editAt(patch, index, at, at + wanted.length, newText)) };
    }

    squeezed ??= squeeze(text);
    const { at, place } = tolerant(text, squeezed, wanted);
    if (at.length === 1 && place) {
      const edit = editAt(patch, index, place.start, place.end, fitToPlace(patch, wanted, newText, place));
      return { edits: [edit], note: `matched line ${lines.line(place.start)} but for blanks; look at the diff` };
    }
    if (at.length > 1)
      return {
        problem: `oldText is not in the file as given; but for blanks it is there ${at.length} times (${named(lines, at)}): copy the exact text`,
      };
    searches += 1;
    const hints = searches > MAX_SEARCHES ? '' : hintsOf(lines, wanted, newText);
    return { problem: `${at.length === 1 ? IRREGULAR : 'oldText is not in the file'}${hints}` };
  };
}

const IRREGULAR =
  'oldText is in the file but for its indentation, which differs from line to line: copy the exact text';

function ambiguous(lines: Lines, offsets: readonly number[]): string {
  return (
    `oldText occurs ${offsets.length} times (${named(lines, offsets)}); ` +
    'take more lines around it to make it unique, or set replaceAll'
  );
}

function hintsOf(lines: Lines, wanted: string, newText: string): string {
  const near = nearest(lines.text, wanted);
  const [already] = newText.trim().length < MIN_TELLING ? [] : occurrences(lines.text, toNewlines(newText));
  const hints = [
    ...(near.length > 0 ? near : ['nothing in it is close']),
    ...(already === undefined ? [] : [`newText is there already, at line ${lines.line(already)}`]),
  ];
  return hints.map((hint) => `\n  ${hint}`).join('');
}

/** Returns the edit of a patch at the place of its old text. */
function editAt(patch: Patch, index: number, start: number, end: number, text: string): Edit {
  const edit = { text, form: 'plain', patch: index } as const;
  if (patch.operation === 'insert_before') return { ...edit, start, end: start, rank: 2 };
  if (patch.operation === 'insert_after') return { ...edit, start: end, end, rank: 1 };
  return { ...edit, start, end, rank: 2 };
}

/** Adapts a new text to an inexact match: the file's indentation, and its end of file unchanged. */
function fitToPlace(patch: Patch, wanted: string, newText: string, place: Place): string {
  const after = patch.operation === 'insert_after';
  const text = place.reindent(newText, after ? wanted.endsWith('\n') : place.indented);
  if (!place.lacksBreak || patch.operation === 'insert_before') return text;
  return (after ? '\n' : '') + text.replace(/\r?\n$/, '');
}

/** Returns the non-overlapping occurrences from the left. */
function nonOverlapping(starts: readonly number[], length: number): number[] {
  const kept: number[] = [];
  let end = 0;
  for (const start of starts) {
    if (start < end) continue;
    kept.push(start);
    end = start + length;
  }
  return kept;
}

function named(lines: Lines, offsets: readonly number[]): string {
  const numbers = [...new Set(offsets.slice(0, MAX_LINES_NAMED).map((offset) => lines.line(offset)))];
  const more = offsets.length > MAX_LINES_NAMED ? ', …' : '';
  return `${numbers.length === 1 ? 'line' : 'lines'} ${numbers.join(', ')}${more}`;
}
