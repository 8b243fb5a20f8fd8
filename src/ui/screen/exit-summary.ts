/** What the normal screen keeps after the program has left: the end of the transcript, and how to resume (UI-6). */
import type { App } from '../../commands/app.ts';
import type { RenderContext } from '../render/theme.ts';
import { entryLines, revealEntry } from './entries/lines.ts';

/** Lines of the transcript kept at most; less on a small screen, so that the last one is not pushed out. */
const MAX_LINES = 40;

export function exitSummary(app: App, context: RenderContext, rows: number): string {
  const { entries } = app.engine.transcript;
  if (!entries.some(({ entry }) => entry.kind !== 'notice')) return '';
  const most = Math.max(1, Math.min(MAX_LINES, rows - 4));
  const tail: string[] = [];
  for (let at = entries.length - 1; at >= 0 && tail.length < most; at--) {
    const shown = entries[at];
    if (shown) tail.unshift(...entryLines(revealEntry(app.engine, shown.entry), context));
  }
  const { sessionId, unsaved } = app.info();
  const how = unsaved
    ? 'This session could not be saved: there is nothing to resume.'
    : `Resume this session: aish-tui --resume ${sessionId}`;
  return [...tail.slice(-most), '', how, ''].join('\n');
}
