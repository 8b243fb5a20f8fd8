/** Timers for reading the terminal. */

/**
 * Calls back once after a number of milliseconds; the returned function cancels. Injected, so that tests control time.
 */
export type Schedule = (callback: () => void, milliseconds: number) => () => void;

/**
 * Timers that read the keyboard first. After the process stood still (a busy machine, a sleeping laptop) timers fire
 * before the pending input is read: an Esc would seem to stand alone, a sequence to have ended. So the callback waits
 * for one read.
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
