import { Box } from 'ink';
import { useScreen } from '../hooks/context.ts';
import { Field } from './Field.tsx';
import { Lines } from './Lines.tsx';
import { rule } from './rule.ts';

type Props = { readonly text: string; readonly note: string; readonly columns: number };

/** The search in the transcript: it goes to the first match while it is typed. */
export function FindField({ text, note, columns }: Props) {
  const screen = useScreen();
  const { paint } = screen;
  const right = note === '' ? ' Enter keeps it, Esc cancels ' : ` ${note} `;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Lines lines={[rule(paint('strong', ' search '), right, columns, 'dim', paint)]} />
      <Field value={text} onChange={(value) => screen.navigator.find(value)} onSubmit={() => screen.navigator.keep()} />
    </Box>
  );
}
