import { useMemo } from 'react';
import { useScreen } from '../hooks/context.ts';
import { commands } from '../src/commands/table.ts';
import { showChord } from '../src/keymap/chord.ts';
import { CONTEXT_LABELS, KEY_CONTEXTS } from '../src/keymap/table.ts';
import { handles } from '../src/screen/input.ts';
import { wrapText } from '../src/text/wrap.ts';
import { Lines } from './Lines.tsx';
import { rule } from './rule.ts';

const KEY_COLUMN = 26;

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
  const lines = useMemo(() => {
    const row = (left: string, right: string) =>
      columns < 60 || left.length > KEY_COLUMN
        ? [`  ${paint('strong', left)}`, ...wrapText(right, columns - 4).map((line) => `    ${line}`)]
        : wrapText(right, columns - KEY_COLUMN - 3).map(
            (line, index) => `  ${paint('strong', (index === 0 ? left : '').padEnd(KEY_COLUMN))} ${line}`,
          );
    const places = KEY_CONTEXTS.flatMap((context) => [
      ' ',
      paint('heading', CONTEXT_LABELS[context]),
      ...keys
        .bindings(context)
        .filter((binding) => binding.context === context && binding.chords.length > 0 && handles(binding))
        .flatMap(({ chords, label }) => row(chords.slice(0, 2).map(showChord).join(', '), label)),
    ]);
    const table = commands.flatMap(({ usage, summary }) => row(usage, summary));
    return [paint('heading', 'Commands'), ...table, ...places];
  }, [paint, keys, columns]);
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
