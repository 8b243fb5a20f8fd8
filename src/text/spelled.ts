/** What is spelled out for a person, beyond what the first frame needs of `visible`. */
import { visible } from './sanitize.ts';

/**
 * The name of a file in a list of one line each: no name can pass for two lines. A byte of a name that is no text, which stands
 * as U+DC80 … U+DCFF, is `⟨xE9⟩`.
 */
export function nameText(name: string): string {
  return visible(name)
    .replaceAll('\n', '⟨U+000A⟩')
    .replace(/⟨U\+DC([89A-F].)⟩/g, '⟨x$1⟩');
}

/** The text that `visible` has written so, for what a person was given to edit. */
export function fromVisible(shown: string): string {
  return shown.replace(/⟨U\+([0-9A-F]{4,6})⟩/g, (sign, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : sign;
  });
}
