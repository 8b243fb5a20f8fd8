import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineWriter } from '../../src/executor/output-file.ts';
import { readSequence } from '../../src/text/escape-sequences.ts';
import { plainText } from '../../src/text/sanitize.ts';
import { cases } from '../support/cases.ts';

describe('an escape sequence', () => {
  it.each([
    ['\x1b[1;31mred', 'control', '1;31', 'red'],
    ['\x1b[?2026$y.', 'control', '?2026$', '.'],
    ['\x1b(Bx', 'escape', '(', 'x'],
    ['\x1bcx', 'escape', '', 'x'],
    ['\x1b]0;title\x07x', 'command', '0;title', 'x'],
    ['\x1b]8;;u\x1b\\x', 'command', '8;;u', 'x'],
    ['\x1bP$qm\x1b\\x', 'string', '$qm', 'x'],
    ['\x1b_G\x07\n\x1b\\x', 'string', 'G\x07\n', 'x'],
    ['\x9b2Jx', 'control', '2', 'x'],
    ['\x9d0;t\x9cx', 'command', '0;t', 'x'],
    ['\x84x', 'escape', '', 'x'],
  ])('%j is a complete %s', (text, kind, content, rest) => {
    const { from, to, end, ...found } = readSequence(text, 0);
    expect(found).toEqual({ kind, whole: true });
    expect([text.slice(from, to), text.slice(end)]).toEqual([content, rest]);
  });

  it.each([
    ['ends with the text', '\x1b', ''],
    ['ends with the text', '\x1b[3', ''],
    ['ends with the text', '\x1b]0;a', ''],
    ['is interrupted by a control character', '\x1b[3\nm', '\nm'],
    ['is interrupted by another sequence', '\x1b]0;a\x1b[1m', '\x1b[1m'],
    ['is broken off by another sequence', '\x1bPa\x9b1m', '\x9b1m'],
    ['is interrupted by a cancel', '\x1b]0;a\x18b', 'b'],
    ['swallows only its own line', '\x1bPa\nb', '\nb'],
    ['swallows its own line only', '\x1bPa\nb\x1b[1m', '\nb\x1b[1m'],
    ['swallows its own line only', '\x1b]0;a\nb\x07', '\nb\x07'],
  ])('%s: %j', (_how, text, rest) => {
    const { whole, end } = readSequence(text, 0);
    expect(whole).toBe(false);
    expect(text.slice(end)).toBe(rest);
  });

  const pieces = [
    '\x1b',
    '[',
    ']',
    'P',
    '_',
    '\\',
    '(',
    '31',
    ';',
    'm',
    'q',
    '\x07',
    '\x18',
    'text',
    ' ',
    '\n',
    '\x1b[',
  ];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''));

  it('is recognised alike by the fast copy of large output and by the cleaner of whole texts', () => {
    fc.assert(
      fc.property(text, fc.nat(20), (given, cut) => {
        // The copy drops a string of several lines line by line: it never waits for an end.
        fc.pre(!/\x1b[P_]/.test(given));
        const blocks: string[] = [];
        const writer = new LineWriter((block) => blocks.push(block.toString()));
        writer.push(Buffer.from(given.slice(0, cut)));
        writer.push(Buffer.from(given.slice(cut)));
        writer.end();
        expect(blocks.join('')).toBe(plainText(given));
      }),
      { numRuns: cases(600) },
    );
  });
});
