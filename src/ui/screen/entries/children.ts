/** A sub-agent, unfolded: everything that it did, as a transcript beside a line (TO-4). */
import type { TranscriptItem } from '../../../engine/transcript.ts';
import type { Entry } from '../../../session/entry.ts';
import type { RenderContext } from '../../render/theme.ts';
import { delegateHeading } from './delegate.ts';
import { execHeading } from './exec.ts';
import { withGutter } from './frame.ts';
import { entryLines } from './lines.ts';

const INDENT = 2;

/**
 * An entry; a sub-agent with everything that it did. What it said last is its report, which is not repeated.
 * @param reveal an entry as the user sees it
 */
export function itemLines(item: TranscriptItem, context: RenderContext, reveal: (entry: Entry) => Entry): string[] {
  const entry = reveal(item.entry);
  if (entry.kind !== 'delegate') return entryLines(entry, context);
  const inner = { ...context, width: Math.max(1, context.width - INDENT) };
  const lines = (item.children?.entries ?? []).flatMap((child) => childLines(reveal(child.entry), inner));
  const bar = context.paint('dim', '┆ ');
  return [' ', ...delegateHeading(entry.task, entry.result, context), ...withGutter(lines, { first: bar, rest: bar })];
}

/** A command that runs is drawn by itself only in the user's own conversation. */
function childLines(entry: Entry, context: RenderContext): string[] {
  return entry.kind === 'exec' && !entry.result ? [' ', ...execHeading(entry, context)] : entryLines(entry, context);
}
