/** Timers of the terminal's part. */

/** Calls back once after so many milliseconds; the result cancels. Injected so that tests own time. */
export type Schedule = (callback: () => void, milliseconds: number) => () => void;

/**
 * Timers that look at the keyboard first. After the process stood still (a busy machine, a laptop that slept) timers
 * fire before the input that has come meanwhile is read: a lone letter would seem to have stayed alone, a sequence to
 * have ended. So the callback waits for one look at what is there to read.
 */
export const afterInput: Schedule = (callback, milliseconds) => {
  let turn: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    turn = setImmediate(callback);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
};
