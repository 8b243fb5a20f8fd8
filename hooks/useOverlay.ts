import { useApp } from 'ink';
import { useEffect, useMemo } from 'react';
import { type Overlay, overlayOf } from '../src/ui/screen/overlay.ts';
import { useScreen, useUi } from './context.ts';
import { useQuestion } from './useNorris.ts';

/**
 * A frame whose write could not be confirmed counts as written after this time; the quiet time is added to it. In ms.
 */
const FLUSH_TIMEOUT_MS = 200;

/** Returns the panel over the transcript. `main` is the number of rows above the prompt. */
export function useOverlay(columns: number, main: number): Overlay {
  const head = useQuestion();
  const question = useUi((ui) => ui.question);
  const panel = useUi((ui) => ui.panel);
  const which = useUi((ui) => ui.which);
  return useMemo(
    () => overlayOf(head, { question, panel, which }, columns, main),
    [head, question, panel, which, columns, main],
  );
}

/** Arms a question once the frame that shows it was written (HA-1). */
export function useArming(id: string): void {
  const { questionDialog } = useScreen();
  const { waitUntilRenderFlush } = useApp();
  useEffect(
    () => onceDrawn(waitUntilRenderFlush, () => questionDialog.drawn(id)),
    [questionDialog, id, waitUntilRenderFlush],
  );
}

/** Reports to the question which of its lines were on screen, once the frame that shows them was written (HA-8). */
export function useReportSeenLines(id: string, columns: number, from: number, to: number): void {
  const { questionDialog } = useScreen();
  const { waitUntilRenderFlush } = useApp();
  useEffect(
    () => onceDrawn(waitUntilRenderFlush, () => questionDialog.saw(id, columns, from, to)),
    [questionDialog, waitUntilRenderFlush, id, columns, from, to],
  );
}

/** Calls `tell` when the frame is written, unless the returned function is called first. */
function onceDrawn(flushed: () => Promise<void>, tell: () => void): () => void {
  let gone = false;
  const limit = new Promise((resolve) => setTimeout(resolve, FLUSH_TIMEOUT_MS));
  void Promise.race([flushed(), limit]).then(() => {
    if (!gone) tell();
  });
  return () => {
    gone = true;
  };
}
