/** Turns a terminal's bytes into tokens. Input is parsed only here (DESIGN law 5). */
import { StringDecoder } from 'node:string_decoder';
import { graphemes } from '../../text/display.ts';
import { readSequence } from '../../text/escape-sequences.ts';
import type { Schedule } from './schedule.ts';
import { consoleKey, controlKey, csi, mouseToken, ss3, textKey } from './sequences.ts';
import type { ReplyToken, Token } from './token.ts';

/** An ESC without a following byte for this long, in ms, is the Esc key. */
export const ESCAPE_TIMEOUT_MS = 30;
/** The longest pause within a sequence before its remains are dropped; replies cross slow links in pieces. */
const SEQUENCE_TIMEOUT_MS = 500;
/** The longest pause within a paste before it counts as ended without its end mark. */
const PASTE_TIMEOUT_MS = 2000;
/** The most characters kept of one paste, and of one string reply. */
const MAX_PASTE_CHARS = 4 << 20;
const MAX_STRING_CHARS = 8192;

const PASTE_END = '\x1b[201~';
/** A reply whose ESC was taken for the Esc key because the rest came late. */
const LATE_REPLY =
  /^(?:\[(?:\?[\d;]+(?:\$y|[cu])|>[\d;]+c|<\d+;\d+;\d+[Mm]|\d+;\d+R)|\]\d+;[^\u0007\u001b]*(?:\u0007|\u001b\\)|P[>!\d][^\u001b]*\u001b\\)/;

export type Tokenizer = {
  /** Takes a chunk as read from the terminal; it may be cut anywhere. */
  push(bytes: Uint8Array): void;
  /** Emits pending input as if its wait were over: before another owner gets the terminal, and at the end. */
  flush(): void;
  /** Drops pending input. */
  reset(): void;
};

type Mode =
  | { readonly name: 'ground' }
  | { readonly name: 'paste'; text: string; truncated: boolean }
  | { readonly name: 'string'; text: string; readonly introducer: 'osc' | 'other' };

/**
 * `emit` is called for every token in order, from within `push`, `flush` or a timer. Nothing here throws on any input.
 */
export function createTokenizer(emit: (token: Token) => void, schedule: Schedule): Tokenizer {
  let decoder = new StringDecoder('utf8');
  let pending = '';
  let mode: Mode = { name: 'ground' };
  let cancel: (() => void) | undefined;
  let loneEscape = false;

  function run(): void {
    let wait: number | undefined;
    while (pending !== '' && wait === undefined) {
      if (mode.name === 'paste') wait = runPaste(mode);
      else if (mode.name === 'string') wait = runString(mode);
      else wait = runGround();
    }
    if (wait === undefined && mode.name !== 'ground')
      wait = mode.name === 'paste' ? PASTE_TIMEOUT_MS : SEQUENCE_TIMEOUT_MS;
    cancel?.();
    cancel = wait === undefined ? undefined : schedule(timeout, wait);
  }

  function runGround(): number | undefined {
    let at = 0;
    while (at < pending.length) {
      const found = scan(pending, at);
      if (found.kind === 'incomplete') {
        pending = pending.slice(at);
        return found.wait === 'escape' ? ESCAPE_TIMEOUT_MS : SEQUENCE_TIMEOUT_MS;
      }
      at = found.next;
      if (found.kind === 'tokens') {
        for (const token of found.tokens) emit(token);
      } else {
        mode =
          found.kind === 'paste'
            ? { name: 'paste', text: '', truncated: false }
            : { name: 'string', text: '', introducer: found.introducer };
        break;
      }
    }
    pending = pending.slice(at);
    return undefined;
  }

  function runPaste(paste: Mode & { name: 'paste' }): number | undefined {
    const end = pending.indexOf(PASTE_END);
    // The end mark may be cut: its beginning stays pending.
    const upTo = end >= 0 ? end : pending.length - cutMark(pending);
    const room = MAX_PASTE_CHARS - paste.text.length;
    if (upTo > room) paste.truncated = true;
    paste.text += pending.slice(0, Math.min(upTo, room));
    pending = pending.slice(end >= 0 ? end + PASTE_END.length : upTo);
    if (end < 0) return PASTE_TIMEOUT_MS;
    endPaste(paste);
    return undefined;
  }

  function endPaste(paste: Mode & { name: 'paste' }): void {
    mode = { name: 'ground' };
    emit({ type: 'paste', text: cleanPaste(paste.text), truncated: paste.truncated });
  }

  function runString(string: Mode & { name: 'string' }): number | undefined {
    const end = pending.search(/[\u0000-\u001f\u009c]/);
    const upTo = end < 0 ? pending.length : end;
    string.text += pending.slice(0, Math.min(upTo, MAX_STRING_CHARS - string.text.length));
    pending = pending.slice(upTo);
    if (end < 0) return SEQUENCE_TIMEOUT_MS;
    if (pending === '\x1b') return SEQUENCE_TIMEOUT_MS;
    const bell = pending[0] === '\x07' || pending[0] === '\u009c';
    const ended = bell || pending.startsWith('\x1b\\');
    // Any other control character ends the string and is read on its own, so that a broken string never blocks the
    // keyboard.
    if (ended) pending = pending.slice(bell ? 1 : 2);
    mode = { name: 'ground' };
    if (ended) emit(stringReply(string.introducer, string.text));
    return undefined;
  }

  function timeout(): void {
    cancel = undefined;
    if (mode.name === 'paste') {
      const paste = mode;
      pending = '';
      endPaste(paste);
      return;
    }
    const rest = mode.name === 'ground' ? pending : '';
    mode = { name: 'ground' };
    pending = '';
    loneEscape = rest === '\x1b';
    for (const token of settle(rest)) emit(token);
  }

  return {
    push(bytes) {
      let text = decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      if (text === '') return;
      if (loneEscape) {
        const late = LATE_REPLY.exec(text);
        if (late !== null) {
          emit({ type: 'reply', reply: 'unknown', sequence: late[0] });
          text = text.slice(late[0].length);
        }
        loneEscape = false;
      }
      pending += text;
      run();
    },
    flush() {
      pending += decoder.end();
      run();
      cancel?.();
      if (pending !== '' || mode.name !== 'ground') timeout();
    },
    reset() {
      cancel?.();
      cancel = undefined;
      decoder = new StringDecoder('utf8');
      pending = '';
      mode = { name: 'ground' };
      loneEscape = false;
    },
  };
}

