import { expect, it } from 'vitest';
import { stripStyles } from '../../../src/text/style.ts';
import { lineWidth } from '../../../src/text/wrap.ts';
import { paintOf, THEMES } from '../../../src/ui/render/theme.ts';
import { endingLines } from '../../../src/ui/screen/sessions.ts';

const context = { width: 40, theme: THEMES.dark, paint: paintOf(THEMES.dark) };
const shown = (moments: Parameters<typeof endingLines>[0], rows: number) =>
  endingLines(moments, rows, context).map((line) => stripStyles(line).trimEnd());

it('the end of a session shows the last entries that fit, complete', () => {
  const moments = [
    { kind: 'asked', text: 'one' },
    { kind: 'said', text: '**two**\n\nCMD: rm x\n`three`' },
    { kind: 'ran', text: 'make\nall', exit: 2 },
  ] as const;
  expect(shown(moments, 3)).toEqual(['● two', '  three', expect.stringMatching(/^❯ make ⏎ all +✗ 2$/)]);
  expect(shown(moments, 4)[0]).toBe('? one');
  expect(shown(moments, 0)).toEqual([]);
});

it('the end of a session lets no escapes through and never exceeds a row', () => {
  const text = `\x1b[2J\x1b]0;title\x07${'word '.repeat(60)}\x9b1A`;
  for (const kind of ['asked', 'goal', 'ran', 'said'] as const) {
    const lines = endingLines([{ kind, text }], 9, context);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(lineWidth(line)).toBeLessThanOrEqual(40);
      expect(stripStyles(line)).not.toMatch(/[\x00-\x1f\x80-\x9f]/);
    }
  }
});
