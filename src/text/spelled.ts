/** Spells names and amounts for people. The first frame has its own module for those that it needs. */
import { visible } from './sanitize.ts';

/**
 * Returns a file's name for a list with one line each: no name can pass for two lines. A byte that is not text, held as
 * U+DC80 … U+DCFF, is written as `⟨xE9⟩`.
 */
export function nameText(name: string): string {
  return visible(name)
    .replaceAll('\n', '⟨U+000A⟩')
    .replace(/⟨U\+DC([89A-F].)⟩/g, '⟨x$1⟩');
}

/** Reverses `visible`, for text that a person has edited. */
export function fromVisible(shown: string): string {
  return shown.replace(/⟨U\+([0-9A-F]{4,6})⟩/g, (sign, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : sign;
  });
}

/** Returns an amount of bytes for people: `612 bytes`, `1.8 MB`. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit] ?? ''}`;
}
