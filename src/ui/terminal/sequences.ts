/**
 * Turns one complete escape sequence into tokens. Pure. An unknown sequence becomes a reply, so it can never be typed
 * as text.
 */
import type { KeyToken, Modifiers, MouseButton, MouseToken, ReplyToken, Token } from './token.ts';

const NO_MODIFIERS: Modifiers = { ctrl: false, alt: false, shift: false };
const EVENTS: readonly KeyToken['event'][] = ['press', 'repeat', 'release'];

/** The modifiers of a CSI parameter: 1 + shift 1, alt 2, ctrl 4, super 8, hyper 16, meta 32 (counted as alt). */
function modifiersOf(parameter: number): Modifiers {
  const bits = Math.max(0, parameter - 1);
  return { shift: (bits & 1) !== 0, alt: (bits & (2 | 32)) !== 0, ctrl: (bits & 4) !== 0 };
}

/** Returns a key that types no text. */
function namedKey(name: string, modifiers: Modifiers = NO_MODIFIERS, event: KeyToken['event'] = 'press'): KeyToken {
  const plain = name === 'space' && !modifiers.ctrl && !modifiers.alt && event !== 'release';
  return { type: 'key', name, ...pick(modifiers), event, ...(plain ? { text: ' ' } : {}) };
}

function pick({ ctrl, alt, shift }: Modifiers): Modifiers {
  return { ctrl, alt, shift };
}

/**
 * A key that types `text`, unless Ctrl or Alt make it a chord. An upper-case letter is the lower-case key with Shift.
 */
export function textKey(
  text: string,
  modifiers: Modifiers = NO_MODIFIERS,
  event: KeyToken['event'] = 'press',
): KeyToken {
  if (text === ' ') return namedKey('space', modifiers, event);
  const lower = text.toLowerCase();
  const letter = lower !== text || text.toUpperCase() !== text;
  const shift = letter ? modifiers.shift || lower !== text : false;
  const typed =
    modifiers.shift && letter && lower === text && text.toUpperCase().length === text.length
      ? text.toUpperCase()
      : text;
  const silent = modifiers.ctrl || modifiers.alt || event === 'release';
  return {
    type: 'key',
    name: lower,
    ctrl: modifiers.ctrl,
    alt: modifiers.alt,
    shift,
    event,
    ...(silent ? {} : { text: typed }),
  };
}

/** The key of a control character (0x00–0x1f, 0x7f), which is how Ctrl-letters arrive without a keyboard protocol. */
export function controlKey(code: number, alt: boolean): KeyToken {
  const modifiers = { ctrl: true, alt, shift: false };
  if (code === 0x0d) return namedKey('enter', { ...modifiers, ctrl: false });
  if (code === 0x09) return namedKey('tab', { ...modifiers, ctrl: false });
  if (code === 0x7f) return namedKey('backspace', { ...modifiers, ctrl: false });
  if (code === 0x1b) return namedKey('escape', { ...modifiers, ctrl: false });
  if (code === 0) return namedKey('space', modifiers);
  return namedKey(String.fromCharCode(code + 0x40).toLowerCase(), modifiers);
}

/** The sequence `ESC O letter`, with rxvt's lower-case Ctrl-arrows. */
export function ss3(letter: string): KeyToken | undefined {
  const name = SS3_KEYS[letter];
  if (name !== undefined) return name.length === 1 ? textKey(name) : namedKey(name);
  const arrow = 'abcd'.includes(letter) ? LETTER_KEYS[letter.toUpperCase()] : undefined;
  if (arrow !== undefined) return namedKey(arrow, { ...NO_MODIFIERS, ctrl: true });
  const text = keypadText(letter);
  return text === undefined ? undefined : textKey(text);
}

