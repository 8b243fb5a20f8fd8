/** The editor's commands, by the names that the key table uses. */
import {
  blankWordStart,
  deleteRange,
  insertText,
  killRange,
  lineEnd,
  lineStart,
  moveTo,
  next,
  pasteText,
  previous,
  redo,
  replace,
  undo,
  wordEnd,
  wordStart,
} from './edit.ts';
import { layoutEditor, offsetAt } from './layout.ts';

import { cleanText, createEditor, type EditorState, OTHER } from './state.ts';

type Step = (state: EditorState) => EditorState;

const COMMANDS = {
  newline: (state) => insertText(state, '\n'),
  left: (state) => moveTo(state, previous(state.text, state.cursor)),
  right: (state) => moveTo(state, next(state.text, state.cursor)),
  wordLeft: (state) => moveTo(state, wordStart(state.text, state.cursor)),
  wordRight: (state) => moveTo(state, wordEnd(state.text, state.cursor)),
  lineStart: (state) => moveTo(state, lineStart(state.text, state.cursor)),
  lineEnd: (state) => moveTo(state, lineEnd(state.text, state.cursor)),
  textStart: (state) => moveTo(state, 0),
  textEnd: (state) => moveTo(state, state.text.length),
  deleteBack: (state) => deleteRange(state, previous(state.text, state.cursor), state.cursor),
  deleteForward: (state) => deleteRange(state, state.cursor, next(state.text, state.cursor)),
  killLineEnd: (state) => {
    const end = lineEnd(state.text, state.cursor);
    // At the end of a line its newline is killed, so that repeating the command kills line after line.
    return killRange(state, state.cursor, end === state.cursor ? Math.min(end + 1, state.text.length) : end, false);
  },
  killLineStart: (state) => {
    const start = lineStart(state.text, state.cursor);
    return killRange(state, start === state.cursor ? Math.max(0, start - 1) : start, state.cursor, true);
  },
  killWordBack: (state) => killRange(state, wordStart(state.text, state.cursor), state.cursor, true),
  killWordForward: (state) => killRange(state, state.cursor, wordEnd(state.text, state.cursor), false),
  killBlankWordBack: (state) => {
    const region = regionOf(state);
    if (region !== undefined) return killRange({ ...state, last: OTHER }, region[0], region[1], true);
    return killRange(state, blankWordStart(state.text, state.cursor), state.cursor, true);
  },
  copyRegion: (state) => {
    const region = regionOf(state);
    if (region === undefined) return state;
    const { mark: _, ...rest } = state;
    return { ...rest, kills: [state.text.slice(...region), ...state.kills], last: OTHER };
  },
  setMark: (state) => ({ ...state, mark: state.cursor, last: OTHER }),
  cancel: (state) => {
    const { mark: _, ...rest } = state;
    return { ...rest, last: OTHER };
  },
  yank: (state) => yank(state, state.cursor, state.cursor, 0, false),
  yankPop: (state) => {
    const { last } = state;
    if (last.kind !== 'yank' || state.kills.length < 2) return state;
    return yank(state, last.from, last.to, (last.index + 1) % state.kills.length, true);
  },
  undo,
  redo,
  transpose: (state) => {
    const { text, cursor } = state;
    // At the end of a line the two characters before the cursor are exchanged, as in Emacs.
    const atEnd = lineEnd(text, cursor) === cursor;
    const middle = atEnd ? previous(text, cursor) : cursor;
    const start = previous(text, middle);
    if (middle === start || start < lineStart(text, cursor) || middle === lineStart(text, cursor)) return state;
    const end = next(text, middle);
    return replace(state, start, end, text.slice(middle, end) + text.slice(start, middle));
  },
  capitalizeWord: (state) =>
    changeWord(state, (word) => word.toLowerCase().replace(/\p{L}/u, (first) => first.toUpperCase())),
  upcaseWord: (state) => changeWord(state, (word) => word.toUpperCase()),
  downcaseWord: (state) => changeWord(state, (word) => word.toLowerCase()),
  clear: (state) => replace(state, 0, state.text.length, ''),
} as const satisfies Record<string, Step>;

export type EditorCommand = keyof typeof COMMANDS;

/** Returns whether a command of the key table belongs to the editor. */
export function isEditorCommand(name: string): name is EditorCommand {
  return Object.hasOwn(COMMANDS, name);
}

export function runCommand(state: EditorState, command: EditorCommand): EditorState {
  return COMMANDS[command](state);
}

/** Puts typed text at the cursor. */
export function typeText(state: EditorState, text: string): EditorState {
  return insertText(state, cleanText(text));
}

/** Puts a pasted block at the cursor as text; a large one is folded (IN-4). */
export function paste(state: EditorState, text: string): EditorState {
  return pasteText(state, cleanText(text));
}

/**
 * Moves by rows as drawn at these widths; undefined at the edge, where ↑ and ↓ walk the history instead. Repeated moves
 * keep the column that they began at.
 */
export function moveRows(state: EditorState, rows: -1 | 1, width: number, firstWidth = width): EditorState | undefined {
  const layout = layoutEditor(state, width, firstWidth);
  const target = layout.cursorRow + rows;
  if (target < 0 || target >= layout.rows.length) return undefined;
  // The prompt's name is to the left of the first row: columns count from the screen's edge.
  const shift = (row: number) => (row === 0 ? width - firstWidth : 0);
  const goal = state.goal ?? layout.cursorColumn + shift(layout.cursorRow);
  return { ...moveTo(state, offsetAt(state, layout, target, goal - shift(target))), goal };
}

/** Replaces the whole text (history, external editor, completion) as one undo step, with the cursor at `cursor`. */
export function setText(state: EditorState, text: string, cursor = text.length): EditorState {
  const clean = cleanText(text);
  return replace(state, 0, state.text.length, clean, { cursor: Math.min(cursor, clean.length) });
}

/** Empties the prompt after its text was sent. Undo stops here; the kill ring stays. */
export function submitted(state: EditorState): EditorState {
  const pastes = Object.entries(state.pastes).filter(([mark]) => state.kills.some((text) => text.includes(mark)));
  return { ...createEditor(), kills: state.kills, pastes: Object.fromEntries(pastes) };
}

/** Returns lines to the prompt that were queued when a run was aborted (IN-7), above the draft. */
export function giveBack(state: EditorState, text: string): EditorState {
  const clean = cleanText(text);
  const joined = state.text === '' ? clean : `${clean}\n`;
  return replace(state, 0, 0, joined, { cursor: state.cursor + joined.length });
}

/** The region between mark and cursor; undefined when there is none. */
function regionOf(state: EditorState): readonly [number, number] | undefined {
  const { mark, cursor } = state;
  if (mark === undefined || mark === cursor) return undefined;
  return mark < cursor ? [mark, cursor] : [cursor, mark];
}

function yank(state: EditorState, from: number, to: number, index: number, joins: boolean): EditorState {
  const text = state.kills[index];
  if (text === undefined) return state;
  const done = replace(state, from, to, text, { joins });
  return { ...done, last: { kind: 'yank', from, to: from + text.length, index } };
}

function changeWord(state: EditorState, change: (word: string) => string): EditorState {
  const end = wordEnd(state.text, state.cursor);
  return replace(state, state.cursor, end, change(state.text.slice(state.cursor, end)));
}
