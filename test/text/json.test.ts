import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTooDeep, MAX_JSON_DEPTH, parseBoundedJson, parseJson, tooDeepAt } from '../../src/text/json.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('JSON from outside', () => {
  it('is parsed up to the limit of nesting, and not beyond', () => {
    expect(parseJson(nested(MAX_JSON_DEPTH))).toHaveLength(1);
    expect(parseJson(nested(MAX_JSON_DEPTH + 1))).toBeUndefined();
    expect(() => parseBoundedJson('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000))).toThrow(/nested more than 200/);
    expect(isTooDeep(JSON.parse(nested(MAX_JSON_DEPTH)))).toBe(false);
    expect(isTooDeep(JSON.parse(nested(100_000)))).toBe(true);
  });

  it('may contain any number of brackets side by side, in texts and in comments', () => {
    const many = '['.repeat(1000);
    expect(parseJson(`[${'[],'.repeat(1000)}"\\"${many}"]`)).toHaveLength(1001);
    expect(tooDeepAt(`// it's "${many}\n/* ${many} " */ ["${many}"]`)).toBeUndefined();
  });

  it('is measured for depth as the most lenient parser would: no string continues past its line, no wrong bracket closes', () => {
    expect(tooDeepAt(`"never closed\n${'['.repeat(300)}`)).toBe(14 + MAX_JSON_DEPTH);
    expect(tooDeepAt('[}'.repeat(300))).toBe(2 * MAX_JSON_DEPTH);
  });

  it('is parsed like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 50 },
    );
  });
});
