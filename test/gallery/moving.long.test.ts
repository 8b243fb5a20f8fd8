/** The README’s moving picture shows the screens of the current program, each for its time. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { play } from '../../docs/generate/screen.ts';
import { type Frame, movingSvg } from '../../docs/picture/moving.ts';
import { lacks } from '../support/lacks.ts';

const PLAIN = { bold: false, dim: false, italic: false, underline: false, inverse: false };

/** Returns the words of each screen, without those that depend on a clock or a tokenizer. */
function screensOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<g id="f\d+">([\s\S]*?)<\/g>/g)].map(([, group = '']) =>
    group
      .replace(/<[^>]*>/g, ' ')
      .replace(/\d+ m?s\b|\d+%|[▮▯]/g, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

// A HALT offers a trial where the kernel launcher can be built.
it.skipIf(lacks('cc'))('the moving picture shows what the program draws', { timeout: 120_000 }, async () => {
  const kept = screensOf(readFileSync(new URL('../../docs/screen.svg', import.meta.url), 'utf8'));
  expect(kept.length).toBeGreaterThan(8);
  expect(screensOf(movingSvg(await play(), 88, ''))).toEqual(kept);
});

it('the moving picture shows one screen at a time without a gap, and only the longest one for users who prefer reduced motion', () => {
  const frame = (seconds: number, text: string): Frame => ({
    seconds,
    rows: [[{ column: 0, width: text.length, text, style: PLAIN }]],
  });
  const svg = movingSvg([frame(1, 'one'), frame(2, 'two'), frame(1, 'three')], 10, 'title');
  expect(screensOf(svg)).toEqual(['one', 'two', 'three']);
  expect(svg).toContain('@keyframes f0{0%{visibility:visible}25%{visibility:hidden}}');
  expect(svg).toContain('@keyframes f1{0%{visibility:hidden}25%{visibility:visible}75%{visibility:hidden}}');
  expect(svg).toContain('@keyframes f2{0%{visibility:hidden}75%{visibility:visible}}');
  expect(svg).toMatch(/prefers-reduced-motion:reduce\)\{.*#f1\{visibility:visible\}/);
});
