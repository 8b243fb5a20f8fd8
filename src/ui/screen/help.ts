/** Every key and command, from the tables that dispatch them (UI-5). */
import { commands } from '../../commands/table.ts';
import { wrapText } from '../../text/wrap.ts';
import { type KeyResolver, showChord } from '../keymap/resolver.ts';

import { CONTEXT_LABELS, KEY_CONTEXTS } from '../keymap/table.ts';
import type { Paint } from '../render/theme.ts';
import { handles } from './input.ts';

const KEY_COLUMN = 26;

export function helpLines(keys: KeyResolver, columns: number, paint: Paint): readonly string[] {
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
  const table = commands.flatMap(({ name, summary }) => row(`:${name}`, summary));
  return [paint('heading', 'Commands'), ...table, ...places];
}
