import { Box } from 'ink';
import { useScreen } from '../hooks/context.ts';
import { useVerdict } from '../hooks/usePrompt.ts';
import type { EditorLayout } from '../src/editor/layout.ts';
import type { PromptWidths } from '../src/screen/layout.ts';
import { textWidth } from '../src/text/display.ts';
import { Cursor } from './Cursor.tsx';
import { Lines } from './Lines.tsx';

type Props = {
  readonly layout: EditorLayout;
  readonly widths: PromptWidths;
  /** Rows that it may take; a longer text scrolls with the cursor. */
  readonly rows: number;
  /** The screen's row that it begins at. */
  readonly top: number;
  /** Keys go somewhere else now. */
  readonly asleep: boolean;
};

/** The prompt with its name and the text being typed. */
export function Prompt({ layout, widths, rows, top, asleep }: Props) {
  const { paint } = useScreen();
  const first = Math.max(0, Math.min(layout.cursorRow - rows + 1, layout.rows.length - rows));
  const shown = layout.rows.slice(first, first + rows);
  const name = paint(asleep ? 'dim' : 'user', widths.name);
  const verdict = useVerdict();
  const lines = shown.map((row, index) => {
    const text = asleep ? paint('dim', row.text) : row.text;
    if (first + index > 0) return text;
    const room = widths.firstWidth - textWidth(row.text);
    const label = [verdict?.long, verdict?.short].find((each) => each !== undefined && textWidth(each) + 2 <= room);
    return label === undefined
      ? name + text
      : name + text + ' '.repeat(room - textWidth(label)) + paint(verdict?.role ?? 'dim', label);
  });
  const x = layout.cursorColumn + (layout.cursorRow === 0 ? widths.width - widths.firstWidth : 0);
  return (
    <Box flexDirection="column" height={rows}>
      <Lines lines={lines} />
      {!asleep && <Cursor x={Math.min(x, widths.width - 1)} y={top + layout.cursorRow - first} />}
    </Box>
  );
}