/** Returns how many characters at the end of `text` may be the start of the paste's end mark. */
function cutMark(text: string): number {
  for (let length = Math.min(PASTE_END.length - 1, text.length); length > 0; length--) {
    if (PASTE_END.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

/** Returns a paste with newlines as line ends and no control characters but tab, whatever the clipboard contained. */
function cleanPaste(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufdd0-\ufdef]/g, '')
    .toWellFormed();
}

function stringReply(introducer: 'osc' | 'other', text: string): ReplyToken {
  const osc = introducer === 'osc' ? /^(\d{1,5});(.*)$/s.exec(text) : null;
  if (osc !== null) return { type: 'reply', reply: 'osc', code: Number(osc[1]), data: osc[2] ?? '' };
  if (introducer === 'other' && text.startsWith('>|')) return { type: 'reply', reply: 'version', text: text.slice(2) };
  return { type: 'reply', reply: 'unknown', sequence: `${introducer} ${text.slice(0, 80)}` };
}

// Reads one token from terminal input. Pure: the same text gives the same tokens.

/** The longest control sequence that is waited for; real ones are well under 100 characters. */
const MAX_CSI_CHARS = 256;

type Scan =
  /** The tokens at `from`, and where to continue. `tokens` is empty for input without meaning. */
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
function scan(text: string, from: number): Scan {
  const character = text[from] ?? '';
  if (character === '\x1b') return escaped(text, from);
  if (C1.test(character)) {
    return introduced(text, from, String.fromCharCode(character.charCodeAt(0) - 0x40), from + 1) ?? skip(from + 1);
  }
  if (CONTROL.test(character)) return one(controlKey(character.charCodeAt(0), false), from + 1);
  let end = from + 1;
  while (end < text.length && !CONTROL.test(text[end] ?? '')) end++;
  // U+FFFD replaces bytes that were not UTF-8, which no key sends.
  const typed = graphemes(text.slice(from, end)).map((grapheme) => grapheme.replaceAll('\ufffd', ''));
  return {
    kind: 'tokens',
    tokens: typed.filter((grapheme) => grapheme !== '').map((grapheme) => textKey(grapheme)),
    next: end,
  };
}

/**
 * Returns the tokens of incomplete input when the wait is over: a lone Esc, Alt-[ … or the remains of a broken
 * sequence.
 */
function settle(text: string): readonly Token[] {
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

/** Parses `ESC ESC …`: Alt with a named key on some terminals (rxvt, PuTTY), else an Esc and the input after it. */
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

/** Reads a sequence begun by `introducer` whose body starts at `body`; undefined when it is Alt with that key. */
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

/** `CSI M` and three characters, each 32 more than its value: terminals without SGR mouse reports. */
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
