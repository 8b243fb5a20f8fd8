/** The word of `words` that is closest to `word`, when it is close enough to be what was meant. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  let best: string | undefined;
  let bound = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of words) {
    const distance = candidate.startsWith(word) && word.length > 1 ? 1 : editDistance(word, candidate);
    if (distance < bound) {
      bound = distance;
      best = candidate;
    }
  }
  return best;
}

/** Levenshtein's distance; both words are short. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
