import { Box } from 'ink';
import { useScreen } from '../hooks/context.ts';
import { BAR_WIDTH, execHeading } from '../hooks/entries/exec.ts';
import { textWidth } from '../hooks/text/width.ts';
import type { Foreground } from '../hooks/useExecutor.ts';
import { useFrames } from '../hooks/useFrames.ts';
import { stripStyles } from '../src/session/text.ts';
import { Cursor } from './Cursor.tsx';
import { Lines } from './Lines.tsx';

type Props = {
  readonly command: Foreground;
  readonly columns: number;
  /** The most rows it may take. */
  readonly rows: number;
  /** Whether keys go to this program; its cursor is then at the end of what it printed, in row `bottom`. */
  readonly keyboard: boolean;
  readonly bottom: number;
};

/** A command that runs in the foreground: the end of its output as it comes, and a plain sign who has the keyboard. */
export function ExecPane({ command, columns, rows, keyboard, bottom }: Props) {
  const screen = useScreen();
  const { paint } = screen;
  useFrames(command.running.output);
  const heading = execHeading(command, screen.look(columns));
  const room = Math.max(1, rows - heading.length - 1);
  const output = command.running.output.lines(room).slice(-room);
  const bar = paint('marker', '│ ');
  const sign = keyboard
    ? paint('button', ' keys go to the program ') + paint('dim', ' Ctrl-] brings them back')
    : paint('dim', 'Ctrl-] gives it the keyboard · Ctrl-C interrupts');
  const last = textWidth(stripStyles(output.at(-1) ?? ''));
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines lines={[...heading, ...output.map((line) => bar + line), paint('marker', '╰ ') + sign]} />
      {keyboard && <Cursor x={Math.min(columns - 1, BAR_WIDTH + last)} y={bottom - 1} />}
    </Box>
  );
}
