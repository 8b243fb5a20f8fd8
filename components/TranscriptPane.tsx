import { useCallback } from 'react';
import { useScreen } from '../hooks/context.ts';
import { useServerProblem } from '../hooks/useBroker.ts';
import { useShellCwd } from '../hooks/useExecutor.ts';
import { useConversation, usePreset, useSession, useTranscript } from '../hooks/useSession.ts';
import { useViewport } from '../hooks/useViewport.ts';
import { shortPath } from '../src/text/short-path.ts';
import { markCells, markMatches, markStart } from '../src/ui/render/search.ts';
import { welcomeLines } from '../src/ui/screen/welcome.ts';
import { Lines } from './Lines.tsx';

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

/** The first minute, above the prompt; nothing once there is a transcript. */
function useWelcome(columns: number): readonly string[] {
  const screen = useScreen();
  const { app } = screen;
  const { entries } = useTranscript();
  const preset = usePreset();
  const mode = useConversation((conversation) => conversation.mode);
  const branch = useSession(() => app.info().branch);
  const cwd = useShellCwd();
  const gone = entries.some(({ entry }) => entry.kind !== 'notice');
  const problem = useServerProblem(preset.name, !gone);
  if (gone) return [];
  const { version } = app.info();
  const place = `${shortPath(cwd)}${branch === undefined ? '' : `, git ${branch}`}`;
  const model = { name: preset.name, id: preset.model, demo: preset.demo === true, problem };
  return welcomeLines({ version, place, model, mode }, screen.renderContext(columns));
}
