import { Box } from 'ink';
import { useLayoutEffect } from 'react';
import { useReveal, useScreen } from '../hooks/context.ts';
import { useTicker } from '../hooks/useFrames.ts';
import { useRail } from '../hooks/useStatus.ts';
import { railLines } from '../src/ui/screen/rail.ts';
import { Lines } from './Lines.tsx';

type Props = { readonly columns: number; readonly rows: number };

/** What goes on beside the conversation, drawn once a second. Ink keeps its place free; the compositor paints it. */
export function Rail({ columns, rows }: Props) {
  const screen = useScreen();
  const { compositor } = screen;
  const facts = useRail();
  const now = useTicker(true);
  const context = screen.renderContext(columns);
  const lines = railLines(facts, now, context, useReveal()).slice(0, rows);
  const edge = context.paint('rule', '│');
  const all = [...lines, ...Array.from({ length: Math.max(0, rows - lines.length) }, () => edge)];
  useLayoutEffect(() => {
    if (compositor) compositor.side = { columns, rows, lines: all };
  });
  useLayoutEffect(() => {
    if (!compositor) return;
    return () => {
      compositor.side = undefined;
    };
  }, [compositor]);
  return (
    <Box width={columns} height={rows} flexDirection="column" overflow="hidden">
      {!compositor && <Lines lines={all} />}
    </Box>
  );
}
