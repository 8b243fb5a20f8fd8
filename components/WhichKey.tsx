import { useScreen } from '../hooks/context.ts';
import { showChord } from '../src/keymap/chord.ts';
import type { Pending } from '../src/keymap/resolver.ts';
import { textWidth } from '../src/text/width.ts';
import { Lines } from './Lines.tsx';
import { rule } from './rule.ts';

/** Cells of one entry at most; on a narrow screen there is one column. */
const COLUMN = 40;

/** Rows that it takes, its heading counted. */
export function whichRows({ follows }: Pending, columns: number): number {
  return 1 + Math.ceil(follows.length / columnsOf(columns));
}

function columnsOf(columns: number): number {
  return Math.max(1, Math.floor(columns / COLUMN));
}

/** What may follow the keys pressed so far, in columns that are read downwards. */
export function WhichKey({ pending, columns, rows }: { pending: Pending; columns: number; rows: number }) {
  const { paint } = useScreen();
  const across = columnsOf(columns);
  const width = Math.floor(columns / across);
  const { prefix, follows } = pending;
  const down = Math.ceil(follows.length / across);
  const lines = Array.from({ length: Math.min(down, rows - 1) }, (_, row) =>
    Array.from({ length: across }, (_, column) => {
      const follow = follows[column * down + row];
      if (!follow) return '';
      const key = showChord(follow.chord).padEnd(7);
      const label = cut(follow.label, width - key.length - 2);
      return ` ${paint('strong', key)} ${label}${' '.repeat(Math.max(0, width - 2 - key.length - textWidth(label)))}`;
    }).join(''),
  );
  const title = paint('strong', ` ${showChord(prefix)} – `);
  return <Lines lines={[rule(title, ' Esc drops it ', columns, 'dim', paint), ...lines]} />;
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
