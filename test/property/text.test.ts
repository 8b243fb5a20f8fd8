import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphemes } from '../../src/text/display.ts';
import { clean, plainText, visible } from '../../src/text/sanitize.ts';
import { fromVisible } from '../../src/text/spelled.ts';
import { cases } from '../support/cases.ts';
import { cpuMilliseconds } from '../support/cpu-time.ts';

/** Everything that a cleaned text may contain: printable characters, newline, tab, SGR, a safe hyperlink or its end. */
const HARMLESS =
  /^(?:[^\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\x1b\[[\d;:]*m|\x1b\]8;;(?:(?:(?:https?|file):\/\/|mailto:)[\x21-\x7e]*)?\x1b\\)*$/iu;

const pieces = fc.constantFrom(
  ...['\x1b', '\x1b[', '\x1b]', '\x1b]8;;', 'https://a.b', 'javascript:x', '\x07', '\x1b\\', '\x9b', '\x9d', '\x9c'],
  ...[
    '\x1bP',
    '\x1b_',
    '\x1b^',
    '\x1bX',
    '[31m',
    'm',
    '0;',
    '?',
    '\r',
    '\n',
    '\r\n',
    '\b',
    '\t',
    '\0',
    '\x7f',
    'H',
    'J',
  ],
  ...['\u202e', '\u2066', '\u200b', '\ufeff', '\u{e0041}', '👩‍👩‍👧', 'é', '\ud800', '\u2028', '(', ' ', 'text', '\x18'],
);
const hostile = fc.oneof(
  fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
);

describe('clean', () => {
  it('passes only text, SGR and safe links', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(clean(text)).toMatch(HARMLESS);
      }),
      { numRuns: cases(600) },
    );
  });

  it('is idempotent, also when cleaned parts are joined', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        expect(clean(clean(one))).toBe(clean(one));
        expect(clean(one) + clean(other)).toMatch(HARMLESS);
      }),
      { numRuns: cases(400) },
    );
  });

  it('does not change printable text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const printable = text.replace(/[\p{C}\u2028\u2029]/gu, '');
        expect(clean(printable)).toBe(printable);
      }),
    );
  });

  it('leaves no escape in stripped text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(plainText(text)).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
        expect(plainText(clean(text))).toBe(plainText(text));
      }),
      { numRuns: cases(400) },
    );
  });

  it.each([
    ['\x1b[1;31mred\x1b[0m', '\x1b[1;31mred\x1b[0m'],
    ['\x1b[38:2::1:2:3mx', '\x1b[38:2::1:2:3mx'],
    ['a\r\nb', 'a\nb'],
    ['safe\rfake', 'safefake'],
    ['ab\b\bcd', 'abcd'],
    ['\x1b[2J\x1b[Hgone', 'gone'],
    ['\x1b[?1049hx\x1b[>4;1mx', 'xx'],
    ['\x1b]0;title\x07t', 't'],
    ['\x1b]52;c;aGk=\x1b\\t', 't'],
    ['\x1bP$qm\x1b\\t', 't'],
    ['\x1b[31', ''],
    ['\x1b]8;;https://x.y', ''],
    ['\x1b]8;id=1;https://x.y\x07link\x1b]8;;\x07', '\x1b]8;;https://x.y\x1b\\link\x1b]8;;\x1b\\'],
    ['\x1b]8;;https://x.y\x07open', '\x1b]8;;https://x.y\x1b\\open\x1b]8;;\x1b\\'],
    ['\x1b]8;;mailto:a@b.c\x07mail\x1b]8;;\x07', '\x1b]8;;mailto:a@b.c\x1b\\mail\x1b]8;;\x1b\\'],
    ['\x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07', 'link'],
    ['\x1b\x1b[0K[31mx', '[31mx'],
    ['\x9b31mC1', 'C1'],
    ['rm \u202efdp.exe', 'rm fdp.exe'],
    ['\x1bPunterminated\nnext line', '\nnext line'],
    ['one\u2028two', 'one\ntwo'],
  ])('turns %j into %j', (text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it('takes linear time', () => {
    const openings = [
      '\x1b]',
      '\x1b[',
      '\x1bP',
      '\x1b]8;;https://',
      '\x1b',
      '\x9d',
      '\x1b[1;',
      '\x1bP\n',
      '\u202e',
      '\ud83d',
    ];
    const time = (text: string): number => cpuMilliseconds(() => clean(text));
    for (const opening of openings) {
      time(opening.repeat(10_000));
      const large = time(opening.repeat(400_000));
      // Quadratic time would be minutes; a slow machine gets its second.
      expect(large, JSON.stringify(opening)).toBeLessThan(1500);
    }
  });
});

describe('visible', () => {
  it('shows no control, no invisible character, and only plain blanks', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(visible(text)).not.toMatch(/(?![\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u);
      }),
      { numRuns: cases(400) },
    );
  });

  it('never shows two different texts in the same way', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(fromVisible(visible(text))).toBe(text);
      }),
      { numRuns: cases(400) },
    );
  });

  it.each([
    ['ls -la\n  done', 'ls -la\n  done'],
    ['echo safe\rrm -rf ~', 'echo safe⟨U+000D⟩rm -rf ~'],
    ['a\u00a0b\tc', 'a⟨U+00A0⟩b⟨U+0009⟩c'],
    ['x\u202ey⟨', 'x⟨U+202E⟩y⟨U+27E8⟩'],
    ['\x1b[31mred', '⟨U+001B⟩[31mred'],
    ['caf\u0065\u0301', 'cafe\u0301'],
    ['-\u0338', '-⟨U+0338⟩'],
  ])('turns %j into %j', (text, expected) => {
    expect(visible(text)).toBe(expected);
  });
});

it('text is split into the same characters when only the parts around unusual characters are segmented', () => {
  const units = [
    'a',
    'b ',
    'é',
    'e\u0301',
    '漢',
    '1\ufe0f\u20e3',
    '👩‍👩‍👧',
    '🇩🇪',
    '\u0600',
    '\u200d',
    '\u0301',
    '\r',
    '\n',
    '한',
    '\ud83d',
  ];
  const text = fc.oneof(fc.string({ unit: fc.constantFrom(...units) }), fc.string({ unit: 'binary' }));
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  fc.assert(
    fc.property(text, (each) => {
      expect(graphemes(each)).toEqual(Array.from(segmenter.segment(each), ({ segment }) => segment));
    }),
    { numRuns: cases(600) },
  );
});
