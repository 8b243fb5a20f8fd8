/** Turns of the wheel: one to nine reports of a terminal are one of them (notes of many terminals differ). */
import type { Schedule } from '../terminal/schedule.ts';

/** Reports closer together than this are one turn. In ms. */
const TURN_GAP_MS = 16;

/** Gives a function that takes each report and calls `scroll` once a turn, at its first report. */
export function createWheel(schedule: Schedule, scroll: (direction: -1 | 1) => void): (direction: -1 | 1) => void {
  let turning: -1 | 1 | undefined;
  return (direction) => {
    if (turning === direction) return;
    turning = direction;
    schedule(() => {
      turning = undefined;
    }, TURN_GAP_MS);
    scroll(direction);
  };
}
