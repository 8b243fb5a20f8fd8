import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentTree } from '../../../src/ui/screen/halt/changes.ts';
import { layoutQuestion } from '../../../src/ui/screen/halt/layout.ts';
import { wordsOf } from '../../../src/ui/screen/halt/words.ts';
import { harmless } from '../../support/machine.ts';

const lines = (value: unknown) => argumentTree(JSON.stringify(value)).map(({ text }) => text);

describe('the arguments of a call', () => {
  it('are one value a line, with texts in quotes or behind bars', () => {
    const value = {
      path: '/tmp/x',
      count: 5,
      'odd name': 'five',
      edits: [{ old: 'a\nb', new: '' }, 'two'],
      none: null,
      empty: {},
    };
    expect(lines(value)).toEqual([
      'path: "/tmp/x"',
      'count: 5',
      '"odd name": "five"',
      'edits:',
      '  -',
      '    old:',
      '      │ a',
      '      │ b',
      '    new: ""',
      '  - "two"',
      'none: null',
      'empty: {}',
    ]);
  });

  it('hide nothing: invisible characters are shown escaped, and a non-object as it is', () => {
    expect(lines({ a: 'x\u202ey', 'b\u200b': 'z\u0007' })).toEqual(['a: "x⟨U+202E⟩y"', '"b⟨U+200B⟩": "z\\u0007"']);
    expect(argumentTree('[1,\u001b').map(({ text }) => text)).toEqual(['[1,⟨U+001B⟩']);
  });

  it('can’t make one value look like another, at any width', () => {
    const text = fc.array(fc.constantFrom('path: "/safe"', '\n', ' ', 'x', '- ', '│ '), { maxLength: 30 });
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 60 }), (parts, columns) => {
        const { body } = layoutQuestion(question(JSON.stringify({ note: parts.join('') })), {
          columns,
          rows: 200,
          bottom: 200,
          top: 0,
        });
        const tree = body.filter(({ kind }) => kind === 'tree').map(({ text: line }) => line);
        expect(tree[0]).toMatch(/^┆ note:/);
        for (const line of tree.slice(1)) expect(line).toMatch(/^┆ +[┊│]/);
      }),
    );
  });

  it('say how much of them is not shown', () => {
    const many = lines(Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, n])));
    expect(many).toHaveLength(2001);
    expect(many.at(-1)).toMatch(/^… 3000 more values are not shown; \d+ characters in all$/);
  });
});

function question(json: string) {
  return wordsOf({
    id: 'q1',
    session: 'main',
    kind: 'halt',
    action: { kind: 'tool', name: 's__t', arguments: json, callId: 'c' },
    judgement: harmless,
    why: 'consent',
    cwd: '/work',
    mode: 'unrestricted',
    tool: { definition: 'd', claims: ['it only reads'], changed: true },
  });
}

it('a consent offers the key P, attributes claims to the server, and reports a changed tool', () => {
  const words = question('{}');
  expect(words.choices.map(({ key }) => key)).toEqual(['s', 'n', 'p', 'a', 'P']);
  expect(words.claims).toEqual(['its server says: it only reads']);
  expect(words.reasons.join()).toContain('has changed this tool');
  const { buttons } = layoutQuestion(words, { columns: 40, rows: 12, bottom: 12, top: 0 });
  expect(buttons.map(({ y }) => y)).toEqual([10, 10, 10, 10, 10]);
  for (const { x, width } of buttons) expect(x + width).toBeLessThanOrEqual(40);
});
