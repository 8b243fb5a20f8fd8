import { clean } from '../text/sanitize.ts';

/** Characters kept of the start and of the end of an output (EX-5). */
const MAX_PART_CHARS = 64 * 1024;

/** The head and the tail of an output, line by line, in bounded memory. */
export class HeadTail {
  readonly #limit: number;
  #head: string[] = [];
  #headSize = 0;
  #headOpen = true;
  #tail: string[] = [];
  #tailFrom = 0;
  #tailSize = 0;
  /** Lines that were given to `add`. */
  added = 0;
  /** A single line was longer than a part and lost its end. */
  shortened = false;

  constructor(limit: number = MAX_PART_CHARS) {
    this.#limit = limit;
  }

  /** No further line goes to the head: it is full, or what follows is not adjacent to it. */
  get headClosed(): boolean {
    return !this.#headOpen;
  }

  add(text: string): void {
    this.added += 1;
    // One line as long as a part keeps its first half: its end is in the full text.
    const isLong = text.length > this.#limit;
    if (isLong) this.shortened = true;
    const line = isLong ? `${clean(text.slice(0, this.#limit >> 1))}\x1b[0m…` : text;
    if (this.#headOpen && this.#headSize + line.length < this.#limit) {
      this.#head.push(line);
      this.#headSize += line.length + 1;
      return;
    }
    this.#headOpen = false;
    this.#tail.push(line);
    this.#tailSize += line.length + 1;
    while (this.#tailSize > this.#limit) {
      this.#tailSize -= (this.#tail[this.#tailFrom]?.length ?? 0) + 1;
      this.#tail[this.#tailFrom] = '';
      this.#tailFrom += 1;
    }
    if (this.#tailFrom > 4096) {
      this.#tail = this.#tail.slice(this.#tailFrom);
      this.#tailFrom = 0;
    }
  }

  /** Something was left out here: the tail starts again. */
  gap(): void {
    this.#headOpen = false;
    this.#tail = [];
    this.#tailFrom = 0;
    this.#tailSize = 0;
  }

  /** `totalLines`: lines of the whole output, where better known than from what was added. */
  result(totalLines: number): { head: string; tail: string; omittedLines: number } {
    const tail = this.#tail.slice(this.#tailFrom);
    const omittedLines = Math.max(0, Math.max(totalLines, this.added) - this.#head.length - tail.length);
    if (omittedLines === 0) return { head: [...this.#head, ...tail].join('\n'), tail: '', omittedLines };
    return { head: this.#head.join('\n'), tail: tail.join('\n'), omittedLines };
  }
}
