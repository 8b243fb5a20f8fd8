/** Folds: an entry is open, or folded to what says most about it, with the number of lines left out (UI-2). Pure. */

import type { Entry } from '../../../session/entry.ts';
import { stripStyles } from '../../../text/style.ts';
import type { Paint } from '../../render/theme.ts';

/** How an entry is drawn; without a choice of the user's it is `auto`. */
export type Fold = 'auto' | 'open' | 'closed';

/** Entries up to this many lines are never folded by themselves. */
export const MAX_UNFOLDED_LINES = 30;
/** Where an entry's heading stands: behind an empty line. */
export const HEADING = 1;
/** Lines left at both ends, and the lines of an entry that was closed: the blank one above it and its heading. */
const ENDS = 8;
const CLOSED = 2;

/** Output that nobody typed a command for: it may be folded without being asked. What the user ran stays as it is. */
function foldsByItself(entry: Entry, lines: number): boolean {
  return lines > MAX_UNFOLDED_LINES && ((entry.kind === 'exec' && entry.by === 'model') || entry.kind === 'tool');
}

/** Whether an entry of so many lines is drawn with lines left out. */
export function isFolded(fold: Fold, entry: Entry, lines: number): boolean {
  // What a sub-agent did is shown when it is asked for.
  if (entry.kind === 'delegate') return fold !== 'open';
  if (fold === 'closed') return lines > CLOSED + 1;
  return fold === 'auto' && foldsByItself(entry, lines);
}

/** The other of the two states of an entry; what folds by itself goes back to just that. Undefined: it is too short. */
export function otherFold(fold: Fold, entry: Entry, lines: number, isStep: boolean): Fold | undefined {
  if (isStep || entry.kind === 'delegate' || foldsByItself(entry, lines)) return fold === 'open' ? 'auto' : 'open';
  if (isFolded(fold, entry, lines)) return 'open';
  return isFolded('closed', entry, lines) ? 'closed' : undefined;
}

/** What is left of an entry's lines, with a row that says how many are not: `┆ 287 more · Ctrl-O`. */
export function foldLines(lines: readonly string[], fold: Fold, paint: Paint, key: string): readonly string[] {
  const head = lines.slice(0, fold === 'closed' ? CLOSED : ENDS);
  const tail = fold === 'closed' ? [] : lines.slice(-ENDS);
  const left = lines.length - head.length - tail.length;
  const count = `${left.toLocaleString('en')} ${fold === 'closed' ? (left === 1 ? 'line' : 'lines') : 'more'}`;
  return [...head, paint('dim', `┆ ${[count, key].filter(Boolean).join(' · ')}`), ...tail];
}

/** The heading, and what of the rest holds the text; case counts only where the text has a capital. */
export function filteredLines(lines: readonly string[], text: string): readonly string[] {
  const exact = text !== text.toLowerCase();
  return lines.filter((line, index) => {
    const plain = stripStyles(line);
    return index <= HEADING || (exact ? plain : plain.toLowerCase()).includes(text);
  });
}