/** `CSI` parameters, intermediates and final. Undefined for keys without a meaning of their own (a lone Shift). */
export function csi(parameters: string, intermediates: string, final: string): Token | undefined {
  const known = reply(parameters, intermediates, final) ?? mouse(parameters, final);
  if (known !== undefined) return known;
  const groups = parameters
    .split(';')
    .map((group) => group.split(':').map((part) => (part === '' ? Number.NaN : Number(part))));
  const tilde = TILDE_KEYS[groups[0]?.[0] ?? Number.NaN];
  const rxvt = { $: { shift: true }, '^': { ctrl: true }, '@': { ctrl: true, shift: true } }[intermediates + final];
  if (rxvt !== undefined && tilde !== undefined) return namedKey(tilde, { ...NO_MODIFIERS, ...rxvt });
  if (intermediates === '' && !/[<=>?]/.test(parameters)) {
    if (final === 'u' || (final === '~' && groups[0]?.[0] === 27 && groups[2] !== undefined))
      return kittyOf(groups, final);
    const key = keyOf(groups, parameters, final, tilde);
    if (key !== undefined) return key;
  }
  return { type: 'reply', reply: 'unknown', sequence: `CSI ${parameters}${intermediates}${final}` };
}

type Groups = readonly (readonly number[])[];

const eventOf = (groups: Groups) => EVENTS[(groups[1]?.[1] || 1) - 1] ?? 'press';

/** `CSI … u`, and `CSI 27 ; modifiers ; code ~` with the same facts. */
function kittyOf(groups: Groups, final: string): KeyToken | undefined {
  const modifiers = modifiersOf(groups[1]?.[0] || 1);
  return final === 'u' ? kitty(groups, modifiers, eventOf(groups)) : kitty([groups[2] ?? []], modifiers, 'press');
}

/** A key by its final letter or its number; undefined: none. */
function keyOf(groups: Groups, parameters: string, final: string, tilde: string | undefined): Token | undefined {
  const modifiers = modifiersOf(groups[1]?.[0] || 1);
  const event = eventOf(groups);
  if (final === '~' && tilde !== undefined) return namedKey(tilde, modifiers, event);
  if (final === 'Z') return namedKey('tab', { ...modifiers, shift: true }, event);
  if ((final === 'I' || final === 'O') && parameters === '') return { type: 'focus', focused: final === 'I' };
  const name = LETTER_KEYS[final];
  if (name !== undefined) return namedKey(name, modifiers, event);
  const arrow = 'abcd'.includes(final) ? LETTER_KEYS[final.toUpperCase()] : undefined;
  return arrow === undefined ? undefined : namedKey(arrow, { ...NO_MODIFIERS, shift: true });
}

/** The Linux console's function keys, `CSI [ A`. */
export function consoleKey(letter: string): KeyToken | undefined {
  const name = CONSOLE_KEYS[letter];
  return name === undefined ? undefined : namedKey(name);
}

/** `CSI code:shifted:base ; modifiers:event ; text u`, and modifyOtherKeys, which carries the same facts. */
function kitty(
  groups: readonly (readonly number[])[],
  modifiers: Modifiers,
  event: KeyToken['event'],
): KeyToken | undefined {
  const [code, shifted, base] = groups[0] ?? [];
  const key = kittyKey(code ?? Number.NaN);
  if (key === undefined) return undefined;
  if (key.text === undefined) return namedKey(key.name, modifiers, event);
  const typed = (groups[2] ?? []).filter((point) => kittyKey(point)?.text !== undefined);
  if (typed.length > 0 && !modifiers.ctrl && !modifiers.alt)
    return textKey(String.fromCodePoint(...typed), NO_MODIFIERS, event);
  // A chord on another keyboard layout (Ctrl-С in Cyrillic) is the chord of the same place on a Latin one.
  const latin =
    (modifiers.ctrl || modifiers.alt) && base !== undefined && key.name > '\x7f' ? kittyKey(base) : undefined;
  if (latin?.text !== undefined) return textKey(latin.text, modifiers, event);
  const upper = modifiers.shift && shifted !== undefined ? kittyKey(shifted) : undefined;
  return textKey(upper?.text ?? key.text, modifiers, event);
}

