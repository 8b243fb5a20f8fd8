/** What the user waits for that is neither a shell command nor a model: `:` commands that take long. */

/** What takes longer is shown with its time. In ms. */
const SHOWN_AFTER_MS = 1000;

export type Wait = {
  /** The command, as `:model`. */
  readonly what: string;
  /** In ms since the epoch. */
  readonly since: number;
  /** Whether the user can stop it: it only looks, or ends cleanly. */
  readonly stops: boolean;
};

/** The user did not want to wait any longer. */
export class StoppedError extends Error {}

export class Waits {
  readonly #onChange: () => void;
  #open: readonly (Wait & { readonly controller: AbortController; readonly shown: boolean })[] = [];

  /** @param onChange told when `current` may be another one */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The oldest of those that take long. */
  get current(): Wait | undefined {
    return this.#open.find(({ shown }) => shown);
  }

  /** Stops the newest that can be stopped; false when there is none. */
  stop(): boolean {
    const last = this.#open.findLast(({ stops }) => stops);
    last?.controller.abort();
    return last !== undefined;
  }

  /** Waits for `work`; one that the user stops rejects at once. */
  async during<T>(what: string, stops: boolean, work: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
    const controller = new AbortController();
    const wait = { what, since: Date.now(), stops, controller, shown: false };
    this.#open = [...this.#open, wait];
    const timer = setTimeout(() => {
      this.#open = this.#open.map((each) => (each === wait ? { ...wait, shown: true } : each));
      this.#onChange();
    }, SHOWN_AFTER_MS);
    const stopped = new Promise<never>((_, reject) => {
      controller.signal.addEventListener('abort', () => reject(new StoppedError(`${what} was stopped`)), {
        once: true,
      });
    });
    try {
      return await Promise.race([work(controller.signal), stopped]);
    } finally {
      clearTimeout(timer);
      const { current } = this;
      this.#open = this.#open.filter((each) => each.controller !== controller);
      if (current !== this.current) this.#onChange();
    }
  }
}
