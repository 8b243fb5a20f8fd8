/** A Markdown table in a width: columns give way in proportion; where that is not enough, records. */
import type { Tokens } from 'marked';
import { lineWidth, wrapText } from '../../text/wrap.ts';
import { inline } from './inline.ts';
import { paint, type Theme } from './theme.ts';

/** A column narrower than this cannot be read. */
const MIN_COLUMN_WIDTH = 4;
const BETWEEN = ' │ ';

/** Lines of at most `width` cells. */
export function renderTable(table: Tokens.Table, width: number, theme: Theme): string[] {
  const header = table.header.map((cell) => oneLine(inline(cell.tokens, theme, [theme.strong])));
  const rows = table.rows.map((row) => row.map((cell) => oneLine(inline(cell.tokens, theme))));
  const columns = columnWidths(
    header.map((cell, column) => Math.max(1, lineWidth(cell), ...rows.map((row) => lineWidth(row[column] ?? '')))),
    width - BETWEEN.length * (header.length - 1),
  );
  if (columns === undefined) return renderRecords(header, rows, width);
  const rule = paint(theme.rule, columns.map((column) => '─'.repeat(column)).join('─┼─'));
  const draw = (row: readonly string[]) => renderRow(row, columns, table.align, theme);
  return [...draw(header), rule, ...rows.flatMap(draw)];
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

/** Widths that fit together; undefined when some column would be too narrow to read. */
function columnWidths(wanted: readonly number[], room: number): readonly number[] | undefined {
  let left = room;
  const widths: number[] = [...wanted];
  // Narrow columns get what they want; the others share the rest evenly.
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  for (const [done, index] of order.entries()) {
    const share = Math.floor(left / (order.length - done));
    const width = Math.min(wanted[index] ?? 0, share);
    if (width < Math.min(MIN_COLUMN_WIDTH, wanted[index] ?? 0)) return undefined;
    widths[index] = width;
    left -= width;
  }
  return widths;
}

function renderRow(
  row: readonly string[],
  columns: readonly number[],
  align: readonly (string | null)[],
  theme: Theme,
): string[] {
  const cells = columns.map((column, index) => wrapText(row[index] ?? '', column));
  const height = Math.max(1, ...cells.map((cell) => cell.length));
  const between = paint(theme.rule, BETWEEN);
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((column, index) => pad(cells[index]?.[line] ?? '', column, align[index] ?? 'left'))
      .join(between)
      .trimEnd(),
  );
}

function pad(text: string, width: number, align: string): string {
  const missing = Math.max(0, width - lineWidth(text));
  const before = align === 'right' ? missing : align === 'center' ? Math.floor(missing / 2) : 0;
  return ' '.repeat(before) + text + ' '.repeat(missing - before);
}

/** One cell a line, named by its header: for narrow screens. */
function renderRecords(header: readonly string[], rows: readonly (readonly string[])[], width: number): string[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...header.flatMap((name, column) => wrapText(`${name}: ${row[column] ?? ''}`, width, { indent: '  ' })),
  ]);
}
