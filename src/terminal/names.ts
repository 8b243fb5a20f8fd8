/** Which code means which key. Facts from xterm's ctlseqs, the kitty keyboard protocol, rxvt and the Linux console. */

/** Final letters of `CSI 1;m X` and `SS3 X`. `R` (F3 with modifiers) is left out: as CSI it is a cursor report. */
export const LETTER_KEYS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  E: 'begin',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  S: 'f4',
};

/** Keypad in application mode and rxvt's Ctrl-arrows, as SS3 only. */
export const SS3_KEYS: Readonly<Record<string, string>> = { ...LETTER_KEYS, R: 'f3', M: 'enter', I: 'tab', X: '=' };

const SS3_KEYPAD = 'jklmnopqrstuvwxy';
const SS3_KEYPAD_TEXT = '*+,-./0123456789';

/** The character of an application-mode keypad key (`SS3 j` … `SS3 y`). */
export function keypadText(letter: string): string | undefined {
  const index = SS3_KEYPAD.indexOf(letter);
  return index < 0 || letter === '' ? undefined : SS3_KEYPAD_TEXT[index];
}

/** Numbers of `CSI n ~` (and rxvt's `CSI n $`, `^`, `@`). */
export const TILDE_KEYS: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
  25: 'f13',
  26: 'f14',
  28: 'f15',
  29: 'menu',
  31: 'f17',
  32: 'f18',
  33: 'f19',
  34: 'f20',
};

/** The Linux console's `CSI [ A` … `CSI [ E`. */
export const CONSOLE_KEYS: Readonly<Record<string, string>> = { A: 'f1', B: 'f2', C: 'f3', D: 'f4', E: 'f5' };

const KITTY_NAMES: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'enter',
  27: 'escape',
  32: 'space',
  127: 'backspace',
  57363: 'menu',
  57414: 'enter',
  57417: 'left',
  57418: 'right',
  57419: 'up',
  57420: 'down',
  57421: 'pageup',
  57422: 'pagedown',
  57423: 'home',
  57424: 'end',
  57425: 'insert',
  57426: 'delete',
  57427: 'begin',
};

const KITTY_KEYPAD = '0123456789./*-+';

/** What a key code of `CSI code u` stands for; undefined for keys that mean nothing by themselves (Shift, media). */
export function kittyKey(code: number): { readonly name: string; readonly text?: string } | undefined {
  const name = KITTY_NAMES[code];
  if (name !== undefined) return name === 'space' ? { name, text: ' ' } : { name };
  if (code >= 57_376 && code <= 57_398) return { name: `f${code - 57_376 + 13}` };
  const keypad = KITTY_KEYPAD[code - 57_399];
  if (keypad !== undefined) return { name: keypad, text: keypad };
  if (code === 57_415) return { name: '=', text: '=' };
  if (code === 57_416) return { name: ',', text: ',' };
  // 57344–63743 is the protocol's private block: lock, media and modifier keys. A missing code is NaN.
  if (!(code >= 32) || (code >= 57_344 && code <= 63_743) || code > 0x10_ff_ff) return undefined;
  if (code >= 0xd8_00 && code <= 0xdf_ff) return undefined;
  const text = String.fromCodePoint(code);
  return /[\p{Cc}\p{Cn}]/u.test(text) ? undefined : { name: text.toLowerCase(), text };
}
