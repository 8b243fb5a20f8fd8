/** vi's normal mode over the prompt (IN-8): motions, operators, counts, `.`; the keys of a shell's `set -o vi`. Pure. */
import { insertText, killRange, moveTo, replace, undo } from './edit.ts';
import { lineEnd, lineStart, next, previous, snap } from './motion.ts';
import { type EditorState, OTHER } from './state.ts';
import { motionOf, type Place } from './vi-motions.ts';

type Mode = 'insert' | 'normal' | 'replace';
type Find = { readonly kind: 'f' | 'F' | 't' | 'T'; readonly char: string };

export type ViState = {
  readonly mode: Mode;
  /** Keys of a command that is not whole yet. */
  readonly pending: string;
  readonly find: Find | undefined;
  /** The keys of the last change, for `.`; with what was typed in insert mode behind it. */
  readonly change: string;
  /** A change under way: what is typed in insert mode belongs to it. */
  readonly recording: string | undefined;
};

export const VI_INSERT: ViState = { mode: 'insert', pending: '', find: undefined, change: '', recording: undefined };

/** What a key in normal mode came to; `command`: one of the key table that is to be run. */
export type ViResult = { readonly vi: ViState; readonly editor: EditorState; readonly command?: string };

/** `[count] operator [count] motion`, or `[count] command`. */
const WHOLE =
  /^(?<count>[1-9]\d*)?(?:(?<operator>[dcy])(?<inner>[1-9]\d*)?(?<motion>[dcy]|[fFtT].|[hlwbeWBE0^$;,%| ]|[ia][wW"'`()b{}[\]])|(?<find>[fFtT].)|(?<replace>r.)|(?<simple>[hjklwbeWBE0^$;,%|xXDCYSsiaIAR~pPu.v/?nNGk+\- #]))$/su;
const BEGINS = /^(?:[1-9]\d*)?(?:[dcy](?:[1-9]\d*)?[fFtTia]?|[fFtTr])?$/u;

/** Leaves insert mode: the cursor steps back onto a character. */
export function toNormal(vi: ViState, editor: EditorState): ViResult {
  const change = vi.recording === undefined ? vi.change : `${vi.recording}\x1b`;
  const back =
    editor.cursor > lineStart(editor.text, editor.cursor) ? previous(editor.text, editor.cursor) : editor.cursor;
  return { vi: { ...vi, mode: 'normal', pending: '', change, recording: undefined }, editor: moveTo(editor, back) };
}

/** What was typed in insert mode becomes part of the change that `.` repeats. */
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

/** In normal mode the cursor stands on a character, not behind the last one. */
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

/** `d`, `c` and `y` over what a motion spans; doubled, over the line. */
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
  // Kills of vi never join to one.
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

/** Commands that are others of the key table. */
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
  /** All keys of the command, and its own. */
  readonly keys: string;
  readonly key: string;
  readonly count: number;
  /** The count that was given, if one was. */
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

/** Plays the keys of the last change, with another count where one is given. */
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
