import { Box, Text } from 'ink';
import TextInput from 'ink-text-input';
import { useEffect, useEffectEvent, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { useScreen } from '../hooks/context.ts';
import { FIELD_MARK } from '../src/ui/screen/overlay.ts';

type Props = {
  readonly value: string;
  readonly placeholder?: string;
  readonly onChange: (value: string) => void;
  readonly onSubmit: (value: string) => void;
};

/** A single-line field of a dialog. It is fed by the screen's tokenizer, one clean key at a time. */
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

/** The input begins with its cursor behind its text; so it is begun, unseen, with what stands before the cursor. */
function Placed({ cursor, value, placeholder = '', onDrawn, ...handlers }: Props & PlacedProps) {
  const { paint } = useScreen();
  const [begun, setBegun] = useState(false);
  useLayoutEffect(() => setBegun(true), []);
  // The input itself listens by then, with the whole text: effects run from the inside to the outside.
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
