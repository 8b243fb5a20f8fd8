/** A server takes ten sessions of one connection (sshd's MaxSessions); the next ones wait here. */
const MAX_SESSIONS = 10;

export class Slots {
  #free = MAX_SESSIONS;
  readonly #waiting: (() => void)[] = [];

  /** Resolves when a session may be opened; the result gives it back. Idempotent. */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
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
