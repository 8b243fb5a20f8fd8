import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { useScreen } from './context.ts';

/** A stream beside the machine: it counts its changes and tells of each. */
export type Changing = { readonly version: number; subscribe(listener: () => void): () => void };

/** How often streams are drawn. Keys are drawn at once; this bounds the work that tokens and output cause. */
const FRAME_MS = 33;

/** The version of `source`, drawn at most once a frame; the first change after a pause is drawn at once. */
export function useFrames(source: Changing | undefined): number {
  const subscribe = useCallback(
    (notify: () => void) => {
      if (!source) return () => {};
      let timer: NodeJS.Timeout | undefined;
      let drawn = 0;
      const draw = () => {
        timer = undefined;
        drawn = performance.now();
        notify();
      };
      const unsubscribe = source.subscribe(() => {
        if (timer) return;
        const wait = FRAME_MS - (performance.now() - drawn);
        if (wait <= 0) draw();
        else timer = setTimeout(draw, wait);
      });
      return () => {
        clearTimeout(timer);
        unsubscribe();
      };
    },
    [source],
  );
  return useSyncExternalStore(subscribe, () => source?.version ?? 0);
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
