import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandAt, type Quote, quoteWord } from '../../src/executor/completion/complete.ts';
import { cases } from '../support/cases.ts';
import { userShells } from '../support/lacks.ts';

/** Pieces that shells treat as special, and some that they don't. */
const piece = fc.constantFrom(
  ...' $`"\'\\;&|<>(){}[]*?!#~=^:\n\t',
  '$(',
  'a',
  'bc',
  '漢',
  'é',
  '👩‍💻',
  '-x',
  '/',
  '..',
  'if ',
  '\\\n',
);
const text = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));

/** Returns the words as the shell parses them, all in one run. */
function readBack(shell: string, words: readonly string[]): readonly string[] {
  const lines = words.map((word) => `printf '%s\\0' ${word}`).join('\n');
  const out = execFileSync(shell, shell.endsWith('zsh') ? ['-f'] : ['--norc'], { input: `${lines}\n` });
  return out.toString('utf8').split('\0').slice(0, -1);
}

describe('a quoted word', () => {
  it.each(userShells())('is parsed by %s as the original text, bare and within quotes', (shell) => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 40, maxLength: 40 }), (texts) => {
        const name = (each: string) => each.replaceAll('\t', '_');
        const bare = texts.map((each) => quoteWord(name(each), ''));
        const single = texts.map((each) => `'${quoteWord(name(each), "'")}'`);
        const double = texts.map((each) => `"${quoteWord(name(each), '"')}"`);
        expect(readBack(shell, [...bare, ...single, ...double])).toEqual([...texts, ...texts, ...texts].map(name));
      }),
      { numRuns: 5 },
    );
  });
});

describe('the command at the cursor', () => {
  it('is found in any line, and its word lies between its start and the cursor', () => {
    fc.assert(
      fc.property(text, fc.nat(20), (line, place) => {
        const cursor = Math.min(place, line.length);
        const { words, start, from, quoteStart, quote } = commandAt(line, cursor);
        expect(words.at(-1)).toBe(line.slice(start, cursor));
        expect(from).toBeLessThanOrEqual(start);
        expect(start).toBeLessThanOrEqual(quoteStart);
        expect(quoteStart).toBeLessThanOrEqual(cursor);
        if (quote !== '') expect(line[quoteStart - 1]).toBe(quote);
      }),
      { numRuns: cases(400) },
    );
  });

  it('has the quotes in its words removed as the shell would', () => {
    const name = fc.array(
      piece.filter((each) => !/[\n\t]/.test(each)),
      { minLength: 1, maxLength: 8 },
    );
    const quotes = fc.constantFrom<Quote>('', "'", '"');
    fc.assert(
      fc.property(name, quotes, (pieces, quote) => {
        const word = pieces.join('');
        const line = `cat ${quote}${quoteWord(word, quote)}`;
        const found = commandAt(line, line.length);
        // A quote within single quotes, and an exclamation mark within double ones, end the quotes for a moment.
        if (!(quote === "'" && word.includes("'")) && !(quote === '"' && word.includes('!')))
          expect(found).toMatchObject({ plain: word, quote, words: ['cat', line.slice(4)] });
      }),
      { numRuns: cases(200) },
    );
  });
});
