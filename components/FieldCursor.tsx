import { useSyncExternalStore } from 'react';
import { useScreen } from '../hooks/context.ts';
import { FIELD_MARK, type Overlay } from '../src/screen/overlay.ts';
import { graphemes, graphemeWidth } from '../src/text/width.ts';
import { Cursor } from './Cursor.tsx';

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
