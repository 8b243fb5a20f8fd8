/**
 * vi's normal mode over the prompt (IN-8): motions, operators, counts, `.`; the keys of a shell's `set -o vi`. Pure.
 */

import { pattern } from '../../text/pattern.ts';
import { insertText, killRange, lineEnd, lineStart, moveTo, next, previous, replace, snap, undo } from './edit.ts';
import { type EditorState, OTHER } from './state.ts';

// Computes the targets of vi’s motions in a text. Source: POSIX sh, vi line editing; text objects as in vim.

/** `from` is the cursor but for text objects; `inclusive`: an operator takes the character at `to` as well. */
type Place = { readonly from: number; readonly to: number; readonly inclusive: boolean };

type FindMotion = { readonly kind: 'f' | 'F' | 't' | 'T'; readonly char: string };

const WORD = /[\p{L}\p{N}\p{M}_]/u;
/** Returns the class of a character: blank, word character, or punctuation. */
const kindOf = (char: string, big: boolean) => (char === '' || /\s/.test(char) ? 0 : big || WORD.test(char) ? 1 : 2);

/** Returns where a motion ends; undefined where it can't move. */
function motionOf(
  text: string,
  cursor: number,
  motion: string,
  count: number,
  find: FindMotion | undefined,
): Place | undefined {
  return MOTIONS.get(motion[0] ?? '')?.({ text, cursor, motion, count, find });
}

type Call = {
  readonly text: string;
  readonly cursor: number;
  readonly motion: string;
  readonly count: number;
  readonly find: FindMotion | undefined;
};
type Motion = (call: Call) => Place | undefined;

const exclusive =
  (to: (call: Call) => number): Motion =>
  (call) => ({ from: call.cursor, to: to(call), inclusive: false });

/** Repeats a step as often as the count says. */
function times({ cursor, count }: Call, step: (at: number) => number): number {
  let at = cursor;
  for (let left = count; left > 0; left -= 1) at = step(at);
  return at;
}

const isBig = ({ motion }: Call) => motion === motion.toUpperCase();
const toFound: Motion = ({ text, cursor, motion, count }) =>
  found(text, cursor, { kind: motion.charAt(0) as FindMotion['kind'], char: motion.slice(1) }, count);
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

