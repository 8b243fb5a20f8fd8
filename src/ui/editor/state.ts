/** The prompt's text as a value. Pure: a command takes one state and returns another. */

/** Text and cursor at one moment, for undo. */
export type Snapshot = { readonly text: string; readonly cursor: number };

export type EditorState = {
  /** The text in the prompt. A folded paste is one placeholder character; `expand` gives the true text. */
  readonly text: string;
  /** UTF-16 offset, always on a grapheme boundary. */
  readonly cursor: number;
  /** The other end of the region, while one is marked. */
  readonly mark?: number;
  /** The column that ↑ and ↓ aim at, in cells. */
  readonly goal?: number;
  /** Killed texts, newest first. */
  readonly kills: readonly string[];
  readonly undo: readonly Snapshot[];
  readonly redo: readonly Snapshot[];
  /** Folded pastes by their placeholder character. */
  readonly pastes: Readonly<Record<string, string>>;
  /** The kind of the last command, on which runs of typing, joined kills and yank-pop depend. */
  readonly last: Last;
};

export type Last =
  | { readonly kind: 'insert' | 'delete'; readonly at: number; readonly count: number }
  | { readonly kind: 'kill' }
  | { readonly kind: 'yank'; readonly from: number; readonly to: number; readonly index: number }
  | { readonly kind: 'other' };

export const OTHER: Last = { kind: 'other' };

/** Returns a prompt with this text and the cursor at its end. */
export function createEditor(text = ''): EditorState {
  const clean = cleanText(text);
  return { text: clean, cursor: clean.length, kills: [], undo: [], redo: [], pastes: {}, last: OTHER };
}

/**
 * Returns the text without characters that a prompt can’t contain: control characters other than newline and tab, and
 * placeholders from elsewhere.
 */
export function cleanText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufdd0-\ufdef]/g, '')
    .toWellFormed();
}

/** Returns the text with folded pastes in full: it is sent, kept in the history, and given to the external editor. */
export function expand(state: EditorState, text = state.text): string {
  return text.replace(PLACEHOLDERS, (mark) => state.pastes[mark] ?? '');
}

/** Returns whether the prompt contains only blanks. */
export function isEmpty(state: EditorState): boolean {
  return state.text.trim() === '';
}

const PLACEHOLDERS = /[\ufdd0-\ufdef]/g;

const FIRST = 0xfdd0;
const COUNT = 32;
/** A paste up to this size is not folded. */
const MAX_LINES = 8;
const MAX_CHARACTERS = 1000;

/** Whether a pasted text is to be folded. */
export function isLarge(text: string): boolean {
  return text.length > MAX_CHARACTERS || text.split('\n', MAX_LINES + 1).length > MAX_LINES;
}

/** Returns a placeholder character that occurs in none of `texts`; undefined when all are in use. */
export function freePlaceholder(texts: Iterable<string>): string | undefined {
  const used = new Set<string>();
  for (const text of texts) for (const [mark] of text.matchAll(PLACEHOLDERS)) used.add(mark);
  for (let index = 0; index < COUNT; index++) {
    const mark = String.fromCharCode(FIRST + index);
    if (!used.has(mark)) return mark;
  }
  return undefined;
}

/** Returns the text drawn for a folded paste. */
export function pasteLabel(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n').length;
  return lines > 1 ? `[Pasted ${lines} lines]` : `[Pasted ${text.length} characters]`;
}
