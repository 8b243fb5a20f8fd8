/** A server takes ten sessions of one connection (sshd's MaxSessions): one is the user's shell, what is more waits here. */
const MAX_SESSIONS = 9;

export class Slots {
  #free = MAX_SESSIONS;
  readonly #waiting: (() => void)[] = [];
  /** Asked to give its slot back where nobody else's is free. */
  #spare: (() => void) | undefined;

  /** Resolves when a session may be opened; the result gives it back. Idempotent. */
  async take(): Promise<() => void> {
    if (this.#free > 0) return this.#given();
    const waits = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#spare?.();
    await waits;
    return this.#givesBack();
  }

  /**
   * A slot for a session that may not be needed, where one is free.
   * @param wanted called when somebody waits for it
   */
  spare(wanted: () => void): (() => void) | undefined {
    if (this.#free === 0) return undefined;
    this.#spare = wanted;
    return this.#given();
  }

  #given(): () => void {
    this.#free -= 1;
    return this.#givesBack();
  }

  #givesBack(): () => void {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    };
  }
}
