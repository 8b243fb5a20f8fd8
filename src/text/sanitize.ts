/**
 * Makes foreign text harmless (EX-9). Output of programs, models and servers passes `clean` before it reaches a
 * component, a journal or a model; text in a HALT passes `visible`.
 */

import { ESC, readSequence } from './escape-sequences.ts';
import { styleOf } from './style.ts';

/** Characters that need a closer look: controls, bidi controls, invisible characters, lone surrogates. */
const SUSPECT =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]/;

/** Finds the next such character from its `lastIndex` on; text between them passes unchanged. */
const SUSPECTS = new RegExp(SUSPECT.source, 'g');

/**
 * Returns whether a character above ASCII reorders or hides text. ZWJ, ZWNJ and variation selectors are allowed:
 * scripts and emoji need them.
 */
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

/** Matches whole colour sequences. */
const COLOURS = /\x1b\[[0-9;:]*m/g;

const MAX_STYLE_CHARS = 128;
const MAX_LINK_CHARS = 2083;
const LINK_END = '\x1b]8;;\x1b\\';
const SAFE_LINK = /^(?:(?:https?|file):\/\/|mailto:)[\x21-\x7e]*$/i;

/**
 * Returns foreign text as harmless text: printable characters, newline, tab, complete SGR colour sequences, and OSC 8
 * hyperlinks to http, https, file or mailto. CR LF becomes a newline; a bare CR, BS, C1, bidi control and every other
 * sequence is removed, an unfinished one as well. Takes time linear in the text; `clean(clean(x)) === clean(x)`.
 */
export function clean(text: string): string {
  return SUSPECT.test(text) ? scrub(text, true) : text;
}

/** Returns whether a text, or a piece of one, holds anything that `clean` may change. */
export function isSuspect(text: string): boolean {
  return SUSPECT.test(text);
}

/** Returns the result of `clean` without colours and hyperlinks, for models and for searching. */
export function plainText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  // Most output contains no sequences except colours. Any other sequence leaves its ESC in the text.
  const uncoloured = text.replace(COLOURS, '');
  return SUSPECT.test(uncoloured) ? scrub(text, false) : uncoloured;
}

function scrub(text: string, keepStyles: boolean): string {
  const out: string[] = [];
  let linked = false;
  let from = 0;
  let at = 0;
  while (at < text.length) {
    SUSPECTS.lastIndex = at;
    at = SUSPECTS.test(text) ? SUSPECTS.lastIndex - 1 : text.length;
    if (at === text.length) break;
    const code = text.charCodeAt(at);
    if (from < at) out.push(text.slice(from, at));
    // A C1 character means an ESC and a letter: the whole sequence is recognised, to remove it.
    if (code === ESC || (code >= 0x80 && code <= 0x9f)) {
      const sequence = readSequence(text, at);
      const style = keepStyles && code === ESC ? styleOf(text, sequence) : undefined;
      if (style && 'sgr' in style) {
        if (style.sgr.length < MAX_STYLE_CHARS) out.push(text.slice(at, style.end));
      } else if (style) {
        // An unsafe target closes the link before it, as in a terminal; a close without an open link is dropped.
        const opens = isSafeLink(style.link);
        if (opens) out.push(`\x1b]8;;${style.link}\x1b\\`);
        else if (linked) out.push(LINK_END);
        linked = opens;
      }
      at = sequence.end;
    } else {
      const point = text.codePointAt(at) ?? 0;
      out.push(shown(point));
      at += point > 0xffff ? 2 : 1;
    }
    from = at;
  }
  if (from < at) out.push(text.slice(from, at));
  if (linked) out.push(LINK_END);
  return out.join('');
}

/** Returns the visible form of a character that may not be text. */
function shown(point: number): string {
  if (point === 0x2028 || point === 0x2029) return '\n';
  if (point >= 0xd800 && point <= 0xdfff) return '\ufffd';
  return point > 0x9f && !hides(point) ? String.fromCodePoint(point) : '';
}

/** Returns whether an address may be clickable on the screen. */
export function isSafeLink(uri: string): boolean {
  return uri.length <= MAX_LINK_CHARS && SAFE_LINK.test(uri);
}

/**
 * Characters that are invisible, move others, or could be mistaken for a blank; and the bracket of the visible form
 * itself.
 */
const CONCEALING =
  /(?![\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Me}\u2800\u3164\uffa0\u{27e8}]|(?<![\p{L}\p{M}])\p{M}/gu;

/**
 * Returns text for a question that decides something (HA-1): every invisible character is written as `⟨U+001B⟩`.
 * Newlines and blanks stay. Injective: two different texts never look the same because of a control character.
 */
export function visible(text: string): string {
  return text.replace(
    CONCEALING,
    (character) => `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}

/** The same for actions already decided and for diffs, where a tab is shown as space. */
export function visibleWithTabs(text: string): string {
  return visible(text.replaceAll('\t', '    '));
}
