import { expect, it } from 'vitest';
import { eachInTurns } from '../../src/text/turns.ts';

it('long texts are processed piece by piece, and other work gets its turn in between', async () => {
  const texts = ['short', 'x'.repeat(1_000_000), '', 'y'.repeat(300_000), ...Array<string>(100).fill('z'.repeat(2000))];
  const seen = texts.map(() => '');
  let longest = 0;
  let pieces = 0;
  let inOneTurn = 0;
  let watch: NodeJS.Immediate | undefined;
  const turn = () => {
    inOneTurn = 0;
    watch = setImmediate(turn);
  };
  turn();
  await eachInTurns(texts, (piece, index) => {
    seen[index] += piece;
    pieces += 1;
    inOneTurn += piece.length;
    longest = Math.max(longest, inOneTurn);
  });
  clearImmediate(watch);
  expect(seen).toEqual(texts);
  expect(pieces).toBeGreaterThan(100);
  expect(longest).toBeLessThanOrEqual(2 * 64 * 1024);
});
