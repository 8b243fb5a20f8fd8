import { useCursor } from 'ink';
import { useSyncExternalStore } from 'react';
import { useScreen } from '../hooks/context.ts';
import { useExecutor } from '../hooks/useExecutor.ts';
import { useFrames } from '../hooks/useFrames.ts';
import { BAR_WIDTH } from '../src/screen/entries/exec.ts';
import { FIELD_MARK, type Overlay } from '../src/screen/overlay.ts';
import { graphemes, graphemeWidth } from '../src/text/display.ts';
import { lineWidth } from '../src/text/wrap.ts';

/** Puts the terminal's own cursor at a cell, for input methods too. At most one is mounted; without one it is hidden. */
export function Cursor({ x, y }: { readonly x: number; readonly y: number }) {
  const { setCursorPosition } = useCursor();
  setCursorPosition({ x, y });
  return null;
}

type Props = {
  readonly overlay: Overlay;
  readonly columns: number;
  /** The rows above the prompt; the overlay is at their end. */
  readonly main: number;
};

/** The terminal's own cursor in a dialog's field, for input methods. Behind the prompt in the tree, as the program's is. */
export function FieldCursor({ overlay, columns, main }: Props) {
  const { field } = useScreen();
  useSyncExternalStore(field.subscribe, () => field.place);
  const open = fieldOf(overlay);
  if (!open) return null;
  const width = Math.max(1, columns - FIELD_MARK.length);
  let x = 0;
  let y = 0;
  for (const each of graphemes(open.text.slice(0, field.caret(open.text)))) {
    const cells = graphemeWidth(each);
    if (each === '\n' || x + cells > width) y += 1;
    x = each === '\n' ? 0 : x + cells > width ? cells : x + cells;
  }
  const top = main - overlay.rows + open.below;
  return <Cursor x={FIELD_MARK.length + Math.min(x, width - 1)} y={Math.min(main - 1, top + y)} />;
}

/** The open field's text, and how many rows of the dialog are above it. */
function fieldOf(overlay: Overlay): { readonly text: string; readonly below: number } | undefined {
  if (overlay.kind === 'panel' && (overlay.panel.kind === 'goal' || overlay.panel.kind === 'find'))
    return { text: overlay.panel.text, below: 1 };
  if (overlay.kind === 'question' && overlay.question.edit !== undefined)
    return { text: overlay.question.edit, below: 1 + overlay.layout.reasons.length };
  return undefined;
}

type ProgramCursorProps = {
  readonly columns: number;
  /** The rows above the prompt; the last of them is the pane's own sign. */
  readonly main: number;
};

/**
 * The cursor of the program that has the keyboard: behind what it printed last. It stands behind the prompt in the
 * tree, since React takes a cursor away where it passes and the last one set is the one that holds.
 */
export function ProgramCursor({ columns, main }: ProgramCursorProps) {
  const { user, models, job } = useExecutor();
  const output = (job ?? user ?? models.at(-1))?.running.output;
  useFrames(output);
  const last = output?.promptText ?? '';
  return <Cursor x={Math.min(columns - 1, BAR_WIDTH + lineWidth(last))} y={Math.max(0, main - 2)} />;
}
