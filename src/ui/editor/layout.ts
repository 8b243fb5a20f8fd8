/** The layout of the prompt's text: rows of a width, and the cursor's place. */
import { displayText, textWidth } from '../../text/display.ts';
import { units } from './edit.ts';
import { type EditorState, pasteLabel } from './state.ts';

type EditorRow = {
  /** The text to draw, never wider than the width. */
  readonly text: string;
  /** The range of `state.text` that the row shows, without the newline. */
  readonly start: number;
  readonly end: number;
};

export type EditorLayout = {
  readonly rows: readonly EditorRow[];
  readonly cursorRow: number;
  /** Cells from the left edge of the row. */
  readonly cursorColumn: number;
};

/** Cells between tab stops in the prompt. */
const TAB = 4;

type Cell = { readonly offset: number; readonly text: string; readonly width: number; readonly newline: boolean };

/**
 * Returns rows of at most `width` cells (at least 2); `firstWidth` is the room beside the prompt's name. A row breaks
 * where it is full, as in a terminal; a cursor behind a full row gets an empty row.
 */
export function layoutEditor(state: EditorState, width: number, firstWidth = width): EditorLayout {
  const rows: { text: string; start: number; end: number }[] = [{ text: '', start: 0, end: 0 }];
  let column = 0;
  let cursor: { row: number; column: number } | undefined;
  const room = () => Math.max(2, rows.length === 1 ? firstWidth : width);
  const open = (start: number) => {
    rows.push({ text: '', start, end: start });
    column = 0;
  };

  for (const cell of cells(state, () => column)) {
    if (!cell.newline && column > 0 && column + cell.width > room()) open(cell.offset);
    if (cell.offset >= state.cursor && cursor === undefined) {
      if (column >= room()) open(cell.offset);
      cursor = { row: rows.length - 1, column };
    }
    if (cell.newline) open(cell.offset + 1);
    else {
      const row = rows.at(-1);
      const cut = cell.width > room() ? `${cell.text.slice(0, room() - 1)}…` : cell.text;
      if (row !== undefined) row.text += cut;
      column += Math.min(cell.width, room());
    }
  }
  if (cursor === undefined) {
    if (column >= room()) open(state.text.length);
    cursor = { row: rows.length - 1, column };
  }
  fixEnds(rows, state.text);
  return { rows, cursorRow: cursor.row, cursorColumn: cursor.column };
}

/** The text's offset at a place on the screen, for ↑, ↓ and the mouse; past the end of a row, its end. */
export function offsetAt(state: EditorState, layout: EditorLayout, row: number, column: number): number {
  const line = layout.rows[Math.max(0, Math.min(row, layout.rows.length - 1))];
  if (line === undefined) return 0;
  let at = 0;
  let offset = line.start;
  for (const unit of units(state.text.slice(line.start, line.end))) {
    const width = cellWidth(state, unit, at);
    if (at + width > column) return offset;
    at += width;
    offset += unit.length;
  }
  // Behind the last character of a row that continues below, the cursor would be drawn in the next row.
  const wraps = layout.rows[row + 1]?.start === offset && offset > line.start;
  return wraps ? offset - (units(state.text.slice(line.start, offset)).at(-1)?.length ?? 0) : offset;
}

/** Yields the characters of a row: the place of each in `state.text`, and the text drawn for it. */
export function* rowCells(
  state: EditorState,
  row: EditorRow,
): Iterable<{ readonly offset: number; readonly text: string }> {
  let offset = row.start;
  let column = 0;
  for (const unit of units(state.text.slice(row.start, row.end))) {
    const text = shown(state, unit, column);
    yield { offset, text };
    offset += unit.length;
    column += textWidth(text);
  }
}

function* cells(state: EditorState, column: () => number): Iterable<Cell> {
  let offset = 0;
  for (const unit of units(state.text)) {
    const text = shown(state, unit, column());
    yield { offset, text, width: textWidth(text), newline: unit === '\n' };
    offset += unit.length;
  }
}

function cellWidth(state: EditorState, unit: string, column: number): number {
  return textWidth(shown(state, unit, column));
}

function shown(state: EditorState, unit: string, column: number): string {
  if (unit === '\t') return ' '.repeat(TAB - (column % TAB));
  const paste = state.pastes[unit];
  return paste === undefined ? displayText(unit) : pasteLabel(paste);
}

/** Ends each row where the next begins, without the newline between them. */
function fixEnds(rows: { start: number; end: number }[], text: string): void {
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1];
    row.end = next === undefined ? text.length : text[next.start - 1] === '\n' ? next.start - 1 : next.start;
  }
}
