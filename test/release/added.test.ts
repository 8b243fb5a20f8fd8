/** What the build adds to modules of dependencies changes how long they take, not what they say. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import Output from '../../node_modules/ink/build/output.js';
import { startRowsEmpty } from '../../release/added.mjs';

class Changed extends Output {}
startRowsEmpty(Changed);

const [width, height] = [12, 4];
const text = fc
  .array(fc.constantFrom('a', ' ', '好', '\u001b[41m', '\u001b[1m', '\u001b[0m', '👩‍👧', 'e\u0301', '\n'), {
    maxLength: 9,
  })
  .map((parts) => parts.join(''));
const place = { x: fc.integer({ min: -2, max: width }), y: fc.integer({ min: -1, max: height }) };
const write = fc.record({ ...place, text });
const clip = fc.record({ x1: place.x, x2: place.x, y1: place.y, y2: place.y });
const operations = fc.array(fc.oneof(write, write, clip, fc.constant('unclip' as const)), { maxLength: 8 });

it('a frame of Ink is the same whether its rows start empty or filled with blanks', () => {
  fc.assert(
    fc.property(operations, (list) => {
      const [plain, changed] = [Output, Changed].map((Kind) => {
        const output = new Kind({ width, height });
        for (const operation of list) {
          if (operation === 'unclip') output.unclip();
          else if ('text' in operation) output.write(operation.x, operation.y, operation.text, { transformers: [] });
          else output.clip(operation);
        }
        return output.get();
      });
      expect(changed).toEqual(plain);
    }),
    { numRuns: 3000 },
  );
});
