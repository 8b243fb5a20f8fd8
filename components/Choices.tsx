import { Box } from 'ink';
import { useEffect, useState } from 'react';
import { useScreen } from '../hooks/context.ts';
import { displayText, textWidth } from '../src/text/display.ts';
import { wrapText } from '../src/text/wrap.ts';
import { endingLines } from '../src/ui/screen/sessions.ts';
import type { Panel, PanelItem } from '../src/ui/screen/ui.ts';
import { Lines, rule } from './Lines.tsx';

type Open = Extract<Panel, { kind: 'choices' }>;

/** A text in one line of at most so many cells. */
function oneLine(text: string, width: number): string {
  const [line = '', ...more] = wrapText(displayText(text.replaceAll('\n', ' ⏎ ')), Math.max(2, width - 1), {
    mode: 'hard',
  });
  return more.length > 0 ? `${line}…` : line;
}

/** A list to choose from, above the prompt: completions, or lines of the history. */
export function Choices({
  panel,
  columns,
  rows,
  ending,
}: {
  readonly panel: Open;
  readonly columns: number;
  readonly rows: number;
  /** Rows below it for how the chosen session ended. */
  readonly ending: number;
}) {
  const { paint } = useScreen();
  const { items, index, of, query } = panel;
  const room = rows - 1;
  const first = Math.max(0, Math.min(index - Math.floor(room / 2), items.length - room));
  const title = of === 'completion' ? ' completions ' : ` ${of}: ${query}▏`;
  const note = ` ${items.length === 0 ? 0 : index + 1} of ${items.length} `;
  const visible = items.slice(first, first + room);
  const words = visible.map(({ text, label }) => oneLine(label ?? text, columns - 2));
  // Notes stand in a column of their own, where there is room for it.
  const column = Math.min(Math.max(0, ...words.map(textWidth)), Math.floor(columns / 2));
  const shown = visible.map(({ note = '' }, row) => {
    const word = words[row] ?? '';
    const gap = Math.max(2, column - textWidth(word) + 2);
    const space = columns - 3 - textWidth(word) - gap;
    const behind = note !== '' && space > 3 ? ' '.repeat(gap) + paint('dim', oneLine(note, space)) : '';
    return (first + row === index ? paint('button', ` ${word} `) : ` ${word} `) + behind;
  });
  const list = [
    rule(paint('strong', title), note, columns, 'dim', paint),
    ...(shown.length > 0 ? shown : [paint('dim', ' nothing matches')]),
  ];
  const { text = '', ending: read } = items[index] ?? {};
  if (ending === 0 || !read) return <Lines lines={list} />;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines lines={list} />
      <Ending key={text} read={read} columns={columns} rows={ending} />
    </Box>
  );
}

type Props = {
  readonly read: NonNullable<PanelItem['ending']>;
  readonly columns: number;
  readonly rows: number;
};

/** How the chosen session ended, below the list; read once it is chosen. */
function Ending({ read, columns, rows }: Props) {
  const screen = useScreen();
  const { paint } = screen;
  const [moments, setMoments] = useState<Awaited<ReturnType<Props['read']>>>([]);
  useEffect(() => {
    let wanted = true;
    void read().then((found) => wanted && setMoments(found));
    return () => {
      wanted = false;
    };
  }, [read]);
  const lines = endingLines(moments, rows - 1, screen.renderContext(columns));
  const rest = Array.from({ length: Math.max(0, rows - 1 - lines.length) }, () => '');
  return <Lines lines={[rule(paint('dim', ' how it ended '), '', columns, 'rule', paint), ...lines, ...rest]} />;
}
