/**
 * Making foreign text harmless (EX-9). Everything a program, a model or a server printed goes through `clean` before it
 * can reach a component, a journal or a model; what a HALT shows goes through `visible`.
 */

/** Anything that keeps a text from passing untouched: controls, bidi controls, invisible characters, lone surrogates. */
const SUSPECT =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]/;

/** Characters above ASCII that reorder or hide text. ZWJ, ZWNJ and variation selectors stay: scripts and emoji need them. */
function hides(code: number): boolean {
  return (
    (code >= 0x80 && code <= 0x9f) ||
    code === 0x61c ||
    code === 0x200b ||
    code === 0x200e ||
    code === 0x200f ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    code === 0xfeff ||
    (code >= 0xfff9 && code <= 0xfffb) ||
    (code >= 0xe0000 && code <= 0xe007f)
  );
}

const MAX_STYLE_CHARS = 128;
const MAX_LINK_CHARS = 2083;
const LINK_END = '\x1b]8;;\x1b\\';
const SAFE_LINK = /^(?:(?:https?|file):\/\/|mailto:)[\x21-\x7e]*$/i;

/**
 * Foreign text as harmless text: printable characters, newline, tab, whole SGR colour sequences, and OSC 8 hyperlinks
 * to http, https, file or mailto. CR LF becomes a newline; a bare CR, BS, C1, bidi control and every other sequence is removed,
 * an unfinished one with it. Takes time linear in the text; `clean(clean(x)) === clean(x)`.
 */
export function clean(text: string): string {
  return SUSPECT.test(text) ? scrub(text, true) : text;
}

/** The same without colours and hyperlinks: what a model reads and what is searched. */
export function stripStyles(text: string): string {
  return SUSPECT.test(text) ? scrub(text, false) : text;
}

function scrub(text: string, keepStyles: boolean): string {
  const out: string[] = [];
  const ends = new StringEnds(text);
  let linked = false;
  let from = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (isPlain(code)) {
      at += 1;
      continue;
    }
    if (from < at) out.push(text.slice(from, at));
    const sequence = code === 0x1b || (code >= 0x80 && code <= 0x9f) ? readSequence(text, at, ends) : undefined;
    if (sequence) {
      if (keepStyles && sequence.keep !== '') {
        if (sequence.link !== undefined) {
          // A close without an open says nothing; dropping it keeps the result minimal.
          if (sequence.link || linked) out.push(sequence.keep);
          linked = sequence.link;
        } else out.push(sequence.keep);
      }
      at = sequence.end;
    } else {
      const point = text.codePointAt(at) ?? 0;
      const width = point > 0xffff ? 2 : 1;
      if (point === 0x2028 || point === 0x2029) out.push('\n');
      else if (point >= 0xd800 && point <= 0xdfff) out.push('\ufffd');
      else if (point > 0x9f && !hides(point)) out.push(text.slice(at, at + width));
      at += width;
    }
    from = at;
  }
  if (from < at) out.push(text.slice(from, at));
  if (linked) out.push(LINK_END);
  return out.join('');
}

/** Characters that pass without a closer look: the fast path. */
function isPlain(code: number): boolean {
  if (code < 0x7f) return code >= 0x20 || code === 0x0a || code === 0x09;
  if (code < 0x2000) return code > 0x9f && code !== 0x61c;
  if (code <= 0x206f) return !hides(code) && code !== 0x2028 && code !== 0x2029;
  return (code < 0xd800 || code > 0xdfff) && !hides(code);
}

type Sequence = { readonly end: number; readonly keep: string; readonly link?: boolean };

