import { useEffect, useState } from 'react';
import { useScreen } from '../hooks/context.ts';
import { endingLines } from '../src/ui/screen/ending.ts';
import type { PanelItem } from '../src/ui/screen/ui.ts';
import { Lines, rule } from './Lines.tsx';

type Props = {
  readonly read: NonNullable<PanelItem['ending']>;
  readonly columns: number;
  readonly rows: number;
};

/** How the chosen session ended, below the list; read once it is chosen. */
export function Ending({ read, columns, rows }: Props) {
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
