import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PassthroughFilter } from '../../src/executor/full-screen-output.ts';
import { cases } from '../support/cases.ts';
import { HOSTILE } from '../support/hostile.ts';

const pass = (text: string) => new PassthroughFilter().pass(Buffer.from(text)).toString();

describe('the filter for a full-screen program’s output', () => {
  it.each([
    ['text in any script, with controls', 'a\tb\r\né 日本 👩‍👧 ÂÃ\x07\b'],
    [
      'painting',
      '\x1b[?1049h\x1b[22;1H\x1b[K\x1b[1;32mx\x1b[m\x1b[2J\x1b[?25l\x1b7\x1b8\x1bM\x1b[5;9r\x1b(0q\x1b(B\x1b#8\x1b=',
    ],
    ['modes', '\x1b[?2004h\x1b[?1000;1006h\x1b[>4;2m\x1b[?1h\x1b[2 q\x1b[=1;1u'],
    [
      'questions',
      '\x1b[6n\x1b[c\x1b[>c\x1b[>q\x1b[?2026$p\x1b]11;?\x07\x1b]4;1;?\x1b\\\x1bP+q544e\x1b\\\x1bP$qm\x1b\\',
    ],
    ['colours being reset', '\x1b]112\x07\x1b]104;1\x1b\\'],
    ['links', '\x1b]8;id=a;https://a.b/c\x1b\\link\x1b]8;;\x1b\\'],
    ['sixels', '\x1bP0;1q"1;1;6;6#0;2;0;0;0#0!6~$-\x1b\\'],
    [
      'kitty’s pictures that contain their data',
      '\x1b_Gf=100,a=T,m=1;iVBORw0KGgo=\x1b\\\x1b_Gm=0;AAAA\x1b\\\x1b_Ga=d\x1b\\',
    ],
    ['iTerm2’s pictures that are displayed inline', '\x1b]1337;File=inline=1;width=10%;name=eA==:aGk=\x07'],
    ['a picture of a megabyte', `\x1bPq${'~'.repeat(1_000_000)}\x1b\\`],
    ['queries for sizes', '\x1b[14t\x1b[16t\x1b[18t'],
  ])('passes %s', (_what, text) => {
    expect(pass(text)).toBe(text);
  });

  it.each([
    ['the title', '\x1b]0;t\x07\x1b]2;t\x1b\\\x1b[22;2t'],
    ['the clipboard', '\x1b]52;c;aGk=\x07\x1b]52;c;?\x1b\\'],
    ['notifications', '\x1b]9;x\x07\x1b]777;notify;a;b\x07\x1b]99;;x\x1b\\'],
    ['colours of the terminal', '\x1b]11;#000000\x07\x1b]4;1;red\x07'],
    [
      'pictures that name files',
      '\x1b_Gt=f;L2V0Yw==\x1b\\\x1b_Ga=T,t=t,f=100;L3Q=\x1b\\\x1b]1337;File=:aGk=\x07\x1b]1337;SetMark\x07',
    ],
    [
      'files disguised as pictures',
      '\x1b]1337;File=inline=1;inline=0:aGk=\x07\x1b]1337;File=name=-inline=1:aGk=\x07\x1b]1337;File=name=-inline=1;inline=0:aGk=\x07',
    ],
    ['the window and the printer', '\x1b[21t\x1b[8;9;9t\x1b[5i'],
    ['a full reset', '\x1bc'],
    ['8-bit controls', '\u009b5n\u0090q\u009c'],
    ['links to other schemes', '\x1b]8;;javascript:x\x07\x1b]8;;file:///a\u202e\x07'],
    ['unterminated strings', '\x1b]0;never'],
  ])('removes %s', (_what, text) => {
    expect(pass(`a${text}`).replace(/5n|q/g, '')).toBe('a');
  });

  it('removes the same when sequences are split, nested or cut off', () => {
    const pieces = fc.constantFrom(...HOSTILE, 'x', '\x1b', '\x1b]', '\x1b\\', '\x07', '\x18', '\xc2', 'é', '[', ';');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), fc.array(fc.nat(400), { maxLength: 8 }), (parts, cuts) => {
        const data = Buffer.from(parts.join(''));
        const whole = new PassthroughFilter().pass(data).toString('latin1');
        const torn = new PassthroughFilter();
        const places = [0, ...cuts.toSorted((a, b) => a - b), data.length];
        const passed = places.map((at, n) => torn.pass(data.subarray(places[n - 1] ?? 0, at)).toString('latin1'));
        expect(passed.join('')).toBe(whole);
        expect(whole).not.toMatch(
          /\x1b\](?:[0-35-79]|52|777);|\x1b\]1337;(?!File=\S*inline=1)|\x1b_(?!G)|\x1b_G[^;]*t=[^d]|\x1b[\^X]|\x1bc|\x1b\[(?!1[468]t)[\d;]*[ti]|\xc2[\x80-\x9f]/,
        );
        // Filtering twice changes nothing, so the remaining parts do not form a new sequence.
        expect(new PassthroughFilter().pass(Buffer.from(whole, 'latin1')).toString('latin1')).toBe(whole);
      }),
      { numRuns: cases(200) },
    );
  });
});
