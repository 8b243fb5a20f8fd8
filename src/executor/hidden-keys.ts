/** How often it is looked whether the program reads. Ms. */
const POLL_INTERVAL_MS = 20;

export type HiddenKeysOptions = {
  /** Somebody in front of the terminal reads it, or may. */
  readonly reads: () => boolean;
  /** Typing is not shown. */
  readonly hides: () => boolean;
  readonly write: (data: string) => void;
};

/**
 * What is typed while typing is hidden waits until a program reads. What none reads must not stay in the terminal,
 * where the shell would take it for its next line, and keep it in its history: it is thrown away with the command's
 * end, or once typing is shown again.
 */
export class HiddenKeys {
  readonly #options: HiddenKeysOptions;
  #held = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HiddenKeysOptions) {
    this.#options = options;
  }

  /** Takes keys that must wait; false: they may go at once. Ctrl-C, Ctrl-\\ and Ctrl-Z never wait. */
  hold(data: string, hidden: boolean): boolean {
    if (/[\x03\x1a\x1c]/.test(data)) {
      this.drop();
      return false;
    }
    if (this.#held === '' && (!hidden || this.#options.reads())) return false;
    this.#held += data;
    this.#timer ??= setInterval(() => this.#look(), POLL_INTERVAL_MS);
    return true;
  }

  drop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#held = '';
  }

  #look(): void {
    const held = this.#held;
    if (!this.#options.hides()) this.drop();
    else if (this.#options.reads()) {
      this.drop();
      this.#options.write(held);
    }
  }
}
