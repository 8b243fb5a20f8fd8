/** Matches names against globs, and finds names that are spelled nearly alike. */

/**
 * Returns whether one of the globs matches the whole of `name`: `*` any characters, `?` one, `[a-z]` and `[!a-z]` one
 * of a set.
 */
export function matchesGlob(name: string, globs: readonly string[]): boolean {
  return globs.some((glob) => matches(name, glob.match(/\[[!^]?\]?[^\]]*\]|./gsu) ?? []));
}

/**
 * Returns whether a name matches. Only the last star is retried, so the time is at most proportional to the product of
 * both lengths, whatever name a model gave a tool.
 */
function matches(name: string, parts: readonly string[]): boolean {
  const characters = [...name];
  let part = 0;
  let at = 0;
  let star = -1;
  let from = 0;
  while (at < characters.length) {
    if (parts[part] === '*') {
      star = part;
      from = at;
      part += 1;
    } else if (part < parts.length && fits(characters[at] ?? '', parts[part] ?? '')) {
      part += 1;
      at += 1;
    } else if (star >= 0) {
      part = star + 1;
      from += 1;
      at = from;
    } else return false;
  }
  return parts.slice(part).every((left) => left === '*');
}

function fits(character: string, part: string): boolean {
  if (part === '?' || part === character) return true;
  if (part.length < 3 || !part.startsWith('[')) return false;
  const negated = /^\[[!^]/.test(part);
  const ranges = part.slice(negated ? 2 : 1, -1).match(/.-.|./gsu) ?? [];
  const inside = ranges.some((range) => {
    const [first = '', , last = first] = range;
    return first <= character && character <= last;
  });
  return inside !== negated;
}

/** Returns the word of `words` closest to `word`, if it is close enough to be the one that was meant. */
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

/** Returns the number of letters inserted, left out, changed, and swapped with a neighbour; both words are short. */
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
