/** What errors teach about the size of windows: bounded by what the user and the server say of it, and not for ever. */

/** The smallest window in use. */
const MIN_WINDOW_TOKENS = 2048;
/** The least that is believed where a server names a number. */
const MIN_NAMED_TOKENS = 1024;
/** A guess from one error goes no further below the window that was told than this share of it. */
const MIN_SHARE = 1 / 2;
/** In ms: a restarted server may have another window. */
const BELIEVED_MS = 30 * 60_000;

export class LearnedWindows {
  readonly #now: () => number;
  readonly #windows = new Map<string, { readonly tokens: number; readonly until: number }>();

  /** @param now the time in ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** In tokens; undefined where nothing was learned, or too long ago. */
  get(preset: string): number | undefined {
    const known = this.#windows.get(preset);
    return known && this.#now() < known.until ? known.tokens : undefined;
  }

  /** The server itself named its window in an error. */
  named(preset: string, tokens: number): void {
    this.#learn(preset, Math.max(tokens, MIN_NAMED_TOKENS));
  }

  /** @param told the window in tokens that the user or the server says it has, where either does */
  guessed(preset: string, tokens: number, told: number | undefined): void {
    this.#learn(preset, Math.max(tokens, MIN_WINDOW_TOKENS, Math.floor((told ?? 0) * MIN_SHARE)));
  }

  forget(preset: string): void {
    this.#windows.delete(preset);
  }

  forgetAll(): void {
    this.#windows.clear();
  }

  #learn(preset: string, tokens: number): void {
    const known = this.get(preset) ?? Number.POSITIVE_INFINITY;
    this.#windows.set(preset, { tokens: Math.min(known, tokens), until: this.#now() + BELIEVED_MS });
  }
}
