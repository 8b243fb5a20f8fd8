import { useEffect, useMemo, useState } from 'react';
import { atFrameRate, type Changing } from '../src/ui/screen/frames.ts';
import { useScreen } from './context.ts';

/** Returns a stream of text beside the state machine; redraws at most once a frame. */
export function useFrames(source: Changing): Changing {
  return useMemo(() => atFrameRate(source), [source]);
}

/**
 * Returns the time in ms, updated once a second while `running`. Otherwise it does not change, so that an idle screen
 * draws nothing.
 */
export function useTicker(running: boolean): number {
  const { app, seconds } = useScreen();
  const { now } = app.engine.services;
  const [time, setTime] = useState(now);
  useEffect(() => {
    if (!running) return;
    setTime(now());
    return seconds.subscribe(() => setTime(now()));
  }, [running, now, seconds]);
  return time;
}
