import { describe, expect, test } from 'vitest';
import { detect } from '../../src/secrets/detect.ts';
import { TOKEN_RULES } from '../../src/secrets/rules/table.ts';
import { filled, seeded } from '../support/fake-values.ts';

/** Returns the texts found in a text. */
function found(text: string): readonly string[] {
  return detect(text).map(({ start, end }) => text.slice(start, end));
}

describe.each(TOKEN_RULES.map((rule) => [`${rule.kind} ${rule.starts.slice(0, 24)}`, rule] as const))(
  'the rule for %s',
  (_, rule) => {
    const random = seeded(7);

    test('finds its examples, exactly', () => {
      for (const example of rule.match) {
        // Several random values, in case one is unusual.
        for (let draw = 0; draw < 8; draw += 1) {
          const marked = filled(example, random);
          const [before = '', value = '', after = ''] = marked.split(/[‹›]/);
          expect(found(before + value + after), marked).toContain(value);
          expect(
            detect(before + value + after).map(({ kind }) => kind),
            marked,
          ).toContain(rule.kind);
        }
      }
    });

    test('ignores its look-alikes', () => {
      expect(rule.pass.flatMap((example) => found(filled(example, random)))).toEqual([]);
    });
  },
);
