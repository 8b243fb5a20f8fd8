import { plainText } from '../../text/sanitize.ts';

/** Characters kept of what a server wrote beside the protocol. */
const MAX_CHARS = 16 * 1024;

/** The last of a text that never ends. */
export class TailBuffer {
  #text = '';

  push(text: string): void {
    this.#text = (this.#text + text).slice(-MAX_CHARS);
  }

  /** Clean text. */
  get text(): string {
    return plainText(this.#text);
  }

  /** The last line that is not blank. */
  get lastLine(): string {
    return this.text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  }
}
