import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLongJson } from '../../src/tools/mcp/long-json.ts';
import { cases } from '../support/cases.ts';

// Sizes so small that every text is long, and every piece ends in the middle of something.
const sizes = (long: number, piece: number) => ({ long, piece, rest: 1 << 20 });

describe('JSON read in pieces', () => {
  it('equals the result of JSON.parse, wherever the pieces end', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '"', '\\', '\n', '\u0001', 'é', '😀', '\ud83d', '\\u0041', 'x'),
      maxLength: 60,
    });
    const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(text, value, text),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 6, max: 40 }),
        async (given, long, piece) => {
          const json = JSON.stringify(given);
          expect(await parseLongJson(Buffer.from(json), sizes(long, piece))).toEqual(JSON.parse(json));
        },
      ),
      { numRuns: cases(80) },
    );
  });

  it('is refused where JSON.parse refuses it', async () => {
    const broken = fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '\\', ',', '}', '\u0001'));
    await fc.assert(
      fc.asyncProperty(broken, async ([json, at, sign]) => {
        const place = at % (json.length + 1);
        const text = json.slice(0, place) + sign + json.slice(place + 1);
        const expected = attempt(() => JSON.parse(text));
        expect(
          await parseLongJson(Buffer.from(text), sizes(8, 16)).then(
            () => true,
            () => false,
          ),
        ).toBe(expected);
      }),
      { numRuns: cases(80) },
    );
  });

  it('is refused when too much of it lies outside of strings', async () => {
    const json = Buffer.from(JSON.stringify(Array.from({ length: 5000 }, (_, n) => n)));
    await expect(parseLongJson(json, { long: 10, piece: 10, rest: 1000 })).rejects.toThrow('too long beside its texts');
  });
});

function attempt(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
