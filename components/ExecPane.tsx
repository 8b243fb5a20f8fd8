import { useScreen } from '../hooks/context.ts';
import { type Foreground, useModes, useWaitingLines } from '../hooks/useExecutor.ts';
import { useFrames } from '../hooks/useFrames.ts';
import { lineWidth } from '../src/text/wrap.ts';
import { BAR_WIDTH, execHeading, keyboardSign } from '../src/ui/screen/entries/exec.ts';

import { linesOf } from '../src/ui/screen/frames.ts';
import { Surface } from './Lines.tsx';

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
  const { output } = command.running;
  const frames = useFrames(output);
  useModes(command.running);
  const heading = execHeading(command, screen.renderContext(columns));
  const queued = useWaitingLines();
  const waiting = command.by === 'user' && command.job === undefined && queued !== '' ? queued.split('\n') : [];
  const room = Math.max(1, rows - heading.length - 1 - waiting.length);
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
  const lines = linesOf(frames, () => [
    ...heading,
    ...output
      .lines(room)
      .slice(-room)
      .map((line) => bar + line),
    paint('marker', '╰ ') + sign,
    ...waiting.map((line) => paint('dim', `  then: ${line}`)),
  ]);
  // Behind what the program printed last, just above the sign.
  const cursor = () => ({
    x: Math.min(columns - 1, BAR_WIDTH + lineWidth(output.promptText)),
    y: lines().length - waiting.length - 2,
  });
  return <Surface lines={lines} source={frames} cursor={keyboard ? cursor : undefined} />;
}
