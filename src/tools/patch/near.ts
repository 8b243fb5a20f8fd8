/** Where a file comes closest to a text that it does not hold, so that a model can copy what is really there. */

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
