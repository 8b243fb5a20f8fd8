import { useScreen } from '../hooks/context.ts';
import type { Panel } from '../hooks/screen/ui.ts';
import { displayText } from '../hooks/text/display.ts';
import { wrapText } from '../hooks/text/wrap.ts';
import { Lines } from './Lines.tsx';
import { rule } from './rule.ts';

type Open = Extract<Panel, { kind: 'choices' }>;

/** Rows that the list takes, its heading counted. */
export function choicesRows({ items }: Open, most: number): number {
  return 1 + Math.min(Math.max(1, items.length), Math.max(1, Math.min(10, most - 2)));
}

/** A list to choose from, above the prompt: completions, or lines of the history. */
export function Choices({
  panel,
  columns,
  rows,
}: {
  readonly panel: Open;
  readonly columns: number;
  readonly rows: number;
}) {
  const { paint } = useScreen();
  const { items, index, of, query } = panel;
  const room = rows - 1;
  const first = Math.max(0, Math.min(index - Math.floor(room / 2), items.length - room));
  const title = of === 'history' ? ` history: ${query}▏` : ' completions ';
  const note = ` ${items.length === 0 ? 0 : index + 1} of ${items.length} `;
  const shown = items.slice(first, first + room).map((item, row) => {
    const [line = ''] = wrapText(displayText(item.replaceAll('\n', ' ⏎ ')), columns - 2, { mode: 'hard' });
    return first + row === index ? paint('button', ` ${line} `) : ` ${line}`;
  });
  return (
    <Lines
      lines={[
        rule(paint('strong', title), note, columns, 'dim', paint),
        ...(shown.length > 0 ? shown : [paint('dim', ' nothing matches')]),
      ]}
    />
  );
}
