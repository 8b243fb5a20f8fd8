/** The time that a look at what would be lost may take. */

/** So much of the time between two steps of a walk is its own at most; in the rest others had the thread. In ms. */
const MAX_STEP_MS = 50;
/** However busy the program is, a HALT waits no longer for the look. In ms. */
const MAX_TIME_MS = 1000;

/** At a start or a resume much else waits its turn: what that takes is not the look's. */
export class LookTime {
  readonly #began = performance.now();
  #last = this.#began;
  readonly #most: number;
  #left: number;

  /** @param milliseconds what the look may take of its own */
  constructor(milliseconds: number) {
    this.#left = milliseconds;
    this.#most = Math.max(MAX_TIME_MS, milliseconds);
  }

  /** Ms that are left, behind a wait for another program. */
  left(): number {
    return this.#spend(Number.POSITIVE_INFINITY);
  }

  /** Whether a walk has to end; asked between its steps. `reserve`: ms that are to be left for what follows. */
  isOver(reserve: number): boolean {
    return this.#spend(MAX_STEP_MS) <= reserve;
  }

  #spend(most: number): number {
    const now = performance.now();
    this.#left -= Math.min(now - this.#last, most);
    this.#last = now;
    return now - this.#began > this.#most ? 0 : this.#left;
  }
}
