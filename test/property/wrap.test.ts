import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { applySgr, stripStyles } from '../../src/text/style.ts';
import { lineWidth, wrapText } from '../../src/text/wrap.ts';
import { cases } from '../support/cases.ts';

const sgr = fc.constantFrom(
  '\x1b[1m',
  '\x1b[31m',
  '\x1b[0m',
  '\x1b[m',
  '\x1b[38;5;208m',
  '\x1b[48:2::1:2:3m',
  '\x1b[22;39m',
  '\x1b[7m',
  '\x1b[1;4;97;41m',
);
const link = fc.constantFrom('\x1b]8;;https://a.b/c\x1b\\', '\x1b]8;;\x1b\\', '\x1b]8;id=1;http://x\x07');
const letters = fc.string({
  unit: fc.constantFrom(
    'a',
    'b',
    ' ',
    '  ',
    '\t',
    'é',
    '漢',
    '🙂',
    '👍🏽',
    '❤️',
    '👨‍👩‍👧',
    '한',
    '\u0301',
    '\x07',
    '\u202e',
    '\n',
  ),
  maxLength: 14,
});
const styled = fc
  .array(fc.oneof({ weight: 2, arbitrary: letters }, sgr, link), { maxLength: 10 })
  .map((parts) => parts.join(''));
const width = fc.integer({ min: 1, max: 25 });
const mode = fc.constantFrom('word' as const, 'hard' as const);

/** SGR and hyperlinks, defined independently of the lexer. */
const SEQUENCE = /\x1b\[([\d:;]*)m|\x1b\]8;[^;\x07\x1b]*;([^\x07\x1b]*)(?:\x07|\x1b\\)/y;

/** Returns each visible character that is not blank, with its style. */
function inked(text: string): string[] {
  const result: string[] = [];
  let style = '';
  for (let at = 0; at < text.length; ) {
    SEQUENCE.lastIndex = at;
    const match = SEQUENCE.exec(text);
    if (match !== null) {
      if (match[1] !== undefined) style = applySgr(style, match[1]);
      at += match[0].length;
    } else {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
      if (character.trim() !== '') result.push(`${style}|${character}`);
      at += character.length;
    }
  }
  return result;
}

it('no line exceeds the width, whether measured by aish-tui or by string-width', () => {
  fc.assert(
    fc.property(styled, width, mode, (text, columns, how) => {
      for (const line of wrapText(text, columns, { mode: how, indent: '> ' })) {
        expect(lineWidth(line)).toBeLessThanOrEqual(columns);
        expect(stringWidth(line)).toBeLessThanOrEqual(columns);
      }
    }),
    { numRuns: cases(400) },
  );
});

it('every character keeps its place and its style, wherever the lines end', () => {
  fc.assert(
    fc.property(styled, fc.integer({ min: 2, max: 25 }), mode, (text, columns, how) => {
      const whole = wrapText(text, 10_000).join('\n');
      const lines = wrapText(text, columns, { mode: how });
      // Each line is complete in itself, even without the lines before it.
      expect(lines.flatMap(inked)).toEqual(whole.split('\n').flatMap(inked));
    }),
    { numRuns: cases(400) },
  );
});

it('hard wrapping loses nothing', () => {
  fc.assert(
    fc.property(styled, fc.integer({ min: 2, max: 25 }), (text, columns) => {
      const whole = wrapText(text, 10_000, { mode: 'hard' }).map(stripStyles).join('');
      expect(wrapText(text, columns, { mode: 'hard' }).map(stripStyles).join('')).toBe(whole);
    }),
  );
});

it('the fast path for plain text wraps like the general one', () => {
  const plain = fc.string({ unit: fc.constantFrom('a', 'bc', ' ', '   ', '.'), maxLength: 60 });
  fc.assert(
    fc.property(plain, width, mode, fc.constantFrom('', '> ', '    '), (text, columns, how, indent) => {
      const options = { mode: how, indent };
      expect(wrapText(text, columns, options)).toEqual(wrapText(`\x1b[m${text}`, columns, options));
    }),
    { numRuns: cases(600) },
  );
});

it('wrapping lines that are already wrapped changes nothing', () => {
  fc.assert(
    fc.property(styled, width, mode, (text, columns, how) => {
      for (const line of wrapText(text, columns, { mode: how }))
        expect(wrapText(line, columns, { mode: how })).toEqual([line]);
    }),
  );
});

it('the output contains only SGR and hyperlinks, and every line closes what it opens', () => {
  const hostile = fc.array(
    fc.oneof(
      styled,
      fc.constantFrom('\x1b[2J', '\x1b]0;title\x07', '\x1bc', '\u009b31m', '\x1b]8;;javascript:x\x07', '\r', '\b'),
    ),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(hostile, width, (parts, columns) => {
      for (const line of wrapText(parts.join(''), columns)) {
        expect(stripStyles(line)).not.toMatch(/\p{Cc}/u);
        expect(line).not.toContain('javascript:');
        if (line.includes('\x1b'))
          expect(line).toMatch(
            /\x1b\[0m$|\x1b\]8;;\x1b\\$|\x1b\[0m\x1b\]8;;\x1b\\[^\x1b]*$|\x1b\[0m[^\x1b]*$|\x1b\\[^\x1b]*$/,
          );
      }
    }),
    { numRuns: cases(200) },
  );
});
