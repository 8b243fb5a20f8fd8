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

/** Letters put in, left out, changed, and neighbours that changed places; both words are short. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
