/** Rows that have moved up as they are: a reply grows, and all above it makes room. The terminal can do that itself. */
import type { Row } from './cells.ts';

/** The rows from `top` to `bottom`, both inclusive, move up by so many; the first ones leave. */
export type Shift = { readonly top: number; readonly bottom: number; readonly by: number };

/** Below this many rows saved, drawing costs no more. */
const MIN_SAVED_ROWS = 3;
/** Not more: so each row of what moves was looked at as one that moves. */
const MAX_BY = MIN_SAVED_ROWS;

/**
 * The shift that saves most rows from being drawn. Only rows that are known move, and none that holds characters on
 * whose width terminals disagree.
 * @param front the rows that the terminal shows
 * @param want what the same rows are to show
 */
export function findShift(front: readonly (Row | undefined)[], want: readonly string[]): Shift | undefined {
  const changed = want.filter((text, y) => front[y]?.text !== text).length;
  if (changed < MIN_SAVED_ROWS) return undefined;
  let best: Shift | undefined;
  let most = MIN_SAVED_ROWS - 1;
  for (let by = 1; by <= MAX_BY; by += 1) {
    let saved = 0;
    let top = 0;
    for (let y = 0; y + by < want.length; y += 1) {
      const from = front[y + by];
      if (from && !from.odd && !front[y]?.odd && front[y] && from.text === want[y]) {
        if (front[y]?.text !== want[y]) saved += 1;
        if (saved > most) {
          most = saved;
          best = { top, bottom: y + by, by };
        }
      } else {
        saved = 0;
        top = y + 1;
      }
    }
  }
  return best;
}
