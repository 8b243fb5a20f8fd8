/** The steps that commands consist of: replacing text, and what undo and the kill ring record. */

import { graphemes } from '../../text/display.ts';
import { type EditorState, freePlaceholder, isLarge, type Last, OTHER, type Snapshot } from './state.ts';

const MAX_UNDO = 500;
const MAX_KILLS = 60;
/** The most typed characters that one undo step holds. */
const MAX_TYPED_CHARS = 40;

/** Moves the cursor, which ends a run of typing or killing. */
export function moveTo(state: EditorState, cursor: number, last: Last = OTHER): EditorState {
  const { goal: _, ...rest } = state;
  return { ...rest, cursor, last };
}

/**
 * Replaces `from`–`to` by `insertion` and puts the cursor behind it. With `joins` the change belongs to the previous
 * undo step. The mark is dropped, since its text has changed.
 */
export function replace(
  state: EditorState,
  from: number,
  to: number,
  insertion: string,
  {
    last = OTHER,
    joins = false,
    cursor = from + insertion.length,
  }: { last?: Last; joins?: boolean; cursor?: number } = {},
): EditorState {
  const text = state.text.slice(0, from) + insertion + state.text.slice(to);
  if (text === state.text && cursor === state.cursor) return { ...state, last };
  const { goal: _goal, mark: _mark, ...rest } = state;
  const undo = joins ? state.undo : remember(state.undo, state);
  // The new text may form one grapheme with its neighbours (a flag, a combining mark): the cursor goes behind it.
  return { ...rest, text, cursor: snap(text, cursor), undo, redo: [], last };
}

function remember(stack: readonly Snapshot[], { text, cursor }: Snapshot): readonly Snapshot[] {
  return [...stack.slice(-(MAX_UNDO - 1)), { text, cursor }];
}

/** Inserts typed text: a run of typing is one undo step, broken at the start of each word. */
export function insertText(state: EditorState, text: string): EditorState {
  if (text === '') return state;
  const { last, cursor } = state;
  const continues = last.kind === 'insert' && last.at === cursor && last.count < MAX_TYPED_CHARS;
  const startsWord = /^\S/.test(text) && /\s$/.test(state.text.slice(0, cursor));
  const joins = continues && !startsWord && !text.includes('\n');
  const done = replace(state, cursor, cursor, text, { joins });
  return { ...done, last: { kind: 'insert', at: done.cursor, count: joins && continues ? last.count + 1 : 1 } };
}

/** Deletes a range: a run of deletions is one undo step. */
export function deleteRange(state: EditorState, from: number, to: number): EditorState {
  if (from === to) return { ...state, last: OTHER };
  const { last } = state;
  const joins = last.kind === 'delete' && last.at === state.cursor && last.count < MAX_TYPED_CHARS;
  const done = replace(state, from, to, '', { joins });
  return { ...done, last: { kind: 'delete', at: done.cursor, count: joins ? last.count + 1 : 1 } };
}

/**
 * Moves a range to the kill ring; consecutive kills become one text in it. `backward` when the text was before the
 * cursor.
 */
export function killRange(state: EditorState, from: number, to: number, backward: boolean): EditorState {
  if (from === to) return { ...state, last: state.last.kind === 'kill' ? state.last : OTHER };
  const killed = state.text.slice(from, to);
  const [newest = '', ...older] = state.kills;
  const joined = backward ? killed + newest : newest + killed;
  const kills = state.last.kind === 'kill' ? [joined, ...older] : [killed, ...state.kills].slice(0, MAX_KILLS);
  return { ...replace(state, from, to, '', { last: { kind: 'kill' } }), kills };
}

