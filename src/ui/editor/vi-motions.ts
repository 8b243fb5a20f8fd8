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
  return MOTIONS.get(motion[0] ?? '')?.({ text, cursor, motion, count, find });
}

type Call = {
  readonly text: string;
  readonly cursor: number;
  readonly motion: string;
  readonly count: number;
  readonly find: Find | undefined;
};
type Motion = (call: Call) => Place | undefined;

const exclusive =
  (to: (call: Call) => number): Motion =>
  (call) => ({ from: call.cursor, to: to(call), inclusive: false });

/** The step as often as was asked for. */
function times({ cursor, count }: Call, step: (at: number) => number): number {
  let at = cursor;
  for (let left = count; left > 0; left -= 1) at = step(at);
  return at;
}

const isBig = ({ motion }: Call) => motion === motion.toUpperCase();
const toFound: Motion = ({ text, cursor, motion, count }) =>
  found(text, cursor, { kind: motion.charAt(0) as Find['kind'], char: motion.slice(1) }, count);
const right = exclusive((call) => times(call, (at) => Math.min(lineEnd(call.text, call.cursor), next(call.text, at))));
const forward = exclusive((call) => times(call, (at) => wordForward(call.text, at, isBig(call))));
const back = exclusive((call) => times(call, (at) => wordBack(call.text, at, isBig(call))));
const toEnd: Motion = (call) => ({
  from: call.cursor,
  to: times(call, (at) => wordEnd(call.text, at, isBig(call))),
  inclusive: true,
});
const object: Motion = ({ text, cursor, motion }) => objectOf(text, cursor, motion.charAt(1), motion[0] === 'a');

const MOTIONS: ReadonlyMap<string, Motion> = new Map<string, Motion>([
  ['h', exclusive((call) => times(call, (at) => Math.max(lineStart(call.text, call.cursor), previous(call.text, at))))],
  ['l', right],
  [' ', right],
  ['w', forward],
  ['W', forward],
  ['b', back],
  ['B', back],
  ['e', toEnd],
  ['E', toEnd],
  ['0', exclusive(({ text, cursor }) => lineStart(text, cursor))],
  [
    '^',
    exclusive(({ text, cursor }) => {
      const start = lineStart(text, cursor);
      return start + (/^\s*/.exec(text.slice(start))?.[0].length ?? 0);
    }),
  ],
  ['$', exclusive(({ text, cursor }) => lineEnd(text, cursor))],
  ['|', exclusive(({ text, cursor, count }) => Math.min(lineEnd(text, cursor), lineStart(text, cursor) + count - 1))],
  ['%', ({ text, cursor }) => pairOf(text, cursor)],
  ['f', toFound],
  ['F', toFound],
  ['t', toFound],
  ['T', toFound],
  [';', ({ text, cursor, count, find }) => find && found(text, cursor, find, count)],
  [',', ({ text, cursor, count, find }) => find && found(text, cursor, { ...find, kind: OTHER_WAY[find.kind] }, count)],
  ['i', object],
  ['a', object],
]);

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
  if (which === 'w' || which === 'W') return wordAround(text, cursor, which === 'W', around);
  const pair = PAIRS[which];
  const [from, to] = pair ? bracketsAround(text, cursor, pair) : quotesAround(text, cursor, which);
  if (from < 0 || to < 0) return undefined;
  return { from: around ? from : from + 1, to: around ? to + 1 : to, inclusive: false };
}

function wordAround(text: string, cursor: number, big: boolean, around: boolean): Place {
  const kind = kindOf(text[cursor] ?? '', big);
  let [from, to] = [cursor, cursor];
  while (from > 0 && kindOf(text[from - 1] ?? '', big) === kind) from -= 1;
  while (to < text.length && kindOf(text[to] ?? '', big) === kind) to += 1;
  while (around && to < text.length && /\s/.test(text[to] ?? '')) to += 1;
  return { from, to, inclusive: false };
}

/** Where a pair of brackets stands; -1: there is none. */
function bracketsAround(text: string, cursor: number, [open, close]: readonly [string, string]): [number, number] {
  const from = text[cursor] === open ? cursor : opening(`${text.slice(0, cursor)}${close}`, cursor, open, close);
  return [from, from < 0 ? -1 : closing(text, from, open, close)];
}

function quotesAround(text: string, cursor: number, quote: string): [number, number] {
  let from = text.lastIndexOf(quote, cursor - 1);
  if (from < 0 || text[cursor] === quote) from = text.indexOf(quote, from < 0 ? cursor : from);
  return [from, from < 0 ? -1 : text.indexOf(quote, from + 1)];
}
