import { useEffect, useMemo, useState } from 'react';
import { atFrameRate, type Changing } from '../src/ui/screen/frames.ts';
import { useScreen } from './context.ts';

/** A stream beside the machine as it is drawn: told of at most once a frame. */
export function useFrames(source: Changing): Changing {
  return useMemo(() => atFrameRate(source), [source]);
}

const listeners = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;

/** One timer for all: what shows a time is drawn in one frame a second, however much of it there is. */
function everySecond(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time in ms, once a second while `running`; it stands still otherwise, so that nothing is drawn when idle. */
export function useTicker(running: boolean): number {
  const { now } = useScreen().app.engine.services;
  const [time, setTime] = useState(now);
  useEffect(() => {
    if (!running) return;
    setTime(now());
    return everySecond(() => setTime(now()));
  }, [running, now]);
  return time;
}