/** Where string sequences end. Remembers a failed search, so that a text full of openings stays linear. */
class StringEnds {
  readonly #text: string;
  #noTerminator = Number.POSITIVE_INFINITY;
  constructor(text: string) {
    this.#text = text;
  }
  /** The index of the terminator (ST) of a DCS-like string that starts at `from`, or -1. */
  terminator(from: number): number {
    if (from >= this.#noTerminator) return -1;
    const at = this.#text.indexOf('\x1b\\', from);
    if (at < 0) this.#noTerminator = from;
    return at;
  }
}

function readSequence(text: string, at: number, ends: StringEnds): Sequence {
  const code = text.charCodeAt(at);
  // A C1 byte stands for ESC and the byte 0x40 below it. It is honoured to be removed whole, never to be kept.
  const eightBit = code !== 0x1b;
  const kind = eightBit ? code - 0x40 : text.charCodeAt(at + 1);
  const body = eightBit ? at + 1 : at + 2;
  switch (kind) {
    case 0x5b:
      return readControl(text, at, body, eightBit);
    case 0x5d:
      return readCommand(text, body, eightBit);
    case 0x50:
    case 0x58:
    case 0x5e:
    case 0x5f: {
      const end = ends.terminator(body);
      // Without a terminator only the line is swallowed: text must not vanish to the end because of two bytes.
      return { end: end >= 0 ? end + 2 : lineEnd(text, body), keep: '' };
    }
  }
  if (eightBit) return { end: body, keep: '' };
  let end = at + 1;
  while (end < text.length && text.charCodeAt(end) >= 0x20 && text.charCodeAt(end) <= 0x2f) end += 1;
  const final = text.charCodeAt(end);
  return { end: final >= 0x30 && final <= 0x7e ? end + 1 : end, keep: '' };
}

/** CSI: parameters, intermediates, one final byte. Only a plain `m` is a colour. */
function readControl(text: string, at: number, body: number, eightBit: boolean): Sequence {
  let end = body;
  let simple = true;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code < 0x20 || code > 0x3f) break;
    if (code < 0x30 || code > 0x3b) simple = false;
    end += 1;
  }
  const final = text.charCodeAt(end);
  if (!(final >= 0x40 && final <= 0x7e)) return { end, keep: '' };
  const style = final === 0x6d && simple && !eightBit && end - at < MAX_STYLE_CHARS;
  return { end: end + 1, keep: style ? text.slice(at, end + 1) : '' };
}

/** OSC: ended by BEL or ST; a newline or another control ends it as a broken one. */
function readCommand(text: string, body: number, eightBit: boolean): Sequence {
  let end = body;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code < 0x20 || code === 0x9c) break;
    end += 1;
  }
  const content = text.slice(body, Math.min(end, body + MAX_LINK_CHARS + 64));
  const code = text.charCodeAt(end);
  const closed =
    code === 0x07 || code === 0x9c ? end + 1 : code === 0x1b && text[end + 1] === '\\' ? end + 2 : undefined;
  if (closed === undefined) return { end, keep: '' };
  if (eightBit || !content.startsWith('8;') || content.length < end - body) return { end: closed, keep: '' };
  const uri = content.slice(content.indexOf(';', 2) + 1);
  if (uri === '') return { end: closed, keep: LINK_END, link: false };
  // An unsafe target closes the link before it, as a terminal would have done.
  if (uri.length > MAX_LINK_CHARS || !SAFE_LINK.test(uri)) return { end: closed, keep: LINK_END, link: false };
  return { end: closed, keep: `\x1b]8;;${uri}\x1b\\`, link: true };
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}

/** The text that `visible` has written so, for what a person was given to edit. */
export function fromVisible(shown: string): string {
  return shown.replace(/⟨U\+([0-9A-F]{4,6})⟩/g, (sign, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : sign;
  });
}

/** Whatever is invisible, moves other characters, or could be taken for a blank; and the escape's own bracket. */
const CONCEALING =
  /(?![\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Me}\u2800\u3164\uffa0\u{27e8}]|(?<![\p{L}\p{M}])\p{M}/gu;

/**
 * Text for a question that decides something (HA-1): every character that can't be seen is written as `⟨U+001B⟩`.
 * Newlines stay, blanks stay. Injective: two different texts never look the same because of a control character.
 */
export function visible(text: string): string {
  return text.replace(
    CONCEALING,
    (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}
