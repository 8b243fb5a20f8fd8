import fc from 'fast-check';
import { expect, it } from 'vitest';
import { topmost, within } from '../../../src/effects/undo/paths.ts';

const path = fc
  .array(fc.constantFrom('a', 'b', 'a!', 'a.b', ' ', '\u0001'), { minLength: 1, maxLength: 4 })
  .map((names) => `/${names.join('/')}`);
const isBelow = (one: string, other: string) => one === other || one.startsWith(`${other}/`);

it('within() gives the same result as comparing each path with every other', () => {
  fc.assert(
    fc.property(fc.array(path), path, (paths, other) => {
      expect(within(paths)(other)).toBe(paths.some((each) => isBelow(other, each)));
      const tops = paths.filter((each) => !paths.some((top) => top !== each && isBelow(each, top)));
      const kept = topmost(
        paths.map((each, at) => ({ each, at })),
        (thing) => thing.each,
      );
      expect(kept.map(({ each }) => each).sort()).toEqual([...new Set(tops)].sort());
      for (const { each, at } of kept) expect(at).toBe(paths.indexOf(each));
    }),
  );
});
