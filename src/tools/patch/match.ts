/** Finds a text in another: exactly, or ignoring blanks and tabs. */

/**
 * The offset of every occurrence, overlapping ones too. Knuth, Morris and Pratt's search: linear in both texts, which
 * the built-in one is not, and both texts may be chosen by a model.
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

/** For each prefix of the pattern the length of the longest shorter prefix that it also ends with. */
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

/** Text whose lines have no blanks around them and single ones within; `at` leads back to the offsets before. */
export type Squeezed = { readonly text: string; readonly at: Int32Array };

/** Line breaks stay as they are. A last line without one gets one, which leads to the end of the text. */
export function squeeze(text: string): Squeezed {
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

/** One place where a text stands but for blanks and tabs, and how what replaces it must be indented there. */
export type Place = {
  readonly start: number;
  readonly end: number;
  /** The old text ends with a line break that the file's last line lacks. */
  readonly lacksBreak: boolean;
  /** Whether `start` is at the beginning of a line whose indentation the old text names. */
  readonly indented: boolean;
  /** A new text with the file's indentation for the one that the old text used; `first`: in its first line too. */
  reindent(newText: string, first: boolean): string;
};

/**
 * @param wanted text with `\n` for line breaks
 * @returns the offsets where it occurs but for blanks; `place` is absent where there is more than one, or where its
 *   lines are indented so differently that a new text's indentation can't be told
 */
export function tolerant(text: string, squeezed: Squeezed, wanted: string): { at: number[]; place?: Place } {
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
  // Line breaks are not tolerated, so the lines stand side by side.
  const there = text.slice(lineStart, to).split('\n');
  const pairs = lines
    .map((line, index): [string, string] => [line, there[index] ?? ''])
    .slice(1)
    .filter(([line]) => !isBlank(line))
    .map(([line, other]): [string, string] => [indentOf(line), indentOf(other)]);
  const begins = isBlank(lead) && !isBlank(firstLine);
  // A text that begins behind the indentation of its first line says nothing of it, unless all its lines are shifted.
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

/** The file's indentation for one of the model's: a known one, or one that is deeper or less deep than a known one. */
function translate(indent: string, known: readonly (readonly [string, string])[]): string {
  const shallower = known.find(([mine]) => indent.startsWith(mine));
  if (shallower) return shallower[1] + indent.slice(shallower[0].length);
  const deeper = known.findLast(([mine, file]) => mine.startsWith(indent) && file.endsWith(mine.slice(indent.length)));
  return deeper ? deeper[1].slice(0, deeper[1].length - (deeper[0].length - indent.length)) : indent;
}

/** Lines of the wanted text that are compared, and characters of each line. */
const MAX_COMPARED = 4;
const MAX_LINE_CHARS = 160;
/** Below this likeness (0 to 1) two places have little more in common than the language. */
const MIN_SIMILARITY = 0.5;
const MAX_SHOWN_LINES = 6;
const MAX_MORE_PLACES = 3;

/**
 * @param text,wanted with `\n` for line breaks
 * @returns lines for the model: the closest place with its text, and further ones by number; empty when nothing is close
 */
export function nearest(text: string, wanted: string): string[] {
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

/** The pairs of neighbouring characters of a line and how often each occurs, without case and blanks. */
function pairsOf(line: string): Pairs {
  const text = line.slice(0, MAX_LINE_CHARS).replace(/\s+/g, '').toLowerCase();
  const pairs = new Map<string, number>();
  for (let at = 0; at < Math.max(1, text.length - 1); at += 1) {
    const pair = text.slice(at, at + 2);
    if (pair !== '') pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** The mean of Dice's coefficient over the compared lines, weighed by their size. */
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
