/** Long entries folded: to their beginning and end by themselves, to their first line when the user closes them (UI-2). */
import type { Entry } from '../../session/entry.ts';

/** How an entry is drawn; without a choice of the user's it is `auto`. */
export type Fold = 'auto' | 'open' | 'closed';

/** Entries up to this many lines are never folded by themselves. */
export const MAX_UNFOLDED_LINES = 30;
/** Lines left at both ends, and the lines of an entry that was closed: the blank one above it and its heading. */
const ENDS = 8;
const CLOSED = 2;

/** Output that nobody typed a command for: it may be folded without being asked. What the user ran stays as it is. */
function foldsByItself(entry: Entry): boolean {
  return (entry.kind === 'exec' && entry.by === 'model') || entry.kind === 'tool';
}

/** Whether an entry of so many lines is drawn with lines left out. */
export function isFolded(fold: Fold, entry: Entry, lines: number): boolean {
  // What a sub-agent did is shown when it is asked for.
  if (entry.kind === 'delegate') return fold !== 'open';
  if (fold === 'closed') return lines > CLOSED + 1;
  return fold === 'auto' && lines > MAX_UNFOLDED_LINES && foldsByItself(entry);
}

/** What is left of an entry's lines; `note` draws the line that stands for so many others. */
export function foldLines(lines: readonly string[], fold: Fold, note: (left: number) => string): readonly string[] {
  const head = lines.slice(0, fold === 'closed' ? CLOSED : ENDS);
  const tail = fold === 'closed' ? [] : lines.slice(-ENDS);
  return [...head, note(lines.length - head.length - tail.length), ...tail];
}
