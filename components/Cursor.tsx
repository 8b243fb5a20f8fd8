import { useLayoutEffect, useSyncExternalStore } from 'react';
import { useScreen } from '../hooks/context.ts';
import { graphemes, graphemeWidth } from '../src/text/display.ts';
import type { Cell } from '../src/ui/render/writer.ts';
import { FIELD_MARK, type Overlay } from '../src/ui/screen/overlay.ts';

type Props = {
  readonly overlay: Overlay;
  readonly columns: number;
  /** The rows above the prompt; the overlay is at their end. */
  readonly main: number;
};

/** The terminal's own cursor in a dialog's field, for input methods. */
export function FieldCursor({ overlay, columns, main }: Props) {
  const { field, compositor } = useScreen();
  useSyncExternalStore(field.subscribe, () => field.place);
  const { x, y } = placeIn(fieldOf(overlay), columns, (text) => field.caret(text));
  const row = Math.min(main - 1, main - overlay.rows + y);
  useLayoutEffect(() => {
    if (!compositor || x < 0) return;
    compositor.caret = { x, y: row };
    return () => {
      compositor.caret = undefined;
    };
  }, [compositor, x, row]);
  return null;
}

/** The cell of an open field's caret, from the beginning of its dialog; `x` is -1 where none is open. */
function placeIn(open: ReturnType<typeof fieldOf>, columns: number, caret: (text: string) => number): Cell {
  if (!open) return { x: -1, y: 0 };
  const { left = 0, width: wide = columns } = open;
  const width = Math.max(1, wide - FIELD_MARK.length);
  let x = 0;
  let y = 0;
  for (const each of graphemes(open.text.slice(0, caret(open.text)))) {
    const cells = graphemeWidth(each);
    if (each === '\n' || x + cells > width) y += 1;
    x = each === '\n' ? 0 : x + cells > width ? cells : x + cells;
  }
  return { x: left + FIELD_MARK.length + Math.min(x, width - 1), y: open.below + y };
}

type OpenField = {
  readonly text: string;
  readonly below: number;
  /** Where it does not have all columns: the cells before it, and its own. */
  readonly left?: number;
  readonly width?: number;
};

/** The open field's text, and how many rows of the dialog are above it. */
function fieldOf(overlay: Overlay): OpenField | undefined {
  if (overlay.kind === 'panel' && (overlay.panel.kind === 'goal' || overlay.panel.kind === 'find'))
    return { text: overlay.panel.text, below: 1 };
  if (overlay.kind === 'question' && overlay.question.edit !== undefined)
    return {
      text: overlay.question.edit,
      below: overlay.layout.above,
      left: overlay.layout.inset,
      width: overlay.layout.width - 2 * overlay.layout.inset,
    };
  return undefined;
}
