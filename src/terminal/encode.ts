/** Keys → the bytes that a terminal would have sent: for the program that has the keyboard (EX-4). */
import type { KeyToken, PasteToken } from './token.ts';

const NAMED: Readonly<Record<string, string>> = {
  enter: '\r',
  tab: '\t',
  backspace: '\x7f',
  escape: '\x1b',
  space: ' ',
  insert: '\x1b[2~',
  delete: '\x1b[3~',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
  f1: '\x1bOP',
  f2: '\x1bOQ',
  f3: '\x1bOR',
  f4: '\x1bOS',
  f5: '\x1b[15~',
  f6: '\x1b[17~',
  f7: '\x1b[18~',
  f8: '\x1b[19~',
  f9: '\x1b[20~',
  f10: '\x1b[21~',
  f11: '\x1b[23~',
  f12: '\x1b[24~',
};

/** Final letters of cursor keys. */
const LETTERS: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D', end: 'F', home: 'H' };

/** Ctrl with what is not a letter, as xterm sends it. */
const CONTROL: Readonly<Record<string, string>> = {
  space: '\0',
  '@': '\0',
  '[': '\x1b',
  '\\': '\x1c',
  ']': '\x1d',
  '^': '\x1e',
  _: '\x1f',
  '/': '\x1f',
  '?': '\x7f',
};

/** The bytes a key sends; empty for a release and for keys without a code. */
export function encodeKey(key: KeyToken): string {
  if (key.event === 'release') return '';
  const alt = key.alt ? '\x1b' : '';
  if (key.text !== undefined) return alt + key.text;
  const letter = LETTERS[key.name];
  if (letter !== undefined) {
    const modifiers = (key.shift ? 1 : 0) + (key.alt ? 2 : 0) + (key.ctrl ? 4 : 0);
    return modifiers === 0 ? `\x1b[${letter}` : `\x1b[1;${modifiers + 1}${letter}`;
  }
  if (key.ctrl) {
    if (/^[a-z]$/.test(key.name)) return alt + String.fromCharCode(key.name.charCodeAt(0) - 96);
    const control = CONTROL[key.name];
    if (control !== undefined) return alt + control;
  }
  if (key.name === 'tab' && key.shift) return '\x1b[Z';
  return alt + (NAMED[key.name] ?? ([...key.name].length === 1 ? key.name : ''));
}

/** A pasted block for a program that was not asked whether it knows brackets: line ends as Enter. */
export function encodePaste({ text }: PasteToken): string {
  return text.replaceAll('\n', '\r');
}
