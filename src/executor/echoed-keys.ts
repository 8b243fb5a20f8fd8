/** Kept of what is typed ahead. */
const MAX_CHARS = 1000;
/** Anything shorter would take more out of an output than it hides. */
const MIN_CHARS = 3;

/**
 * What is typed before a program reads is echoed by the terminal. Where the program then hides what is typed, that was
 * a password, most likely, typed too early: it is taken out of what is kept of the output.
 */
export class EchoedKeys {
  readonly #reads: () => boolean;
  #typed = '';
  readonly #secrets = new Set<string>();

  /** @param reads somebody in front of the terminal reads it, or may */
  constructor(reads: () => boolean) {
    this.#reads = reads;
  }

  /** Keys that are echoed, most likely. */
  add(data: string): void {
    if (this.#typed.length + data.length > MAX_CHARS) return;
    // Of a line that has begun before anyone reads, the rest belongs to it.
    if ((this.#typed === '' || /[\r\n]$/.test(this.#typed)) && this.#reads()) this.#typed = '';
    else this.#typed += data;
  }

  /** The program hides what is typed. */
  hides(): void {
    for (const line of this.#typed.split(/[\r\n]/)) if (line.trim().length >= MIN_CHARS) this.#secrets.add(line);
    this.#typed = '';
  }

  get secrets(): readonly string[] {
    return [...this.#secrets];
  }

  takeOut(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, '');
    return clean;
  }
}
