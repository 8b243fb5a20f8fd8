import fc from 'fast-check';
import { expect, it } from 'vitest';
import { classify } from '../../src/router/classify.ts';
import { routeLine } from '../../src/router/path-index.ts';
import { cases } from '../support/cases.ts';
import { cpuMilliseconds } from '../support/cpu-time.ts';

const piece = fc.constantFrom(
  "'",
  '"',
  '\\',
  ' ',
  '(',
  '{',
  'find ',
  "it's ",
  '?',
  '!',
  ':',
  '=',
  '|',
  'ä',
  '漢',
  '\n',
  '$(',
  'for x in ',
);
const line = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(piece, { maxLength: 60 }).map((all) => all.join('')),
);

it('the router accepts any line and never throws', () => {
  fc.assert(
    fc.property(line, fc.boolean(), (text, known) => {
      const route = classify(text, { knows: () => known });
      expect(['meta', 'shell', 'ai']).toContain(route.kind);
      expect(text).toContain(route.text);
      expect(route.why).not.toBe('');
    }),
    { numRuns: cases(400) },
  );
});

it('the router obeys a prefix, except a `:` or `!` whose next character makes it shell syntax', () => {
  const kinds = { ':': 'meta', '!': 'shell', '?': 'ai' } as const;
  fc.assert(
    fc.property(fc.constantFrom(':', '!', '?'), line, (prefix, text) => {
      fc.pre(prefix === '?' || /^\w/.test(text));
      expect(classify(prefix + text, { knows: () => true })).toMatchObject({ kind: kinds[prefix], forced: true });
    }),
  );
});

it('any probe line is answered with one line of JSON', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        line,
        fc.json(),
        line.map((text) => JSON.stringify({ line: text })),
      ),
      (json) => {
        const answer = routeLine(json);
        expect(answer).not.toContain('\n');
        expect(Object.keys(JSON.parse(answer) as object)).toHaveLength(1);
      },
    ),
  );
});

it('routing looks only at the beginning of a line, so its time is bounded', () => {
  const hostile = ["'", '"', "a='", 'for x in ', 'if ;', 'a.', '-', '(', '漢', '\\', 'aA'].map((seed) =>
    seed.repeat(200_000 / seed.length),
  );
  for (const text of hostile) {
    expect(cpuMilliseconds(() => classify(text, { knows: () => true }))).toBeLessThan(100);
  }
});
