/** What the normal screen keeps after the program has left: the end of the transcript, and how to go on (UI-6). */
import type { Aish } from '../commands/aish.ts';
import { entryLines } from './entries/lines.ts';
import type { Look } from './entries/look.ts';
import { trueEntry } from './entries/true-text.ts';

/** Lines of the transcript kept at most; less on a small screen, so that the last one is not pushed out. */
const MOST_LINES = 40;

export function farewell(aish: Aish, look: Look, rows: number): string {
  const { entries } = aish.engine.transcript;
  if (!entries.some(({ entry }) => entry.kind !== 'notice')) return '';
  const most = Math.max(1, Math.min(MOST_LINES, rows - 4));
  const tail: string[] = [];
  for (let at = entries.length - 1; at >= 0 && tail.length < most; at--) {
    const shown = entries[at];
    if (shown) tail.unshift(...entryLines(trueEntry(aish.engine, shown.entry), look));
  }
  const { sessionId } = aish.info();
  return [...tail.slice(-most), '', `aish-tui --resume ${sessionId} goes on from here.`, ''].join('\n');
}
