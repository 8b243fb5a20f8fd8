import { describe, expect, it } from 'vitest';
import { paintOf, THEMES } from '../../../src/ui/render/theme.ts';
import { createStreamLines, proseLines } from '../../../src/ui/screen/entries/prose.ts';

const theme = THEMES.dark;
const context = { width: 80, theme, paint: paintOf(theme) };

/** Returns the lines of a reply that grew to this text in pieces. */
function grown(text: string, piece = 5000): string[] {
  const draw = createStreamLines();
  let lines: string[] = [];
  for (let end = piece; end < text.length + piece; end += piece)
    lines = draw({ text: text.slice(0, end), reasoning: '' }, context);
  return lines;
}

describe('a reply that grows', () => {
  it('ends on the screen as the whole text does', () => {
    const text = Array.from({ length: 900 }, (_, n) => `Paragraph **${n}** says a few words and then it ends.`).join(
      '\n\n',
    );
    const inner = proseLines(text, { ...context, width: 78 });
    expect(grown(text).slice(-40)).toEqual(inner.slice(-40).map((line) => paintOf(theme)('rule', '│ ') + line));
  });

  it('keeps a code block a code block, however long it is', () => {
    const text = `Look:\n\n\`\`\`\n${'1 * 2 * 3 is _no_ emphasis\n'.repeat(4000)}`;
    expect(grown(text).at(-1)).toContain('1 * 2 * 3 is _no_ emphasis');
  });

  it.each([
    ['one word', 'x'],
    ['one line', 'some words '],
    ['what looks like emphasis', '_a_b'],
    ['empty lines', '\n'],
  ])('renders only the lines at its end, for a megabyte of %s', (_, piece) => {
    expect(grown(piece.repeat(1_000_000 / piece.length), 100_000).length).toBeLessThan(1000);
  });
});

it('an unreadably long line is shown by its two ends', () => {
  const lines = proseLines(`begin ${'x'.repeat(500_000)} end`, context);
  expect(lines.length).toBeLessThan(150);
  expect(lines.join(' ')).toMatch(/^begin x+.*492,010 characters.*x end$/s);
});
