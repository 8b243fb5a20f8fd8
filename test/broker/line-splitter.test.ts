import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LineSplitter } from '../../src/broker/answer-stream.ts';

/** Returns each line that a splitter makes of the pieces, and the rest. */
function splitOf(pieces: readonly Uint8Array[]): { readonly lines: readonly string[]; readonly rest: string } {
  const splitter = new LineSplitter();
  const lines = pieces.flatMap((piece) => splitter.push(piece));
  const { rest } = splitter;
  splitter.close();
  return { lines, rest };
}

/** Returns the text in UTF-8, cut at these fractions of its length. */
function piecesOf(text: string, cuts: readonly number[]): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const at = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, n) => bytes.subarray(at[n], end));
}

const parts = fc.constantFrom('a', 'é', '🙂', 'word ', '\n', '\r', '\r\n', '\n\n', '\ufeff');

it('lines are the same wherever the pieces meet', () => {
  fc.assert(
    fc.property(fc.array(parts), fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (words, cuts) => {
      const text = words.join('');
      const [rest = '', ...before] = text
        .replace(/^\ufeff/, '')
        .split(/\r\n|\n|\r/)
        .reverse();
      expect(splitOf(piecesOf(text, cuts))).toEqual({ lines: before.reverse(), rest });
    }),
  );
});

it('a piece’s buffer may be overwritten afterwards', () => {
  const splitter = new LineSplitter();
  const piece = Buffer.from('begun ');
  splitter.push(piece);
  piece.fill('x');
  expect(splitter.push(Buffer.from('and ended\n'))).toEqual(['begun and ended']);
});

it('two splitters have separate buffers, and one may end without affecting the other', () => {
  const first = new LineSplitter();
  first.push(Buffer.from('of the first'));
  const second = new LineSplitter();
  second.push(Buffer.from('of the second'));
  expect([first.rest, second.rest]).toEqual(['of the first', 'of the second']);
  first.close();
  first.close();
  const third = new LineSplitter();
  expect(third.rest).toBe('');
  third.push(Buffer.from('third'));
  expect([second.rest, third.rest]).toEqual(['of the second', 'third']);
});

it('a second long line needs no more memory', () => {
  const long = Buffer.alloc(64 * 1024, 'x');
  const fill = () => {
    const splitter = new LineSplitter();
    const before = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < 48; n += 1) splitter.push(long);
    const more = process.memoryUsage().arrayBuffers - before;
    splitter.close();
    return more;
  };
  expect(fill()).toBeGreaterThan(0);
  expect(fill()).toBeLessThanOrEqual(0);
});
