/** Keys for the text field of a dialog. A field begins to listen a moment after it is drawn; until then keys wait. */
import type { KeyStream } from '../terminal/key-stream.ts';
import type { Token } from '../terminal/token.ts';
import type { Schedule } from '../terminal/tokenizer.ts';

/** How often it is looked whether the field listens, and how often at most. Times in ms. */
const LOOK_MS = 5;
const MOST_LOOKS = 100;

export class FieldInput {
  readonly #stream: KeyStream;
  readonly #schedule: Schedule;
  #waiting: Token[] = [];

  constructor(stream: KeyStream, schedule: Schedule) {
    this.#stream = stream;
    this.#schedule = schedule;
  }

  feed(token: Token): void {
    if (this.#waiting.length > 0) this.#waiting.push(token);
    else if (this.#stream.isRaw) this.#stream.feed(token);
    else {
      this.#waiting.push(token);
      this.#look(0);
    }
  }

  /** The field is gone, and what was meant for it. */
  drop(): void {
    this.#waiting = [];
  }

  #look(looks: number): void {
    if (this.#stream.isRaw) {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const token of waiting) this.#stream.feed(token);
    } else if (looks < MOST_LOOKS && this.#waiting.length > 0) {
      this.#schedule(() => this.#look(looks + 1), LOOK_MS);
    } else this.drop();
  }
}
