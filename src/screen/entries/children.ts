/** A sub-agent, unfolded: everything that it did, as a transcript beside a line (TO-4). */
import type { Shown } from '../../engine/transcript.ts';
import type { Entry } from '../../session/entry.ts';
import { delegateHeading } from './delegate.ts';
import { execHeading } from './exec.ts';
import { withGutter } from './frame.ts';
import { entryLines } from './lines.ts';
import type { Look } from './look.ts';

const INDENT = 2;

/**
 * The task with its story. What it said last is its report, so that this is not said again.
 * @param show an entry as the user sees it
 */
export function storyLines(shown: Shown, look: Look, show: (entry: Entry) => Entry): string[] {
  const entry = show(shown.entry);
  if (entry.kind !== 'delegate') return entryLines(entry, look);
  const inner = { ...look, width: Math.max(1, look.width - INDENT) };
  const told = (shown.story?.entries ?? []).flatMap((part) => partLines(show(part.entry), inner));
  const bar = look.paint('dim', '┆ ');
  return [
    ' ',
    ...delegateHeading(entry.task, entry.result?.steps, look),
    ...withGutter(told, { first: bar, rest: bar }),
  ];
}

/** A command that runs is drawn by itself only in the user's own conversation. */
function partLines(entry: Entry, look: Look): string[] {
  return entry.kind === 'exec' && !entry.result ? [' ', ...execHeading(entry, look)] : entryLines(entry, look);
}
