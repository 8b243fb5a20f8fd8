/** Keys → the bytes that a terminal would have sent: for the program that has the keyboard (EX-4). */
import type { KeyboardModes } from '../../contracts/commands.ts';
import type { KeyToken, Modifiers, PasteToken } from '../terminal/token.ts';

/** Keys with a code of their own, and that code in kitty's protocol. */
const NAMED: Readonly<Record<string, { readonly bytes: string; readonly code: number }>> = {
  enter: { bytes: '\r', code: 13 },
  tab: { bytes: '\t', code: 9 },
  backspace: { bytes: '\x7f', code: 127 },
  escape: { bytes: '\x1b', code: 27 },
  space: { bytes: ' ', code: 32 },
};

/** Final letters of cursor keys, and of the function keys that share their form. */
const CURSOR: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D', end: 'F', home: 'H' };
const FUNCTION: Readonly<Record<string, string>> = { f1: 'P', f2: 'Q', f3: 'R', f4: 'S' };

/** `CSI number ~`. */
const TILDE: Readonly<Record<string, number>> = {
  insert: 2,
  delete: 3,
  pageup: 5,
  pagedown: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};

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

/** The bytes a key sends in a program's modes; empty for a release and for keys without a code. */
export function encodeKey(key: KeyToken, modes: KeyboardModes): string {
  if (key.event === 'release') return '';
  return functional(key, modes) ?? (modes.disambiguates ? disambiguated(key) : classic(key));
}

/** xterm's number of a key's modifiers; 1 for none. */
function numberOf({ shift, alt, ctrl }: Modifiers): number {
  return 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0);
}

/** Cursor and function keys, the same in both ways but for F3, whose letter means the cursor's place there. */
function functional(key: KeyToken, { disambiguates, applicationCursor }: KeyboardModes): string | undefined {
  const modifiers = numberOf(key);
  if (disambiguates && key.name === 'f3') return tilde(13, modifiers);
  const letter = CURSOR[key.name] ?? FUNCTION[key.name];
  if (letter !== undefined) {
    if (modifiers > 1) return `\x1b[1;${modifiers}${letter}`;
    const ss3 = key.name in FUNCTION ? !disambiguates : applicationCursor;
    return `\x1b${ss3 ? 'O' : '['}${letter}`;
  }
  const number = TILDE[key.name];
  return number === undefined ? undefined : tilde(number, modifiers);
}

function tilde(number: number, modifiers: number): string {
  return modifiers > 1 ? `\x1b[${number};${modifiers}~` : `\x1b[${number}~`;
}

/** As before there were protocols. */
function classic(key: KeyToken): string {
  const alt = key.alt ? '\x1b' : '';
  if (key.text !== undefined) return alt + key.text;
  if (key.ctrl) {
    if (/^[a-z]$/.test(key.name)) return alt + String.fromCharCode(key.name.charCodeAt(0) - 96);
    const control = CONTROL[key.name];
    if (control !== undefined) return alt + control;
  }
  if (key.name === 'tab' && key.shift) return '\x1b[Z';
  return alt + (NAMED[key.name]?.bytes ?? singleOf(key.name));
}

/**
 * “Disambiguate escape codes”: Esc and every chord have a code of their own; what types, and Enter, Tab and Backspace
 * by themselves, stay as they were. Source: kitty's documentation of its keyboard protocol.
 */
function disambiguated(key: KeyToken): string {
  const modifiers = numberOf(key);
  const named = NAMED[key.name];
  if (key.text !== undefined && !key.ctrl && !key.alt) return key.text;
  if (modifiers === 1 && key.name !== 'escape') return named?.bytes ?? singleOf(key.name);
  const code = named?.code ?? singleOf(key.name).codePointAt(0);
  if (code === undefined) return '';
  return modifiers > 1 ? `\x1b[${code};${modifiers}u` : `\x1b[${code}u`;
}

/** What is no key's name but the character it types. */
function singleOf(name: string): string {
  return [...name].length === 1 ? name : '';
}

/** A pasted block with line ends as Enter; in brackets where the program asked for them. A block holds no controls. */
export function encodePaste({ text }: PasteToken, { bracketsPastes }: KeyboardModes): string {
  const typed = text.replaceAll('\n', '\r');
  return bracketsPastes ? `\x1b[200~${typed}\x1b[201~` : typed;
}
