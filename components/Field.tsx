import { Box, Text } from 'ink';
import TextInput from 'ink-text-input';
import { useEffect, useEffectEvent, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { useScreen } from '../hooks/context.ts';
import { graphemes, graphemeWidth } from '../src/text/display.ts';
import type { Cell } from '../src/ui/render/writer.ts';
import { FIELD_MARK, type Overlay } from '../src/ui/screen/overlay.ts';

type Props = {
  readonly value: string;
  readonly placeholder?: string;
  readonly onChange: (value: string) => void;
  readonly onSubmit: (value: string) => void;
};

/** A single-line text field of a dialog. The screen's tokenizer feeds it one key at a time. */
export function Field(props: Props) {
  const { field } = useScreen();
  const { epoch, cursor } = useSyncExternalStore(field.subscribe, () => field.place);
  useEffect(() => () => field.drop(), [field]);
  return (
    <Box flexShrink={0}>
      <Text>{FIELD_MARK}</Text>
      <Box flexGrow={1}>
        <Placed key={epoch} cursor={cursor ?? props.value.length} onDrawn={() => field.drawn(epoch)} {...props} />
      </Box>
    </Box>
  );
}

type PlacedProps = { readonly cursor: number; readonly onDrawn: () => void };

/**
 * ink-text-input starts with its cursor at the end of its text. So it is mounted, unseen, with only the text before the
 * cursor, and then gets the rest.
 */
function Placed({ cursor, value, placeholder = '', onDrawn, ...handlers }: Props & PlacedProps) {
  const { paint } = useScreen();
  const [begun, setBegun] = useState(false);
  useLayoutEffect(() => setBegun(true), []);
  // Effects run from the innermost component outwards, so the input listens by now, with its whole text.
  const drawn = useEffectEvent(onDrawn);
  useEffect(() => {
    if (begun) drawn();
  }, [begun]);
  return (
    <>
      <Box display={begun ? 'flex' : 'none'}>
        <TextInput value={begun ? value : value.slice(0, cursor)} {...handlers} />
        {value === '' && <Text wrap="truncate">{paint('dim', placeholder)}</Text>}
      </Box>
      {!begun && <Text>{value || paint('dim', placeholder) || ' '}</Text>}
    </>
  );
}

type CursorProps = {
  readonly overlay: Overlay;
  readonly columns: number;
  /** The rows above the prompt. The dialog covers the last of them. */
  readonly main: number;
};

/** Places the terminal's own cursor in a dialog's field, which input methods follow. */
export function FieldCursor({ overlay, columns, main }: CursorProps) {
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

/**
 * Returns the cell of the open field's caret, counted from the start of its dialog; `x` is -1 where no field is open.
 */
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
  /** For a field narrower than the screen: the cells to its left, and its own width. */
  readonly left?: number;
  readonly width?: number;
};

/** Returns the text of the open field, and the number of the dialog's rows above the field. */
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