/** Inserts pasted text: as it is when short, else folded to a placeholder. Always its own undo step. */
export function pasteText(state: EditorState, text: string): EditorState {
  if (text === '') return state;
  const { cursor } = state;
  if (!isLarge(text)) return replace(state, cursor, cursor, text);
  const kept = [state.text, ...state.kills, ...[...state.undo, ...state.redo].map((snapshot) => snapshot.text)];
  const mark = freePlaceholder(kept);
  if (mark === undefined) return replace(state, cursor, cursor, text);
  return { ...replace(state, cursor, cursor, mark), pastes: { ...state.pastes, [mark]: text } };
}

export function undo(state: EditorState): EditorState {
  const before = state.undo.at(-1);
  if (before === undefined) return { ...state, last: OTHER };
  const { mark: _, goal: __, ...rest } = state;
  return { ...rest, ...before, undo: state.undo.slice(0, -1), redo: remember(state.redo, state), last: OTHER };
}

export function redo(state: EditorState): EditorState {
  const after = state.redo.at(-1);
  if (after === undefined) return { ...state, last: OTHER };
  const { mark: _, goal: __, ...rest } = state;
  return { ...rest, ...after, undo: remember(state.undo, state), redo: state.redo.slice(0, -1), last: OTHER };
}

// Places in a text: graphemes, words, lines. All offsets are UTF-16 and lie on grapheme boundaries.

const PLACEHOLDER = /([\ufdd0-\ufdef])/;

/**
 * Returns the units that the cursor moves over: graphemes, and each folded paste on its own, whatever mark follows it.
 */
export function units(text: string): string[] {
  if (!PLACEHOLDER.test(text)) return splitLines(text);
  return text.split(PLACEHOLDER).flatMap((piece) => (PLACEHOLDER.test(piece) ? [piece] : splitLines(piece)));
}

/** A newline always ends a grapheme, so each line is split on its own, which keeps plain lines fast. */
function splitLines(text: string): string[] {
  if (!text.includes('\n')) return graphemes(text);
  return text.split(/(\n)/).flatMap((line) => (line === '\n' ? ['\n'] : graphemes(line)));
}

/** Returns the boundary at or after `offset`. */
export function snap(text: string, offset: number): number {
  let at = 0;
  for (const unit of units(text)) {
    if (at >= offset) return at;
    at += unit.length;
  }
  return text.length;
}

/** Returns the boundary after the one at `offset`. */
export function next(text: string, offset: number): number {
  const line = lineEnd(text, offset);
  if (line === offset) return Math.min(offset + 1, text.length);
  return offset + (units(text.slice(offset, line))[0]?.length ?? 0);
}

/** Returns the boundary before the one at `offset`. */
export function previous(text: string, offset: number): number {
  const start = lineStart(text, offset);
  if (start === offset) return Math.max(0, offset - 1);
  return offset - (units(text.slice(start, offset)).at(-1)?.length ?? 0);
}

export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end;
}

const isWord = (unit: string): boolean => /^[\p{L}\p{N}\p{M}]/u.test(unit) || PLACEHOLDER.test(unit);
const isInk = (unit: string): boolean => !/^\s/.test(unit);

/** Returns the end of the word at or after `offset`. Words are letters and digits, as in Emacs. */
export function wordEnd(text: string, offset: number): number {
  return run(text, offset, isWord);
}

/** The start of the word before `offset`. */
export function wordStart(text: string, offset: number): number {
  return runBack(text, offset, isWord);
}

/** The start of the blank-delimited word before `offset` (Ctrl-W). */
export function blankWordStart(text: string, offset: number): number {
  return runBack(text, offset, isInk);
}

function run(text: string, offset: number, inside: (unit: string) => boolean): number {
  let at = offset;
  let entered = false;
  for (const unit of units(text.slice(offset))) {
    const is = inside(unit);
    if (entered && !is) break;
    entered ||= is;
    at += unit.length;
  }
  return at;
}

function runBack(text: string, offset: number, inside: (unit: string) => boolean): number {
  let at = offset;
  let entered = false;
  for (const unit of units(text.slice(0, offset)).reverse()) {
    const is = inside(unit);
    if (entered && !is) break;
    entered ||= is;
    at -= unit.length;
  }
  return at;
}
