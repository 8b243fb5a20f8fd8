/** Reads the next thing from a stretch of terminal input. Pure: the same text gives the same tokens. */

import { graphemes } from '../../text/display.ts';
import { readSequence } from '../../text/escape-sequences.ts';
import { consoleKey, controlKey, csi, mouseToken, ss3, textKey } from './sequences.ts';
import type { Token } from './token.ts';

/** Longest control sequence that is waited for; real ones are well under 100 characters. */
const MAX_CSI_CHARS = 256;

export type Scan =
  /** What stood at `from`, and where to continue. `tokens` is empty for what means nothing. */
  | { readonly kind: 'tokens'; readonly tokens: readonly Token[]; readonly next: number }
  /** `CSI 200~`: everything after it is pasted text. */
  | { readonly kind: 'paste'; readonly next: number }
  /** OSC or DCS: lasts until its terminator. */
  | {
      readonly kind: 'string';
      readonly next: number;
      readonly introducer: 'osc' | 'other';
    }
  /** More bytes are needed. `escape` waits only as long as a person's Esc may take, `sequence` longer. */
  | { readonly kind: 'incomplete'; readonly wait: 'escape' | 'sequence' };

/** U+0080–U+009F arrive from terminals that answer with 8-bit controls; each is ESC and a letter in one. */
const C1 = /[\u0080-\u009f]/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Reads at `from`, where `text` must have at least one character. */
export function scan(text: string, from: number): Scan {
  const character = text[from] ?? '';
  if (character === '\x1b') return escaped(text, from);
  if (C1.test(character)) {
    return introduced(text, from, String.fromCharCode(character.charCodeAt(0) - 0x40), from + 1) ?? skip(from + 1);
  }
  if (CONTROL.test(character)) return one(controlKey(character.charCodeAt(0), false), from + 1);
  let end = from + 1;
  while (end < text.length && !CONTROL.test(text[end] ?? '')) end++;
  // U+FFFD stands for bytes that were not UTF-8: it was not typed.
  const typed = graphemes(text.slice(from, end)).map((grapheme) => grapheme.replaceAll('\ufffd', ''));
  return {
    kind: 'tokens',
    tokens: typed.filter((grapheme) => grapheme !== '').map((grapheme) => textKey(grapheme)),
    next: end,
  };
}

/** What is left when the wait for more bytes is over: a lone Esc, Alt-[ … or the remains of a broken sequence. */
export function settle(text: string): readonly Token[] {
  if (text === '\x1b') return [controlKey(0x1b, false)];
  if (text.startsWith('\x1b\x1b')) return [controlKey(0x1b, false), ...settle(text.slice(1))];
  if (text.length === 2 && text.startsWith('\x1b'))
    return [textKey(text.slice(1), { ctrl: false, alt: true, shift: false })];
  return [];
}

function escaped(text: string, from: number): Scan {
  const next = text[from + 1];
  if (next === undefined) return { kind: 'incomplete', wait: 'escape' };
  if (next === '\x1b') return doubled(text, from);
  const sequence = introduced(text, from, next, from + 2);
  if (sequence !== undefined) return sequence;
  if (CONTROL.test(next)) {
    return C1.test(next) ? one(controlKey(0x1b, false), from + 1) : one(controlKey(next.charCodeAt(0), true), from + 2);
  }
  const point = String.fromCodePoint(text.codePointAt(from + 1) ?? 0x20);
  if (point === '\ufffd') return skip(from + 2);
  return one(textKey(point, { ctrl: false, alt: true, shift: false }), from + 1 + point.length);
}

/** `ESC ESC …`: Alt with a named key for some terminals (rxvt, PuTTY), else an Esc and whatever follows. */
function doubled(text: string, from: number): Scan {
  const follows = text[from + 2];
  if (follows === undefined) return { kind: 'incomplete', wait: 'escape' };
  const rest = follows === '[' || follows === 'O' ? escaped(text, from + 1) : undefined;
  if (rest?.kind === 'incomplete') return rest;
  const token = rest?.kind === 'tokens' ? rest.tokens[0] : undefined;
  if (rest?.kind === 'tokens' && token?.type === 'key' && token.text === undefined && !token.alt) {
    return one({ ...token, alt: true }, rest.next);
  }
  return one(controlKey(0x1b, false), from + 1);
}

/** A sequence begun by `introducer` whose body starts at `body`; undefined when it is Alt and that key after all. */
function introduced(text: string, from: number, introducer: string, body: number): Scan | undefined {
  if (introducer === '[') return control(text, from, body);
  const next = text[body];
  if (introducer === 'O') {
    if (next === undefined) return { kind: 'incomplete', wait: 'sequence' };
    const key = ss3(next);
    return key === undefined ? undefined : one(key, body + 1);
  }
  const opens = { ']': /\d/, P: /[\d!$>+|]/, _: /G/ }[introducer];
  if (opens === undefined) return undefined;
  if (next === undefined) return { kind: 'incomplete', wait: 'sequence' };
  if (!opens.test(next)) return undefined;
  return { kind: 'string', next: body, introducer: introducer === ']' ? 'osc' : 'other' };
}

function control(text: string, from: number, body: number): Scan | undefined {
  if (text[body] === '[') {
    const letter = text[body + 1];
    if (letter === undefined) return { kind: 'incomplete', wait: 'sequence' };
    const key = consoleKey(letter);
    return key === undefined ? undefined : one(key, body + 2);
  }
  // rxvt ends Shift with editing keys in `$`, which may also be the middle of a mode report (always two parameters).
  if (/^[235678]\$/.test(text.slice(body, body + 2))) return one(csi(text[body] ?? '', '', '$'), body + 2);
  const { whole, to, end } = readSequence(text, from);
  if (end - from > MAX_CSI_CHARS) return skip(end);
  if (!whole && end === text.length) return { kind: 'incomplete', wait: 'sequence' };
  if (!whole) return end === body ? undefined : skip(end);
  const [, parameters = '', intermediates = ''] = /^([0-?]*)(.*)$/.exec(text.slice(body, to)) ?? [];
  return sequence(text, parameters, intermediates, text[to] ?? '', end);
}

function sequence(text: string, parameters: string, intermediates: string, final: string, end: number): Scan {
  if (parameters === '200' && final === '~') return { kind: 'paste', next: end };
  if (parameters === '201' && final === '~') return skip(end);
  if (parameters === '' && intermediates === '' && final === 'M') return legacyMouse(text, end);
  return one(csi(parameters, intermediates, final), end);
}

/** `CSI M` and three characters, each 32 more than its value: terminals that know no SGR mouse reports. */
function legacyMouse(text: string, from: number): Scan {
  const bytes = Array.from(text.slice(from, from + 6)).slice(0, 3);
  if (bytes.length < 3) return { kind: 'incomplete', wait: 'sequence' };
  const [code = 0, x = 0, y = 0] = bytes.map((byte) => (byte.codePointAt(0) ?? 32) - 32);
  return one(mouseToken(code, x - 1, y - 1, false), from + bytes.join('').length);
}

function one(token: Token | undefined, next: number): Scan {
  return { kind: 'tokens', tokens: token === undefined ? [] : [token], next };
}

function skip(next: number): Scan {
  return { kind: 'tokens', tokens: [], next };
}