function found(text: string, cursor: number, { kind, char }: FindMotion, count: number): Place | undefined {
  const ahead = kind === 'f' || kind === 't';
  let at = cursor;
  for (let left = count; left > 0; left -= 1) {
    // A repeated `t` directly before its character continues to the next one.
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

/** Returns the bracket that matches the one at or behind the cursor. */
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

/** Returns the places of the surrounding pair of brackets; -1 where there is none. */
function bracketsAround(text: string, cursor: number, [open, close]: readonly [string, string]): [number, number] {
  const from = text[cursor] === open ? cursor : opening(`${text.slice(0, cursor)}${close}`, cursor, open, close);
  return [from, from < 0 ? -1 : closing(text, from, open, close)];
}

function quotesAround(text: string, cursor: number, quote: string): [number, number] {
  let from = text.lastIndexOf(quote, cursor - 1);
  if (from < 0 || text[cursor] === quote) from = text.indexOf(quote, from < 0 ? cursor : from);
  return [from, from < 0 ? -1 : text.indexOf(quote, from + 1)];
}

type Mode = 'insert' | 'normal' | 'replace';
type Find = { readonly kind: 'f' | 'F' | 't' | 'T'; readonly char: string };

export type ViState = {
  readonly mode: Mode;
  /** Keys of a command that is not complete yet. */
  readonly pending: string;
  readonly find: Find | undefined;
  /** The keys of the last change and the text then typed in insert mode, for `.`. */
  readonly change: string;
  /** The keys of a change in progress, including text typed in insert mode. */
  readonly recording: string | undefined;
};

export const VI_INSERT: ViState = { mode: 'insert', pending: '', find: undefined, change: '', recording: undefined };

/** The result of a key in normal mode; `command` names a command of the key table that is to be run. */
export type ViResult = { readonly vi: ViState; readonly editor: EditorState; readonly command?: string };

/** `[count] operator [count] motion`, or `[count] command`. */
const WHOLE = pattern(
  String.raw`
    ^(?<count>[1-9]\d*)?(?:(?<operator>[dcy])(?<inner>[1-9]\d*)?(?<motion>[dcy]|[fFtT].|[hlwbeWBE0^$;,%|\x20]
    |[ia][wW"'\x60()b{}[\]])|(?<find>[fFtT].)|(?<replace>r.)
    |(?<simple>[hjklwbeWBE0^$;,%|xXDCYSsiaIAR~pPu.v/?nNGk+\-\x20#]))$
  `,
  'su',
);
const BEGINS = /^(?:[1-9]\d*)?(?:[dcy](?:[1-9]\d*)?[fFtTia]?|[fFtTr])?$/u;

/** Leaves insert mode. There the cursor may be after the text, so it moves back onto a character. */
export function toNormal(vi: ViState, editor: EditorState): ViResult {
  const change = vi.recording === undefined ? vi.change : `${vi.recording}\x1b`;
  const back =
    editor.cursor > lineStart(editor.text, editor.cursor) ? previous(editor.text, editor.cursor) : editor.cursor;
  return { vi: { ...vi, mode: 'normal', pending: '', change, recording: undefined }, editor: moveTo(editor, back) };
}

/** Adds text typed in insert mode to the change that `.` repeats. */
export function recordTyped(vi: ViState, text: string): ViState {
  return vi.recording === undefined ? vi : { ...vi, recording: vi.recording + text };
}

/** Takes one character in normal mode. */
export function viKey(vi: ViState, editor: EditorState, key: string): ViResult {
  const pending = vi.pending + key;
  const match = WHOLE.exec(pending)?.groups;
  if (match) return settle(run({ ...vi, pending: '' }, editor, pending, match));
  return { vi: { ...vi, pending: BEGINS.test(pending) ? pending : '' }, editor };
}

/** In normal mode the cursor is on a character, never after the last one. */
function settle(result: ViResult): ViResult {
  const { vi, editor } = result;
  const { text, cursor } = editor;
  if (vi.mode !== 'normal' || cursor < lineEnd(text, cursor) || cursor === lineStart(text, cursor)) return result;
  return { ...result, editor: moveTo(editor, previous(text, cursor)) };
}

function run(
  vi: ViState,
  editor: EditorState,
  keys: string,
  groups: Readonly<Record<string, string | undefined>>,
): ViResult {
  const { operator, motion, find, simple } = groups;
  const count = Number(groups.count ?? 1) * Number(groups.inner ?? 1);
  if (operator !== undefined && motion !== undefined) return operate(vi, editor, keys, operator, motion, count);
  if (find !== undefined) {
    const found = findOf(find);
    return move({ ...vi, find: found }, editor, find, count);
  }
  if (groups.replace !== undefined) return replaceChar(vi, editor, keys, groups.replace.slice(1), count);
  return simple === undefined
    ? { vi, editor }
    : runSimple(vi, editor, keys, simple, groups.count === undefined ? undefined : count);
}

function findOf(keys: string): Find {
  return { kind: keys[0] as Find['kind'], char: keys.slice(1) };
}

function move(vi: ViState, editor: EditorState, motion: string, count: number): ViResult {
  const place = motionOf(editor.text, editor.cursor, motion, count, vi.find);
  return { vi, editor: place === undefined ? editor : moveTo(editor, snap(editor.text, place.to)) };
}

/** Applies `d`, `c` or `y` to the range of a motion; doubled, to the line. */
function operate(
  vi: ViState,
  editor: EditorState,
  keys: string,
  operator: string,
  motion: string,
  count: number,
): ViResult {
  const { text, cursor } = editor;
  const found = /^[fFtT]./u.test(motion) ? findOf(motion) : vi.find;
  // `cw` changes to the end of the word, as in vi.
  const wanted = operator === 'c' && motion === 'w' ? 'e' : operator === 'c' && motion === 'W' ? 'E' : motion;
  const place: Place | undefined =
    motion === operator
      ? { from: lineStart(text, cursor), to: lineEnd(text, cursor), inclusive: false }
      : motionOf(text, cursor, wanted, count, found);
  const state = { ...vi, find: found };
  if (!place) return { vi: state, editor };
  const [from, last] = place.from <= place.to ? [place.from, place.to] : [place.to, place.from];
  const to = place.inclusive ? next(text, last) : last;
  return change(state, editor, keys, operator, from, Math.min(to, text.length));
}

function change(vi: ViState, editor: EditorState, keys: string, operator: string, from: number, to: number): ViResult {
  if (operator === 'y')
    return { vi, editor: moveTo({ ...editor, kills: [editor.text.slice(from, to), ...editor.kills] }, from) };
  // Kills of vi are never joined.
  const cut = from === to ? moveTo(editor, from) : killRange({ ...editor, last: OTHER }, from, to, false);
  if (operator === 'c') return { vi: inserting(vi, keys), editor: cut };
  return { vi: { ...vi, change: keys }, editor: cut };
}

function inserting(vi: ViState, keys: string, mode: 'insert' | 'replace' = 'insert'): ViState {
  return { ...vi, mode, recording: keys };
}

function replaceChar(vi: ViState, editor: EditorState, keys: string, char: string, count: number): ViResult {
  const { text, cursor } = editor;
  let end = cursor;
  for (let left = count; left > 0 && end < lineEnd(text, cursor); left -= 1) end = next(text, end);
  if (end === cursor) return { vi, editor };
  const put = replace(editor, cursor, end, char.repeat(count));
  return { vi: { ...vi, change: keys }, editor: moveTo(put, cursor + char.repeat(count - 1).length) };
}

/** Commands of vi that are commands of the key table under another name. */
const TABLE: Readonly<Record<string, string>> = {
  k: 'historyOlder',
  '-': 'historyOlder',
  j: 'historyNewer',
  '+': 'historyNewer',
  '/': 'searchHistory',
  '?': 'searchHistory',
  n: 'historyOlder',
  N: 'historyNewer',
  v: 'externalEditor',
};

type Simple = {
  readonly vi: ViState;
  readonly editor: EditorState;
  /** All keys typed for the command. */
  readonly keys: string;
  readonly key: string;
  readonly count: number;
  /** The count before the command, if there was one. */
  readonly counted: number | undefined;
};

const endOf = ({ text, cursor }: EditorState) => lineEnd(text, cursor);
const behindCursor = (editor: EditorState) =>
  editor.cursor < endOf(editor) ? next(editor.text, editor.cursor) : editor.cursor;
const operates =
  (operator: string, motion: string) =>
  ({ vi, editor, keys, count }: Simple) =>
    operate(vi, editor, keys, operator, motion, count);
const toLineEnd =
  (operator: string, from = ({ cursor }: EditorState) => cursor) =>
  ({ vi, editor, keys }: Simple) =>
    change(vi, editor, keys, operator, from(editor), endOf(editor));
const insertsAt =
  (at: (editor: EditorState) => number) =>
  ({ vi, editor, keys }: Simple): ViResult => ({ vi: inserting(vi, keys), editor: moveTo(editor, at(editor)) });
const puts = ({ vi, editor, keys, key, count }: Simple) =>
  put(vi, editor, keys, key === 'p' ? behindCursor(editor) : editor.cursor, count);

const SIMPLE: ReadonlyMap<string, (simple: Simple) => ViResult> = new Map<string, (simple: Simple) => ViResult>([
  ['x', operates('d', 'l')],
  ['X', operates('d', 'h')],
  ['s', operates('c', 'l')],
  ['D', toLineEnd('d')],
  ['C', toLineEnd('c')],
  ['Y', toLineEnd('y')],
  ['S', toLineEnd('c', ({ text, cursor }) => lineStart(text, cursor))],
  ['i', insertsAt(({ cursor }) => cursor)],
  ['a', insertsAt(behindCursor)],
  ['I', insertsAt(({ text, cursor }) => motionOf(text, cursor, '^', 1, undefined)?.to ?? 0)],
  ['A', insertsAt(endOf)],
  ['R', ({ vi, editor, keys }) => ({ vi: inserting(vi, keys, 'replace'), editor })],
  ['~', ({ vi, editor, keys, count }) => toggleCase(vi, editor, keys, count)],
  ['p', puts],
  ['P', puts],
  [
    'u',
    ({ vi, editor, count }) => {
      let state = editor;
      for (let left = count; left > 0; left -= 1) state = undo(state);
      return { vi, editor: state };
    },
  ],
  ['#', ({ vi, editor }) => ({ vi, editor: replace(editor, 0, 0, '#'), command: 'submit' })],
  ['.', ({ vi, editor, counted }) => again(vi, editor, counted)],
]);

function runSimple(vi: ViState, editor: EditorState, keys: string, key: string, counted: number | undefined): ViResult {
  const count = counted ?? 1;
  const command = TABLE[key];
  if (command !== undefined) return { vi, editor, command };
  return SIMPLE.get(key)?.({ vi, editor, keys, key, count, counted }) ?? move(vi, editor, key, count);
}

function toggleCase(vi: ViState, editor: EditorState, keys: string, count: number): ViResult {
  const { text, cursor } = editor;
  let end = cursor;
  for (let left = count; left > 0 && end < lineEnd(text, cursor); left -= 1) end = next(text, end);
  const turned = [...text.slice(cursor, end)].map((char) =>
    char === char.toUpperCase() ? char.toLowerCase() : char.toUpperCase(),
  );
  return { vi: { ...vi, change: keys }, editor: replace(editor, cursor, end, turned.join('')) };
}

function put(vi: ViState, editor: EditorState, keys: string, at: number, count: number): ViResult {
  const kill = editor.kills[0];
  if (kill === undefined) return { vi, editor };
  const done = replace(editor, at, at, kill.repeat(count));
  return { vi: { ...vi, change: keys }, editor: moveTo(done, previous(done.text, at + kill.length * count)) };
}

/** Repeats the keys of the last change, with the new count if there is one. */
function again(vi: ViState, editor: EditorState, count: number | undefined): ViResult {
  const { change: recorded } = vi;
  if (recorded === '') return { vi, editor };
  const keys = count === undefined ? recorded : `${count}${recorded.replace(/^[1-9]\d*/, '')}`;
  let result: ViResult = { vi, editor };
  for (const key of keys) {
    if (key === '\x1b') result = toNormal(result.vi, result.editor);
    else if (result.vi.mode === 'normal') result = viKey(result.vi, result.editor, key);
    else result = { vi: recordTyped(result.vi, key), editor: insertText(result.editor, key) };
  }
  return { vi: { ...result.vi, change: recorded }, editor: result.editor };
}
