import { useApp } from 'ink';
import { useEffect, useMemo } from 'react';
import { type Overlay, overlayOf } from '../src/ui/screen/overlay.ts';
import { useScreen, useUi } from './context.ts';
import { useQuestion } from './useNorris.ts';

/** A frame that could not be reported as written counts as written after this; the quiet time still follows. */
const FLUSH_TIMEOUT_MS = 200;

/** What lies over the transcript. `main` is the rows of the screen above the prompt. */
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

/** Starts the arming of a question once the frame that shows it was written (HA-1). */
export function useArming(id: string): void {
  const { questionDialog } = useScreen();
  const { waitUntilRenderFlush } = useApp();
  useEffect(
    () => onceDrawn(waitUntilRenderFlush, () => questionDialog.drawn(id)),
    [questionDialog, id, waitUntilRenderFlush],
  );
}

/** Tells the question which of its lines were on the screen, once the frame that shows them was written (HA-8). */
export function useSeen(id: string, columns: number, from: number, to: number): void {
  const { questionDialog } = useScreen();
  const { waitUntilRenderFlush } = useApp();
  useEffect(
    () => onceDrawn(waitUntilRenderFlush, () => questionDialog.saw(id, columns, from, to)),
    [questionDialog, waitUntilRenderFlush, id, columns, from, to],
  );
}

/** Calls `tell` when the frame is written, unless the returned function was called before. */
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
