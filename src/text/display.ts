/**
 * Text as all terminals draw it. Terminals and multiplexers disagree on the width of joined, coloured and modified
 * emoji, and a line with a disputed width is drawn wrong. So an emoji is displayed as its plain base. Only the
 * display changes, never the stored or copied text.
 */
import stringWidth from 'string-width';

const ODD = /[\p{Default_Ignorable_Code_Point}\u2028\u2029\p{Emoji_Modifier}]|\p{M}{9}/u;
/** A joiner and the emoji after it: only the first emoji of a family is drawn. */
const JOINED = /\u200d\p{Extended_Pictographic}/gu;
const TONES = /(?<=\p{Extended_Pictographic}\ufe0f?)\p{Emoji_Modifier}/gu;
/** Variation selectors, zero-width and soft characters, tags, and marks that change the text's direction. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const MARKS = /(\p{M}{8})\p{M}+/gu;
const SEPARATORS = /[\u2028\u2029]/g;

/** Returns the text with the same width in all terminals. Escape sequences stay. */
export function displayText(text: string): string {
  if (!ODD.test(text)) return text;
  return text
    .replace(JOINED, '')
    .replace(TONES, '')
    .replace(INVISIBLE, '')
    .replace(SEPARATORS, ' ')
    .replace(MARKS, '$1');
}

/** Returns hostile text with control characters as symbols (`␛`, `␇`), and those that reorder text as `<U+202E>`. */
export function visibleControls(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (character) => String.fromCharCode(0x2400 + character.charCodeAt(0)))
    .replace(/\u007f/g, '␡')
    .replace(
      /[\u0080-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
      (character) => `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`,
    );
}

/** Graphemes and their cells, in one place, so that editor, wrapping and tokenizer agree. */

/** Made on first use: the first one of a process takes some 15 ms, which the first frame saves. */
let segmenter: Intl.Segmenter | undefined;
/** Text in which every UTF-16 unit is a grapheme of one cell: no segmentation needed. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Splits text into the characters that a person sees. */
export function graphemes(text: string): string[] {
  if (PLAIN.test(text)) return text.split('');
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    // Two plain characters are always two graphemes: only the text around others needs the segmenter.
    let odd = at;
    while (odd < text.length && isPlain(text, odd)) odd++;
    const sure = odd < text.length ? odd - 1 : odd;
    for (; at < sure; at++) found.push(text.charAt(at));
    if (odd === text.length) break;
    let end = odd;
    while (end < text.length && !(isPlain(text, end) && isPlain(text, end + 1))) end++;
    for (const { segment } of segmenter.segment(text.slice(at, end + 1))) found.push(segment);
    at = end + 1;
  }
  return found;
}

function isPlain(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x20 && code <= 0x7e;
}

const widths = new Map<string, number>();

/** Returns the cells of one grapheme (0, 1, 2 or more), from a cache. Control characters count 0. */
export function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && grapheme >= ' ' && grapheme <= '~') return 1;
  let width = widths.get(grapheme);
  if (width === undefined) {
    width = stringWidth(grapheme, { countAnsiEscapeCodes: true });
    if (widths.size > 10_000) widths.clear();
    widths.set(grapheme, width);
  }
  return width;
}

/** Returns the cells of a text without escape sequences. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemes(text)) width += graphemeWidth(grapheme);
  return width;
}

/** Returns a path with the home directory as `~`. */
export function shortPath(path: string, home: string | undefined = process.env.HOME): string {
  if (!home || home === '/' || (path !== home && !path.startsWith(`${home}/`))) return path;
  return `~${path.slice(home.length)}`;
}
