import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GrowingText } from '../../src/engine/live.ts';

const PART = 64 * 1024;
const pieces = fc.array(
  fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.integer({ min: 0, max: 2 * PART }).map((length) => 'abc'.repeat(length).slice(0, length)),
  ),
  { maxLength: 8 },
);

it('a growing text reads like the string it represents, wherever its parts end', () => {
  fc.assert(
    fc.property(pieces, fc.array(fc.tuple(fc.integer(), fc.option(fc.integer()))), (added, ranges) => {
      const text = new GrowingText();
      for (const piece of added) text.add(piece);
      const whole = added.join('');
      expect(text.length).toBe(whole.length);
      expect(String(text) === whole).toBe(true);
      for (const [from, to] of ranges) {
        const most = whole.length + 5;
        const [start, end] = [from % most, to === null ? undefined : to % most];
        expect(text.slice(start, end) === whole.slice(start, end), `${start} ${end}`).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});
