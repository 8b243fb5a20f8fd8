/** The time limit of a call: it runs from the last sign of life, and stands still while the server waits for the user. */
export class IdleTimeout {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  readonly #waits: () => boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, waits: () => boolean) {
    this.#milliseconds = milliseconds;
    this.#waits = waits;
    this.alive();
  }

  /** Fires when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  alive(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#waits() ? this.alive() : this.#controller.abort()), this.#milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
