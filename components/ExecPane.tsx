import { Box } from 'ink';
import { useScreen } from '../hooks/context.ts';
import { type Foreground, useModes, useWaitingLines } from '../hooks/useExecutor.ts';
import { useFrames } from '../hooks/useFrames.ts';
import { execHeading } from '../src/screen/entries/exec.ts';
import { keyboardSign } from '../src/screen/entries/keyboard-sign.ts';
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
  useModes(command.running);
  const heading = execHeading(command, screen.renderContext(columns));
  const lines = useWaitingLines();
  const waiting = command.by === 'user' && command.job === undefined && lines !== '' ? lines.split('\n') : [];
  const room = Math.max(1, rows - heading.length - 1 - waiting.length);
  const output = command.running.output.lines(room).slice(-room);
  const bar = paint('marker', '│ ');
  const sign = keyboardSign(command.running, {
    keyboard,
    columns,
    keys: {
      give: screen.keyFor('prompt', 'focusProgram'),
      back: screen.keyFor('program', 'focusPrompt'),
      background: screen.keyFor('prompt', 'background'),
    },
    job: command.job !== undefined,
    paint,
  });
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
