/** Tokens with a known prefix: each row of the table is tried where its prefix occurs. */
import { RANK } from './finding.ts';
import { isPlaceholder } from './placeholder.ts';
import type { TokenRule } from './rules/rule.ts';
import { mixed } from './shape.ts';

/** The longest token that is joined across lines. */
const MAX_BROKEN_CHARS = 1200;
/** A shorter line is a word, not half a token. */
const MIN_LINE_CHARS = 20;
/** Characters before a prefix that belong to the token. */
const MAX_LEAD_CHARS = 40;
/** A complete token continues on the next line only if its line fills the page width. */
const LONG_LINE_CHARS = 60;

export type TokenReader = (
  text: string,
  at: number,
) => { start: number; end: number; kind: string; rank: number } | undefined;

/** Makes the reader for one row and one of its prefixes. */
export function tokenReader(rule: TokenRule, start: string): TokenReader {
  const stop = rule.stop ?? '[A-Za-z0-9]';
  const source = `${start.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?:${rule.rest})(?!${stop})`;
  const before = rule.before === undefined ? undefined : new RegExp(`(?:${rule.before})$`);
  let pattern: RegExp | undefined;
  const read = (text: string, at: number): number => {
    pattern ??= new RegExp(source, 'y');
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : -1;
  };
  return (text, at) => {
    const from = before ? beginning(text, at, before) : at;
    if (from < 0 || !beginsHere(text, from)) return undefined;
    let end = read(text, at);
    let value = end < 0 ? '' : text.slice(from, end);
    if (end < 0 || (isLineEnd(text, end) && isLong(text, end))) {
      const joined = unwrapped(text, at, start);
      const length = joined === undefined ? -1 : read(joined.text, 0);
      if (end < 0 && (!joined || length < 0)) return undefined;
      if (joined && length > end - at) {
        value = joined.text.slice(0, length);
        end = (joined.places[length - 1] ?? at) + 1;
      }
    }
    const body = value.slice(start.length);
    if (isPlaceholder(value) || isPlaceholder(body) || (rule.loose && !(mixed(body) && /\d/.test(body))))
      return undefined;
    return { start: from, end, kind: rule.kind, rank: RANK.token };
  };
}

function beginning(text: string, at: number, before: RegExp): number {
  const found = before.exec(text.slice(Math.max(0, at - MAX_LEAD_CHARS), at));
  return found ? at - found[0].length : -1;
}

/** Not preceded by a letter or digit, except those of an escape: `\n`, `%3D`, `\u003d`. */
function beginsHere(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  if (at === 0 || !isWord(code)) return true;
  const back = text.slice(Math.max(0, at - 6), at);
  return /(?:\\[nrtbf0]|%[0-9A-Fa-f]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\x1b\[[\d;]{0,3}m|\/bot)$/.test(back);
}

function isWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

const BREAK = /\\?\r?\n[ \t]{0,40}/y;

/** A line that is only the rest of a token: not a word, nor the next token of a list. */
function goesOn(text: string, at: number, start: string): boolean {
  REST.lastIndex = at;
  const rest = REST.exec(text)?.[0] ?? '';
  return rest !== '' && !rest.startsWith(start) && mixed(rest) && /\d/.test(rest) && rest.length >= 6;
}

const REST = /[A-Za-z0-9_.=+/-]{6,400}(?=["'`)\]},;\\]|\s|$)/y;

function isLineEnd(text: string, at: number): boolean {
  return /[\r\n\\]/.test(text.charAt(at));
}

function isLong(text: string, end: number): boolean {
  return end >= LONG_LINE_CHARS && !text.slice(end - LONG_LINE_CHARS, end).includes('\n');
}

/** A token that a narrow page broke into lines, joined again; `places` are the original offsets. */
function unwrapped(text: string, at: number, start: string): { text: string; places: number[] } | undefined {
  const places: number[] = [];
  let joined = '';
  let line = 0;
  let from = at;
  for (let index = at; index < text.length && index - at < MAX_BROKEN_CHARS; index += 1) {
    const code = text.charCodeAt(index);
    if (isWord(code) || code === 45 || code === 95 || code === 46 || code === 61 || code === 43 || code === 47) {
      places.push(index);
      line += 1;
      continue;
    }
    BREAK.lastIndex = index;
    if (line < MIN_LINE_CHARS || !BREAK.test(text) || !goesOn(text, BREAK.lastIndex, start)) break;
    joined += text.slice(from, index);
    from = BREAK.lastIndex;
    index = from - 1;
    line = 0;
  }
  if (joined === '') return undefined;
  const last = places.at(-1) ?? at;
  return { text: joined + text.slice(from, Math.max(from, last + 1)), places };
}
