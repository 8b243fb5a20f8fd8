import { useCallback, useMemo, useRef } from 'react';
import { useScreen, useUi } from '../hooks/context.ts';
import { useBroker } from '../hooks/useBroker.ts';
import { useRunsName } from '../hooks/useNorris.ts';
import type { Activity } from '../hooks/useStatus.ts';
import { ticking } from '../src/ui/screen/frames.ts';
import { waitingLine } from '../src/ui/screen/progress.ts';
import { Surface } from './Lines.tsx';

/** How often the sign turns, and how often the time alone is drawn. In ms. */
const TURN_MS = 250;
const STILL_MS = 1000;

/**
 * What the model's side is doing, just above the prompt. It is painted beside React: no commit for a turn of the sign.
 */
export function WaitingRow({ activity, columns }: { readonly activity: Activity; readonly columns: number }) {
  const screen = useScreen();
  const { motion } = screen.app.ui;
  const { now } = screen.app.engine.services;
  const reply = useBroker();
  const runs = useRunsName();
  const typing = useUi(({ editor }) => editor.text !== '');
  const busy = screen.app.shell.busy;
  const key = typing || busy ? screen.keyFor('global', 'abort') : screen.keyFor('prompt', 'interrupt');
  // An attempt that is dropped takes its text with it, and the next one has a rate of its own.
  const began = useRef<{ readonly text: unknown; readonly at: number }>(undefined);
  const source = useMemo(() => ticking(motion ? TURN_MS : STILL_MS), [motion]);
  const lines = useCallback(() => {
    const text = reply?.text;
    if (text && text.length > 0 && began.current?.text !== text) began.current = { text, at: now() };
    const { what, since } = activity;
    const answeringSince = began.current?.text === text ? began.current?.at : undefined;
    const turn = motion ? source.version : undefined;
    const waiting = { what, since, now: now(), reply, answeringSince, runs, key, turn };
    return [waitingLine(waiting, screen.renderContext(columns))];
  }, [activity, reply, runs, key, motion, source, now, screen, columns]);
  return <Surface lines={lines} source={source} />;
}
