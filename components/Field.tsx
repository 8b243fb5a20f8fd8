import { Box, Text } from 'ink';
import TextInput from 'ink-text-input';
import { textWidth } from '../hooks/text/width.ts';

type Props = {
  readonly value: string;
  readonly placeholder?: string;
  readonly onChange: (value: string) => void;
  readonly onSubmit: (value: string) => void;
};

/** A single-line field of a dialog. It is fed by the screen's tokenizer, one clean key at a time. */
export function Field({ value, placeholder = '', onChange, onSubmit }: Props) {
  return (
    <Box flexShrink={0}>
      <Text>{'› '}</Text>
      <Box flexGrow={1}>
        <TextInput value={value} placeholder={placeholder} onChange={onChange} onSubmit={onSubmit} />
      </Box>
    </Box>
  );
}

/** Rows that a field takes: its mark, the text and the cursor behind it, wrapped. */
export function fieldRows(value: string, columns: number): number {
  const width = Math.max(1, columns - 2);
  return value.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil((textWidth(line) + 1) / width)), 0);
}
