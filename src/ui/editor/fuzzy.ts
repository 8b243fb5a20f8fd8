/** Fuzzy ranking for the history search and other lists: every word of the query must match, its letters in order. */

export type FuzzyMatch = {
  readonly text: string;
  readonly score: number;
  /** UTF-16 offsets of the matched characters, ascending, for highlighting. */
  readonly positions: readonly number[];
};

const LETTER = 1;
const ADJACENT = 5;
const WORD_START = 4;
const EXACT = 20;
const GAP = 0.2;
/** Lines of history per point: an older line must match better by one point for each. */
const AGE = 200;

/**
 * Returns the best matches of `query` among `lines` (oldest first), best first, newest first among equals. An empty
 * query gives the newest lines. Case counts only when the query has a capital.
 */
export function fuzzySearch(lines: readonly string[], query: string, limit = 100): FuzzyMatch[] {
  const words = query.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) {
    return lines
      .slice(-limit)
      .reverse()
      .map((text) => ({ text, score: 0, positions: [] }));
  }
  const exactCase = query !== query.toLowerCase();
  const found: FuzzyMatch[] = [];
  for (let index = lines.length - 1; index >= 0; index--) {
    const text = lines[index] ?? '';
    const match = matchWords(text, exactCase ? text : text.toLowerCase(), words);
    if (match !== undefined) found.push({ ...match, score: match.score - (lines.length - 1 - index) / AGE });
  }
  return found.sort((a, b) => b.score - a.score).slice(0, limit);
}

function matchWords(text: string, folded: string, words: readonly string[]): FuzzyMatch | undefined {
  let score = 0;
  const positions = new Set<number>();
  for (const word of words) {
    const match = matchWord(text, folded, word);
    if (match === undefined) return undefined;
    score += match.score;
    for (const position of match.positions) positions.add(position);
  }
  return { text, score, positions: [...positions].sort((a, b) => a - b) };
}

/** Matches a contiguous run of the letters, best at a word's start; else the letters in order, as close as possible. */
function matchWord(text: string, folded: string, word: string): { score: number; positions: number[] } | undefined {
  let best: { score: number; positions: number[] } | undefined;
  for (let at = folded.indexOf(word), tries = 0; at >= 0 && tries < 20; at = folded.indexOf(word, at + 1), tries++) {
    const score = EXACT + word.length * (LETTER + ADJACENT) + (startsWord(text, at) ? WORD_START : 0);
    if (best === undefined || score > best.score)
      best = { score, positions: Array.from(word, (_, index) => at + index) };
  }
  return best ?? scattered(text, folded, word);
}

function scattered(text: string, folded: string, word: string): { score: number; positions: number[] } | undefined {
  // Forwards to the first place where the match ends, then backwards from there: the shortest match with that end.
  let at = -1;
  for (let letter = 0; letter < word.length; letter++) {
    at = folded.indexOf(word[letter] ?? '', at + 1);
    if (at < 0) return undefined;
  }
  const positions: number[] = [];
  for (let letter = word.length - 1; letter >= 0; letter--) {
    at = folded.lastIndexOf(word[letter] ?? '', at);
    positions.unshift(at);
    at--;
  }
  let score = 0;
  for (const [index, position] of positions.entries()) {
    const gap = position - (positions[index - 1] ?? position - 1) - 1;
    score += LETTER + (startsWord(text, position) ? WORD_START : 0) + (index > 0 && gap === 0 ? ADJACENT : -GAP * gap);
  }
  return { score, positions };
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || (/[^\p{L}\p{N}]/u.test(text[at - 1] ?? '') && /[\p{L}\p{N}]/u.test(text[at] ?? ''));
}
