import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { stripStyles } from '../../src/text/style.ts';
import { createMarkdownStream, renderMarkdown } from '../../src/ui/render/markdown.ts';
import { THEMES } from '../../src/ui/render/theme.ts';
import { cases } from '../support/cases.ts';

const words = fc.string({
  unit: fc.constantFrom(
    'word',
    ' ',
    '漢字',
    '**',
    '*',
    '_',
    '`',
    '[x](https://a.b)',
    '<b>',
    '&amp;',
    '🙂',
    '~~',
    '\\',
    '!',
    'https://x.y',
    '\x1b[2J',
    '&#27;',
    '|',
  ),
  maxLength: 12,
});
const line = fc.oneof(
  words,
  fc.constantFrom(
    '',
    '',
    '# Head',
    '## Two',
    '---',
    '> quote',
    '> > deep',
    '- item',
    '  - sub',
    '1. one',
    '10) ten',
    '- [x] done',
    '```ts',
    '```',
    '~~~',
    '    code',
    '| a | b |',
    '|---|:-:|',
    '| 1 | 2 | 3 |',
    '<div>',
    '</div>',
    'Title\n=====',
    '\ttab',
    'const x = "s"; // c',
  ),
  fc.tuple(fc.constantFrom('- ', '> ', '1. ', '# ', '| ', '  '), words).map((parts) => parts.join('')),
);
const markdown = fc.array(line, { maxLength: 25 }).map((lines) => lines.join('\n'));
const width = fc.integer({ min: 1, max: 60 });

it('no rendered line exceeds the width or contains an escape sequence other than SGR and hyperlinks', () => {
  fc.assert(
    fc.property(markdown, width, (text, columns) => {
      for (const rendered of renderMarkdown(text, columns, THEMES.dark)) {
        expect(stringWidth(rendered)).toBeLessThanOrEqual(columns);
        expect(stripStyles(rendered)).not.toMatch(/\p{Cc}/u);
      }
    }),
    { numRuns: cases(300) },
  );
});

it('a stream shows at every moment what the text so far would show', () => {
  fc.assert(
    fc.property(
      markdown,
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
      width,
      (text, steps, columns) => {
        const stream = createMarkdownStream();
        let at = 0;
        for (let turn = 0; at < text.length; turn++) {
          at += steps[turn % steps.length] ?? 1;
          expect(stream.update(text.slice(0, at), columns, THEMES.dark)).toEqual(
            renderMarkdown(text.slice(0, at), columns, THEMES.dark),
          );
        }
      },
    ),
    { numRuns: cases(140) },
  );
});

it('any text can be rendered', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), width, (text, columns) => {
      for (const rendered of renderMarkdown(text, columns, THEMES.none))
        expect(stringWidth(rendered)).toBeLessThanOrEqual(columns);
    }),
  );
});
