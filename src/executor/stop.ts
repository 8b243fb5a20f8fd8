/** How long a command may take to go after each signal, in ms (EX-6). */
const PATIENCE = 2000;

/** Stops something by ever harder means: the next one when patience runs out, or when asked again. */
export class Stopper {
  readonly #means: readonly (() => void)[];
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(means: readonly (() => void)[]) {
    this.#means = means;
  }

  get underWay(): boolean {
    return this.#next > 0;
  }

  stop(): void {
    clearTimeout(this.#timer);
    const means = this.#means[this.#next] ?? this.#means.at(-1);
    this.#next += 1;
    means?.();
    if (this.#next >= this.#means.length) return;
    this.#timer = setTimeout(() => this.stop(), PATIENCE);
    this.#timer.unref();
  }

  /** It has gone. */
  done(): void {
    clearTimeout(this.#timer);
    this.#next = 0;
  }
}
