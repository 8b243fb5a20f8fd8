/** Two histories as one: what was typed at this program's prompt, and what the user's shell has kept. */
import type { KeptLine } from './shell-history.ts';

/** A shell keeps whole seconds, and its clock starts when the line reaches it: so close, it is the same run. In ms. */
const SAME_RUN_MS = 5000;

/** A line of this program's own history; `at` in ms since the epoch, where it is known. */
export type OwnLine = { readonly line: string; readonly at: number | undefined };

/**
 * All lines, each once, at its newest place, oldest first. By time where both have one. A line without one stands where
 * its own history has it: behind the one before; what the shell keeps without times is lined up by the lines both have.
 */
export function merged(own: readonly OwnLine[], shells: readonly KeptLine[]): string[] {
  const times = new Map(own.flatMap(({ line, at }) => (at === undefined ? [] : [[line, at] as const])));
  const mine = newest(own);
  const theirs = newest(shells.map(({ line, at }) => ({ line, at: at ?? times.get(line) })));
  // What both have stands where it was last.
  const [when, ran] = [placesOf(mine), placesOf(theirs)];
  const left = mine.filter(({ line, at }) => at > (ran.get(line) ?? -Infinity) + SAME_RUN_MS);
  const right = theirs.filter(({ line, at }) => at + SAME_RUN_MS >= (when.get(line) ?? -Infinity));
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const [a, b] = [left[i], right[j]];
    const takesOwn = b === undefined || (a !== undefined && a.at < b.at);
    lines.push((takesOwn ? a : b)?.line ?? '');
    if (takesOwn) i += 1;
    else j += 1;
  }
  return lines;
}

type Placed = { readonly line: string; readonly at: number };

function placesOf(lines: readonly Placed[]): ReadonlyMap<string, number> {
  return new Map(lines.map(({ line, at }) => [line, at]));
}

/** Each line once, at its newest place, with a time that never goes back. */
function newest(lines: readonly OwnLine[]): readonly Placed[] {
  const seen = new Set<string>();
  const last: OwnLine[] = [];
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const each = lines[index];
    if (each === undefined || seen.has(each.line)) continue;
    seen.add(each.line);
    last.push(each);
  }
  let now = 0;
  return last.reverse().map(({ line, at }) => {
    now = Math.max(now, at ?? 0);
    return { line, at: now };
  });
}
