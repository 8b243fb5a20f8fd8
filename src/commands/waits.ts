/** Long-running `:` commands that the user waits for. */

/** Commands that run longer than this many ms are shown with their time. */
const SHOWN_AFTER_MS = 1000;

export type Wait = {
  /** The command, such as `:model`. */
  readonly what: string;
  /** The start of the wait, in ms since the epoch. */
  readonly since: number;
  /** Whether the user can stop it: it only reads, or ends cleanly. */
  readonly stops: boolean;
};

/** Thrown when the user stops the wait. */
export class StoppedError extends Error {}

export class Waits {
  readonly #onChange: () => void;
  #open: readonly (Wait & { readonly controller: AbortController; readonly shown: boolean })[] = [];

  /** @param onChange called when `current` may have changed */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The oldest long-running command. */
  get current(): Wait | undefined {
    return this.#open.find(({ shown }) => shown);
  }

  /** Stops the newest command that can be stopped; returns false if there is none. */
  stop(): boolean {
    const last = this.#open.findLast(({ stops }) => stops);
    last?.controller.abort();
    return last !== undefined;
  }

  /** Waits for `work`; if the user stops it, rejects at once. */
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
