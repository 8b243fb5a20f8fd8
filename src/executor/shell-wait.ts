/** Between two looks whether the shell waits, in ms: at once, then ever less often. */
const LOOK_DELAYS_MS = [0, 1, 1, 2, 2, 5, 5, 10, 20] as const;
/** More than a terminal holds of what was written and not read yet, in bytes. */
const TERMINAL_BYTES = 128 * 1024;

/** Finds out whether the shell is in front of its terminal and waits, with all read that was written before. */
export class ShellWait {
  readonly #waits: () => boolean | undefined;
  readonly #refuse: () => void;
  #look: NodeJS.Timeout | undefined;
  #quiet: NodeJS.Immediate | undefined;
  #looks = 0;
  /** All that came, in bytes. */
  #came = 0;

  /**
   * @param waits undefined where it is not to be seen yet
   * @param refuse called where it does not wait
   */
  constructor(waits: () => boolean | undefined, refuse: () => void) {
    this.#waits = waits;
    this.#refuse = refuse;
  }

  /** So many bytes came from the terminal. */
  came(bytes: number): void {
    this.#came += bytes;
  }

  /** Calls back once the shell waits; refuses where something else is in front, after `patience` looks. */
  verify(accept: () => void, patience = 0): void {
    this.stop();
    this.#looks = 0;
    const look = () => {
      const waits = this.#waits();
      if (waits) return this.#whenRead(accept);
      if (waits === false && this.#looks >= patience) return this.#refuse();
      this.#looks += 1;
      this.#look = setTimeout(look, LOOK_DELAYS_MS[Math.min(this.#looks, LOOK_DELAYS_MS.length - 1)]);
    };
    look();
  }

  /** Nobody is called back any more. */
  stop(): void {
    clearTimeout(this.#look);
    clearImmediate(this.#quiet);
  }

  /**
   * Calls back once all that was written by now is read. This program may be late: the shell may wait behind a line whose
   * output, marks that somebody forged among it, is still to be read, and behind it what the shell itself says.
   */
  #whenRead(accept: () => void): void {
    const most = this.#came + TERMINAL_BYTES;
    const turn = (came: number) => {
      // Two of them have a look at the terminal between them.
      this.#quiet = setImmediate(() => {
        this.#quiet = setImmediate(() => (this.#came === came || this.#came > most ? accept() : turn(this.#came)));
      });
    };
    turn(this.#came);
  }
}
