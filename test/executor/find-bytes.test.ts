/** Searching by the rarest byte finds the same as a plain search. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { find, partialMatchLength, wanted } from '../../src/executor/find-bytes.ts';

const SEQUENCES = ['\x1b[?', '\x1bc', '\x1b(', '\x1b]7331;', '\x1b[?2004h'];
const pieces = fc.array(fc.constantFrom(...'\x1b[]?(c;72031h4 a', ...SEQUENCES, '\x1b[32m'), { maxLength: 40 });
const output = pieces.map((all) => Buffer.from(all.join('')));

describe.each(SEQUENCES)('the sequence %j', (text) => {
  it('is found at its first occurrence', () => {
    fc.assert(
      fc.property(output, fc.nat(20), (data, from) => {
        expect(find(data, wanted(text), from)).toBe(data.indexOf(text, from));
      }),
    );
  });

  it('is reported as begun when the data ends with a part of it', () => {
    fc.assert(
      fc.property(output, fc.nat(text.length - 1), fc.nat(8), (before, begun, from) => {
        const data = Buffer.concat([before, Buffer.from(text.slice(0, begun))]);
        const lengths = Array.from({ length: text.length }, (_, length) => length);
        const longest = lengths.findLast(
          (n) => data.length - n >= Math.min(from, data.length) && data.toString('latin1').endsWith(text.slice(0, n)),
        );
        expect(partialMatchLength(data, wanted(text), Math.min(from, data.length))).toBe(longest);
      }),
    );
  });
});