function reply(parameters: string, intermediates: string, final: string): ReplyToken | undefined {
  const numbers = parameters
    .replace(/^[<=>?]/, '')
    .split(';')
    .map(Number);
  const [first = 0, second = 0] = numbers;
  if (final === 'c' && parameters.startsWith('?')) return { type: 'reply', reply: 'da1', params: numbers };
  if (final === 'c' && parameters.startsWith('>')) return { type: 'reply', reply: 'da2', params: numbers };
  if (final === 'y' && intermediates === '$') return { type: 'reply', reply: 'mode', mode: first, status: second };
  if (final === 'u' && parameters.startsWith('?')) return { type: 'reply', reply: 'kitty', flags: first };
  if (final === 'R' && numbers.length >= 2) return { type: 'reply', reply: 'cursor', row: first, column: second };
  return undefined;
}

function mouse(parameters: string, final: string): MouseToken | undefined {
  const match = /^<(\d{1,4});(\d{1,5});(\d{1,5})$/.exec(parameters);
  if (match === null || (final !== 'M' && final !== 'm')) return undefined;
  return mouseToken(Number(match[1]), Number(match[2]) - 1, Number(match[3]) - 1, final === 'm');
}

const BUTTONS: readonly MouseButton[] = ['left', 'middle', 'right', 'none'];
const WHEEL = ['up', 'down', 'left', 'right'] as const;

/**
 * A mouse report from its button byte: bits 0–1 button, 2 shift, 3 alt, 4 ctrl, 5 motion, 6 wheel, 7 further buttons.
 */
export function mouseToken(code: number, x: number, y: number, release: boolean): MouseToken {
  const modifiers = { shift: (code & 4) !== 0, alt: (code & 8) !== 0, ctrl: (code & 16) !== 0 };
  const place = { x: Math.max(0, x), y: Math.max(0, y) };
  if ((code & 64) !== 0) {
    return {
      type: 'mouse',
      action: 'wheel',
      button: 'none',
      direction: WHEEL[code & 3] ?? 'up',
      ...place,
      ...modifiers,
    };
  }
  const button = (code & 128) !== 0 ? 'other' : (BUTTONS[code & 3] ?? 'none');
  const motion = (code & 32) !== 0;
  const action = release
    ? 'release'
    : motion
      ? button === 'none'
        ? 'move'
        : 'drag'
      : button === 'none'
        ? 'release'
        : 'press';
  return { type: 'mouse', action, button, ...place, ...modifiers };
}

/** Final letters of `CSI 1;m X` and `SS3 X`. `R` (F3 with modifiers) is left out: as CSI it is a cursor report. */
const LETTER_KEYS: Readonly<Record<string, string>> = {
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
const SS3_KEYS: Readonly<Record<string, string>> = { ...LETTER_KEYS, R: 'f3', M: 'enter', I: 'tab', X: '=' };

const SS3_KEYPAD = 'jklmnopqrstuvwxy';
const SS3_KEYPAD_TEXT = '*+,-./0123456789';

/** The character of an application-mode keypad key (`SS3 j` … `SS3 y`). */
function keypadText(letter: string): string | undefined {
  const index = SS3_KEYPAD.indexOf(letter);
  return index < 0 || letter === '' ? undefined : SS3_KEYPAD_TEXT[index];
}

/** Numbers of `CSI n ~` (and rxvt's `CSI n $`, `^`, `@`). */
const TILDE_KEYS: Readonly<Record<number, string>> = {
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
const CONSOLE_KEYS: Readonly<Record<string, string>> = { A: 'f1', B: 'f2', C: 'f3', D: 'f4', E: 'f5' };

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
function kittyKey(code: number): { readonly name: string; readonly text?: string } | undefined {
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
