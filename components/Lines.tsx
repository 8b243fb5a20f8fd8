import { Box, Text } from 'ink';
import type { Paint, Role } from '../src/render/theme.ts';
import { lineWidth } from '../src/text/wrap.ts';

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

/** A horizontal rule with a title at its left, already painted, and a note at its right where there is room. */
export function rule(title: string, note: string, columns: number, role: Role, paint: Paint): string {
  const left = 2;
  const room = columns - left - lineWidth(title);
  const fits = lineWidth(note) + 2 <= room ? note : '';
  return paint(role, '━'.repeat(left)) + title + paint(role, '━'.repeat(Math.max(0, room - lineWidth(fits)))) + fits;
}
