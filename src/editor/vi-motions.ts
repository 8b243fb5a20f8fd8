/** Where vi's motions lead in a text. Source: POSIX sh, vi line editing; text objects as in vim. */
import { lineEnd, lineStart, next, previous } from './motion.ts';

/** `from` is the cursor but for text objects; `inclusive`: an operator takes the character at `to` as well. */
export type Place = { readonly from: number; readonly to: number; readonly inclusive: boolean };

type Find = { readonly kind: 'f' | 'F' | 't' | 'T'; readonly char: string };

const WORD = /[\p{L}\p{N}\p{M}_]/u;
/** What a character counts as: a blank, a word's, or a sign. */
const kindOf = (char: string, big: boolean) => (char === '' || /\s/.test(char) ? 0 : big || WORD.test(char) ? 1 : 2);

/** Undefined where it leads nowhere. */
export function motionOf(
  text: string,
  cursor: number,
  motion: string,
  count: number,
  find: Find | undefined,
): Place | undefined {
  const exclusive = (to: number): Place => ({ from: cursor, to, inclusive: false });
  const times = (step: (at: number) => number) => {
    let at = cursor;
    for (let left = count; left > 0; left -= 1) at = step(at);
    return at;
  };
  const big = motion === motion.toUpperCase();
  switch (motion[0]) {
    case 'h':
      return exclusive(times((at) => Math.max(lineStart(text, cursor), previous(text, at))));
    case 'l':
    case ' ':
      return exclusive(times((at) => Math.min(lineEnd(text, cursor), next(text, at))));
    case 'w':
    case 'W':
      return exclusive(times((at) => wordForward(text, at, big)));
    case 'b':
    case 'B':
      return exclusive(times((at) => wordBack(text, at, big)));
    case 'e':
    case 'E':
      return { from: cursor, to: times((at) => wordEnd(text, at, big)), inclusive: true };
    case '0':
      return exclusive(lineStart(text, cursor));
    case '^':
      return exclusive(lineStart(text, cursor) + (/^\s*/.exec(text.slice(lineStart(text, cursor)))?.[0].length ?? 0));
    case '$':
      return exclusive(lineEnd(text, cursor));
    case '|':
      return exclusive(Math.min(lineEnd(text, cursor), lineStart(text, cursor) + count - 1));
    case '%':
      return pairOf(text, cursor);
    case 'f':
    case 'F':
    case 't':
    case 'T':
      return found(text, cursor, { kind: motion[0], char: motion.slice(1) }, count);
    case ';':
      return find && found(text, cursor, find, count);
    case ',':
      return find && found(text, cursor, { ...find, kind: OTHER_WAY[find.kind] }, count);
    case 'i':
    case 'a':
      return objectOf(text, cursor, motion[1] ?? '', motion[0] === 'a');
    default:
      return undefined;
  }
}

const OTHER_WAY = { f: 'F', F: 'f', t: 'T', T: 't' } as const;

function wordForward(text: string, from: number, big: boolean): number {
  let at = from;
  const kind = kindOf(text[at] ?? '', big);
  while (at < text.length && kind !== 0 && kindOf(text[at] ?? '', big) === kind) at += 1;
  while (at < text.length && kindOf(text[at] ?? '', big) === 0) at += 1;
  return at;
}

function wordBack(text: string, from: number, big: boolean): number {
  let at = from;
  while (at > 0 && kindOf(text[at - 1] ?? '', big) === 0) at -= 1;
  const kind = kindOf(text[at - 1] ?? '', big);
  while (at > 0 && kindOf(text[at - 1] ?? '', big) === kind) at -= 1;
  return at;
}

function wordEnd(text: string, from: number, big: boolean): number {
  let at = Math.min(from + 1, text.length);
  while (at < text.length && kindOf(text[at] ?? '', big) === 0) at += 1;
  const kind = kindOf(text[at] ?? '', big);
  while (at + 1 < text.length && kindOf(text[at + 1] ?? '', big) === kind) at += 1;
  return Math.min(at, Math.max(0, text.length - 1));
}

function found(text: string, cursor: number, { kind, char }: Find, count: number): Place | undefined {
  const ahead = kind === 'f' || kind === 't';
  let at = cursor;
  for (let left = count; left > 0; left -= 1) {
    // `t` beside its character goes on to the next one.
    const from = kind === 't' && left === count && text[at + 1] === char && count > 1 ? at + 1 : at;
    at = ahead ? text.indexOf(char, from + 1) : at === 0 ? -1 : text.lastIndexOf(char, at - 1);
    if (at < 0) return undefined;
  }
  const to = kind === 't' ? at - 1 : kind === 'T' ? at + char.length : at;
  return { from: cursor, to, inclusive: ahead };
}

const PAIRS: Readonly<Record<string, readonly [string, string]>> = {
  '(': ['(', ')'],
  ')': ['(', ')'],
  b: ['(', ')'],
  '{': ['{', '}'],
  '}': ['{', '}'],
  '[': ['[', ']'],
  ']': ['[', ']'],
};

/** The bracket that belongs to the one at or behind the cursor. */
function pairOf(text: string, cursor: number): Place | undefined {
  const offset = text.slice(cursor).search(/[()[\]{}]/);
  if (offset < 0) return undefined;
  const at = cursor + offset;
  const [open, close] = PAIRS[text[at] ?? ''] ?? ['', ''];
  const to = text[at] === open ? closing(text, at, open, close) : opening(text, at, open, close);
  return to < 0 ? undefined : { from: cursor, to, inclusive: true };
}

function closing(text: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === open) depth += 1;
    else if (text[at] === close && --depth === 0) return at;
  }
  return -1;
}

function opening(text: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at >= 0; at -= 1) {
    if (text[at] === close) depth += 1;
    else if (text[at] === open && --depth === 0) return at;
  }
  return -1;
}

/** `iw`, `a"`, `i(` and the like. */
function objectOf(text: string, cursor: number, which: string, around: boolean): Place | undefined {
  const span = (from: number, to: number): Place => ({ from, to, inclusive: false });
  if (which === 'w' || which === 'W') {
    const big = which === 'W';
    const kind = kindOf(text[cursor] ?? '', big);
    let [from, to] = [cursor, cursor];
    while (from > 0 && kindOf(text[from - 1] ?? '', big) === kind) from -= 1;
    while (to < text.length && kindOf(text[to] ?? '', big) === kind) to += 1;
    while (around && to < text.length && /\s/.test(text[to] ?? '')) to += 1;
    return span(from, to);
  }
  const pair = PAIRS[which];
  if (pair) {
    const [open, close] = pair;
    const from = text[cursor] === open ? cursor : opening(`${text.slice(0, cursor)}${close}`, cursor, open, close);
    const to = from < 0 ? -1 : closing(text, from, open, close);
    if (to < 0) return undefined;
    return around ? span(from, to + 1) : span(from + 1, to);
  }
  let from = text.lastIndexOf(which, cursor - 1);
  if (from < 0 || text[cursor] === which) from = text.indexOf(which, from < 0 ? cursor : from);
  const to = from < 0 ? -1 : text.indexOf(which, from + 1);
  if (to < 0) return undefined;
  return around ? span(from, to + 1) : span(from + 1, to);
}
