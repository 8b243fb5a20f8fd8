/** A text that grows by pieces and is read at its end. */

/** Characters of a part; only the last one still grows. */
const PART_CHARS = 64 * 1024;

/**
 * Appending costs what is appended and reading what is read. A plain string that grows is copied as a whole by each look
 * into it, a megabyte for every frame, and those copies are cleared away just when keys are typed.
 */
export class GrowingText {
  readonly #parts: string[] = [];
  #last = '';
  #length = 0;

  /** In UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  add(piece: string): void {
    this.#last += piece;
    this.#length += piece.length;
    if (this.#last.length < PART_CHARS) return;
    this.#parts.push(this.#last);
    this.#last = '';
  }

  /** As that of a string. */
  slice(from: number, to = this.#length): string {
    const start = from < 0 ? Math.max(0, this.#length + from) : from;
    const end = Math.min(to < 0 ? this.#length + to : to, this.#length);
    const found: string[] = [];
    let begins = this.#length - this.#last.length;
    if (end > begins) found.push(this.#last.slice(Math.max(0, start - begins), end - begins));
    for (let at = this.#parts.length - 1; at >= 0 && begins > start; at -= 1) {
      const part = this.#parts[at] ?? '';
      begins -= part.length;
      if (end > begins) found.push(part.slice(Math.max(0, start - begins), end - begins));
    }
    return found.reverse().join('');
  }

  toString(): string {
    return this.slice(0);
  }
}
