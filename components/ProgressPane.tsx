import { useScreen } from '../hooks/context.ts';
import { wrapText } from '../src/text/wrap.ts';
import { Lines } from './Lines.tsx';

type Props = {
  /** One line for each tool. */
  readonly progress: string;
  readonly columns: number;
  /** The most rows it may take. */
  readonly rows: number;
};

/** How far the running tools are, by their own word. */
export function ProgressPane({ progress, columns, rows }: Props) {
  const { paint } = useScreen();
  const lines = progress.split('\n').flatMap((line) => wrapText(line, columns - 2).slice(0, 1));
  return <Lines lines={lines.slice(-rows).map((line) => paint('marker', '⋯ ') + paint('dim', line))} />;
}
