import { useMemo } from 'react';
import { useScreen } from '../hooks/context.ts';
import { helpLines } from '../src/ui/screen/help.ts';
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
