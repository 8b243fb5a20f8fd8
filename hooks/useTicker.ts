import { useEffect, useState } from 'react';

/** The time in ms, once a second while `running`; it stands still otherwise, so that nothing is drawn when idle. */
export function useTicker(running: boolean, now: () => number): number {
  const [time, setTime] = useState(now);
  useEffect(() => {
    if (!running) return;
    setTime(now());
    const timer = setInterval(() => setTime(now()), 1000);
    return () => clearInterval(timer);
  }, [running, now]);
  return time;
}
