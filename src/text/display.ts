/**
 * Text as terminals agree to draw it. Terminals and multiplexers count the cells of joined, coloured and reshaped
 * emoji differently, and a line of which two programs think differently is drawn broken; so for display an emoji is
 * its plain base. Only the picture changes, never the text that is kept or copied.
 */

const ODD = /[\p{Default_Ignorable_Code_Point}\u2028\u2029\p{Emoji_Modifier}]|\p{M}{9}/u;
/** A joiner and the emoji that it joins: only the first of a family is drawn. */
const JOINED = /\u200d\p{Extended_Pictographic}/gu;
const TONES = /(?<=\p{Extended_Pictographic}\ufe0f?)\p{Emoji_Modifier}/gu;
/** Variation selectors, zero-width and soft characters, tags, and what turns the direction of text around. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const MARKS = /(\p{M}{8})\p{M}+/gu;
const SEPARATORS = /[\u2028\u2029]/g;

/** Makes a text's width the same everywhere. Escape sequences pass through. */
export function displayText(text: string): string {
  if (!ODD.test(text)) return text;
  return text
    .replace(JOINED, '')
    .replace(TONES, '')
    .replace(INVISIBLE, '')
    .replace(SEPARATORS, ' ')
    .replace(MARKS, '$1');
}

/** Control characters as pictures (`␛`, `␇`), and those that reorder text as `<U+202E>`: hostile text made plain. */
export function visibleControls(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (character) => String.fromCharCode(0x2400 + character.charCodeAt(0)))
    .replace(/\u007f/g, '␡')
    .replace(
      /[\u0080-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
      (character) => `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`,
    );
}
