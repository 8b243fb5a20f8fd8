/** A clock that a test moves by hand. */
export function fakeClock() {
  let now = 0;
  let timers: { at: number; callback: () => void }[] = [];
  return {
    now: () => now,
    schedule(callback: () => void, milliseconds: number): () => void {
      const timer = { at: now + milliseconds, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    /** Advances the time and runs the due callbacks in order. */
    advance(milliseconds: number): void {
      const end = now + milliseconds;
      for (;;) {
        const due = timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers = timers.filter((other) => other !== due);
        now = Math.max(now, due.at);
        due.callback();
      }
      now = end;
    },
    pending: () => timers.length,
  };
}
