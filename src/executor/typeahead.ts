import { plainText } from '../text/sanitize.ts';

/** How many typed keys to keep: a terminal keeps 4096 unread ones. */
const MAX_KEPT_CHARS = 8192;

/**
 * Returns what the user typed for a command that did not read it: what the shell took out of its terminal or editor,
 * and keys that came after the end. No passwords: keys that were not shown are dropped.
 */
export class Typeahead {
  readonly #takeInput: () => Promise<string>;
  /** Keys typed after the command's end, before aish-tui knew of it. */
  #late = '';
  #ended = false;
  #hidden = false;

  /** @param takeInput takes unread input once the shell is idle */
  constructor(takeInput: () => Promise<string>) {
    this.#takeInput = takeInput;
  }

  add(keys: string): void {
    if (this.#ended && !this.#hidden) this.#late = (this.#late + keys).slice(-MAX_KEPT_CHARS);
  }

  /** The command has ended; `hidden` if the last input was not shown. */
  end(hidden: boolean): void {
    this.#ended = true;
    this.#hidden = hidden;
  }

  /** Returns the unread input, once, after the end: each complete line ends in a newline. '' for none. */
  async unread(): Promise<string> {
    const lines = asTyped(asTyped(await this.#takeInput()) + this.#late);
    this.#late = '';
    return lines.trim() === '' ? '' : lines;
  }
}

/**
 * Returns keys as the kernel's line editing would leave them: without sequences, erased characters, and text
 * discarded by Ctrl-C.
 */
function asTyped(keys: string): string {
  const kept: string[] = [];
  for (const key of keys.replace(/\r\n?/g, '\n')) {
    if (key === '\x03' || key === '\x1c' || key === '\x1a') kept.length = 0;
    else if (key === '\x15') kept.length = kept.lastIndexOf('\n') + 1;
    else if (key !== '\x7f' && key !== '\b') kept.push(key);
    else if (kept.length > 0 && kept.at(-1) !== '\n') kept.pop();
  }
  return plainText(kept.join(''));
}
