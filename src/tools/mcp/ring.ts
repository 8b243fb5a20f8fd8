import { stripStyles } from '../../text/sanitize.ts';

/** Characters kept of what a server wrote beside the protocol. */
const ROOM = 16 * 1024;

/** The last of a text that never ends. */
export class TextRing {
  #text = '';

  push(text: string): void {
    this.#text = (this.#text + text).slice(-ROOM);
  }

  /** Clean text. */
  get text(): string {
    return stripStyles(this.#text);
  }

  /** The last line that says something. */
  get lastLine(): string {
    return this.text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  }
}
