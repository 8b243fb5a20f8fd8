import { useEffect, useMemo, useState } from 'react';
import { atFrameRate, type Changing } from '../src/ui/screen/frames.ts';
import { useScreen } from './context.ts';

/** A stream beside the machine as it is drawn: told of at most once a frame. */
export function useFrames(source: Changing): Changing {
  return useMemo(() => atFrameRate(source), [source]);
}

/** The time in ms, once a second while `running`; it stands still otherwise, so that nothing is drawn when idle. */
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
