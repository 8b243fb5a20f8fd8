/** Splits long work into turns of the event loop, so that keys are handled in between. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The time for work in one turn, in ms. */
const TURN_MS = 4;

/** Characters that are processed in one turn, which takes about a millisecond. */
const TURN_CHARS = 64 * 1024;

/** Measures whether a turn has taken long enough. Made when the work begins. */
export class Turns {
  #since = performance.now();

  /** Whether it is time for other work. */
  get due(): boolean {
    return performance.now() - this.#since >= TURN_MS;
  }

  /** Resolves in the next turn of the event loop. */
  async next(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}

/**
 * Calls a function with all texts piece by piece, in order; `index` is the text of a piece. A short text is one piece.
 */
export async function eachInTurns(
  texts: readonly string[],
  look: (piece: string, index: number) => void,
): Promise<void> {
  let left = TURN_CHARS;
  for (const [index, text] of texts.entries()) {
    for (let from = 0; from < text.length; from += TURN_CHARS) {
      if (left <= 0) {
        await nextTurn();
        left = TURN_CHARS;
      }
      const piece = text.slice(from, from + TURN_CHARS);
      look(piece, index);
      left -= piece.length;
    }
  }
}
