import { useMemo, useRef } from 'react';
import { useScreen } from '../hooks/context.ts';
import type { useBroker } from '../hooks/useBroker.ts';
import { useFrames } from '../hooks/useFrames.ts';
import { createStreamLines } from '../src/ui/screen/entries/prose.ts';
import { linesOf } from '../src/ui/screen/frames.ts';
import { Surface } from './Lines.tsx';

type Props = {
  readonly reply: NonNullable<ReturnType<typeof useBroker>>;
  readonly columns: number;
  readonly rows: number;
};

/** The reply being written. Tokens are drawn at frame rate, and nothing else is drawn for them. */
export function StreamingPane({ reply, columns, rows }: Props) {
  const screen = useScreen();
  const stream = useRef<ReturnType<typeof createStreamLines>>(undefined);
  const frames = useFrames(reply);
  const { theme } = screen.renderContext(columns);
  const lines = useMemo(() => {
    stream.current ??= createStreamLines();
    const draw = stream.current;
    return linesOf(frames, () => draw(reply, { width: columns, paint: screen.paint, theme }).slice(-rows));
  }, [frames, reply, columns, rows, screen, theme]);
  return <Surface lines={lines} source={frames} />;
}
