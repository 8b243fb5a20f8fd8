import { useMemo } from 'react';
import { useScreen } from '../hooks/context.ts';
import { textWidth } from '../src/text/display.ts';
import { type Pending, showChord } from '../src/ui/keymap/resolver.ts';
import { cut } from '../src/ui/render/segments.ts';
import { helpLines } from '../src/ui/screen/help.ts';
import { whichColumns } from '../src/ui/screen/overlay.ts';
import { Lines, rule } from './Lines.tsx';

/** Every key and command, from the tables that they are run by (UI-5). */
export function Help({
  top,
  columns,
  rows,
}: {
  readonly top: number;
  readonly columns: number;
  readonly rows: number;
}) {
  const { paint, keys } = useScreen();
  const lines = useMemo(() => helpLines(keys, columns, paint), [paint, keys, columns]);
  const room = Math.max(1, rows - 2);
  const first = Math.max(0, Math.min(top, lines.length - room));
  const shown = lines.slice(first, first + room);
  const note = ` ${first + 1}–${first + shown.length} of ${lines.length} `;
  return (
    <Lines
      lines={[
        rule(paint('strong', ' Help '), note, columns, 'dim', paint),
        ...shown,
        ...Array.from({ length: room - shown.length }, () => ' '),
        rule(' ↑↓ PageUp PageDown · Esc closes ', '', columns, 'dim', paint),
      ]}
    />
  );
}

/** The keys that may follow those pressed so far, in columns read from top to bottom. */
export function WhichKey({ pending, columns, rows }: { pending: Pending; columns: number; rows: number }) {
  const { paint } = useScreen();
  const across = whichColumns(columns);
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
  return <Lines lines={[rule(title, ' Esc cancels ', columns, 'dim', paint), ...lines]} />;
}
