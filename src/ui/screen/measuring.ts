/** Wraps what nobody sees yet, a little at a time, while somebody reads above the end. */

/** Time spent in one go, and the pause between: keys must not wait. In ms. */
const MEASURE_MS = 3;
const PAUSE_MS = 15;

export type Measured = {
  /** Whether the result is of use now. */
  wanted(): boolean;
  /** Measures one entry more; false when all are. */
  step(): boolean;
  /** All of them are, and some were not before. */
  measured(): void;
};

export class Measuring {
  readonly #of: Measured;
  #timer: NodeJS.Timeout | undefined;

  constructor(of: Measured) {
    this.#of = of;
  }

  /** Begins soon, where it is of use. */
  later(): void {
    if (!this.#of.wanted()) return;
    this.#timer ??= setTimeout(() => this.#go(), PAUSE_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #go(): void {
    this.#timer = undefined;
    if (!this.#of.wanted()) return;
    const end = performance.now() + MEASURE_MS;
    let left = true;
    let measured = false;
    while (left && performance.now() < end) {
      left = this.#of.step();
      measured ||= left;
    }
    if (left) this.later();
    else if (measured) this.#of.measured();
  }
}
