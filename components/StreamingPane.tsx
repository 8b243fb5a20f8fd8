import { Box } from 'ink';
import { useRef } from 'react';
import { useScreen } from '../hooks/context.ts';
import type { useBroker } from '../hooks/useBroker.ts';
import { useFrames } from '../hooks/useFrames.ts';
import { createStreamLines } from '../src/screen/entries/stream.ts';
import { Lines } from './Lines.tsx';

type Props = {
  readonly reply: NonNullable<ReturnType<typeof useBroker>>;
  readonly columns: number;
  readonly rows: number;
};

/** The reply being written. Tokens are drawn at frame rate, and nothing else is drawn for them. */
export function StreamingPane({ reply, columns, rows }: Props) {
  const screen = useScreen();
  const stream = useRef<ReturnType<typeof createStreamLines>>(undefined);
  stream.current ??= createStreamLines();
  useFrames(reply);
  const lines = stream.current(reply, screen.renderContext(columns));
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines lines={lines.slice(-rows)} />
    </Box>
  );
}
