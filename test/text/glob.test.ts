import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesGlob } from '../../src/text/matching.ts';

describe('a glob over names', () => {
  it.each([
    ['files__read_file', 'files__read_*'],
    ['files__read_file', '*__read_*'],
    ['files__read_file', '*'],
    ['files__read_file', 'files__????_file'],
    ['files__write', 'files__[rw]*'],
    ['db9', 'db[0-9]'],
    ['dbx', 'db[!0-9]'],
    ['a]', 'a[]]'],
    ['a-', 'a[a-]'],
    ['a[b', 'a[b'],
    ['', '*'],
    ['', ''],
    ['aXa', 'a*a'],
    ['abc', 'a**c'],
    ['x.y', 'x?y'],
  ])('%s is matched by %s', (name, glob) => {
    expect(matchesGlob(name, [glob])).toBe(true);
  });

  it.each([
    ['files__read_file', 'files__read'],
    ['files__read_file', 'read_*'],
    ['xfiles__read', 'files__*'],
    ['a', 'a?'],
    ['db-', 'db[0-9]'],
    ['db9', 'db[^0-9]'],
    ['', '?'],
    ['a', 'a*a'],
    ['xy', 'x.'],
  ])('%s is not matched by %s', (name, glob) => {
    expect(matchesGlob(name, [glob])).toBe(false);
  });

  it('matches like the equivalent regular expression', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '_'), maxLength: 8 });
    const globs = fc.string({ unit: fc.constantFrom('a', 'b', '_', '*', '?', '[ab]', '[!a]'), maxLength: 6 });
    fc.assert(
      fc.property(letters, globs, (name, glob) => {
        const source = glob.replaceAll('[!', '[^').replaceAll('*', '.*').replaceAll('?', '.');
        expect(matchesGlob(name, [glob])).toBe(new RegExp(`^${source}$`).test(name));
      }),
    );
  });

  it('takes little time even for a hostile name', () => {
    const start = performance.now();
    expect(matchesGlob('a'.repeat(10_000), [`${'*a'.repeat(30)}b`])).toBe(false);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
