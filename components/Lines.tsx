import { Box, Text } from 'ink';

/** Ready-made lines, one row each. They are cut to the width, never wrapped: wrapping happened where they were made. */
export function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map((line, index) => (
        // A row is its place on the screen; there is nothing else to tell it by.
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity
        <Text key={index} wrap="truncate">
          {line || ' '}
        </Text>
      ))}
    </Box>
  );
}
