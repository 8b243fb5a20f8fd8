import { Box } from 'ink';
import { useScreen } from '../hooks/context.ts';
import { execHeading } from '../hooks/entries/exec.ts';
import { type Foreground, useWaitingLines } from '../hooks/useExecutor.ts';
import { useFrames } from '../hooks/useFrames.ts';
import { Lines } from './Lines.tsx';

type Props = {
  readonly command: Foreground;
  readonly columns: number;
  /** The most rows it may take. */
  readonly rows: number;
  /** Whether keys go to this program. */
  readonly keyboard: boolean;
};

/** A command that runs in the foreground: the end of its output as it comes, and a plain sign who has the keyboard. */
export function ExecPane({ command, columns, rows, keyboard }: Props) {
  const screen = useScreen();
  const { paint } = screen;
  useFrames(command.running.output);
  const heading = execHeading(command, screen.look(columns));
  const lines = useWaitingLines();
  const waiting = command.by === 'user' && lines !== '' ? lines.split('\n') : [];
  const room = Math.max(1, rows - heading.length - 1 - waiting.length);
  const output = command.running.output.lines(room).slice(-room);
  const bar = paint('marker', '│ ');
  const sign = keyboard
    ? paint('button', ' keys go to the program ') +
      paint('dim', ` ${screen.keyFor('program', 'focusPrompt')} brings them back`)
    : paint('dim', `${screen.keyFor('prompt', 'focusProgram')} gives it the keyboard · Ctrl-C interrupts`);
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines
        lines={[
          ...heading,
          ...output.map((line) => bar + line),
          paint('marker', '╰ ') + sign,
          ...waiting.map((line) => paint('dim', `  then: ${line}`)),
        ]}
      />
    </Box>
  );
}
