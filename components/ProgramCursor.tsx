import { useExecutor } from '../hooks/useExecutor.ts';
import { useFrames } from '../hooks/useFrames.ts';
import { BAR_WIDTH } from '../src/screen/entries/exec.ts';
import { lineWidth } from '../src/text/wrap.ts';
import { Cursor } from './Cursor.tsx';

type Props = {
  readonly columns: number;
  /** The rows above the prompt; the last of them is the pane's own sign. */
  readonly main: number;
};

/**
 * The cursor of the program that has the keyboard: behind what it printed last. It stands behind the prompt in the
 * tree, since React takes a cursor away where it passes and the last one set is the one that holds.
 */
export function ProgramCursor({ columns, main }: Props) {
  const { user, models, job } = useExecutor();
  const output = (job ?? user ?? models.at(-1))?.running.output;
  useFrames(output);
  const last = output?.promptText ?? '';
  return <Cursor x={Math.min(columns - 1, BAR_WIDTH + lineWidth(last))} y={Math.max(0, main - 2)} />;
}
