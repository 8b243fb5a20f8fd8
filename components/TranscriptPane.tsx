import { useCallback } from 'react';
import { useScreen } from '../hooks/context.ts';
import { useViewport } from '../hooks/useViewport.ts';
import { markCells, markMatches, markStart } from '../src/ui/render/search.ts';
import { Lines } from './Lines.tsx';
import { useWelcome } from './Welcome.tsx';

type Props = { readonly columns: number; readonly rows: number };

/**
 * What has been said and run: the visible lines only (law 4). It draws as many as the whole part could show and is
 * pushed up by the streams below, so that a growing stream draws nothing here.
 */
export function TranscriptPane({ columns, rows }: Props) {
  const screen = useScreen();
  const { paint, navigator, selection } = screen;
  const { theme } = screen.renderContext(columns);
  const view = useViewport(columns, rows);
  const welcome = useWelcome(columns);
  const place = useCallback((at: { y: number; height: number }) => selection.placed(at), [selection]);
  selection.shows(view.rows);
  const lines = view.rows.map(({ key, line, text }) => {
    const inHand = navigator.match?.key === key && navigator.match.line === line;
    const hits = navigator.query === '' ? text : markMatches(text, navigator.query, inHand ? '1;7' : theme.hit);
    const cells = selection.cellsOf(key, line);
    const found = cells ? markCells(hits, ...cells) : hits;
    return key === navigator.selected && text !== ' ' ? markStart(found) : found;
  });
  const more = paint('dim', `── ↓ ${view.below.toLocaleString('en')} more below · Ctrl-End `);
  const shown =
    view.followsTail || view.below === 0 ? [...welcome, ...lines] : [...lines.slice(0, Math.max(0, rows - 1)), more];
  return <Lines lines={shown.slice(-rows)} shrinks onPlace={place} />;
}
