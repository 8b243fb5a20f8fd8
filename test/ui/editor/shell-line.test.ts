import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandAbbreviation, lastWord } from '../../../src/ui/editor/history.ts';
import { shellSpans } from '../../../src/ui/editor/shell-line.ts';
import { createEditor } from '../../../src/ui/editor/state.ts';
import { firstWord, suggest } from '../../../src/ui/screen/recall.ts';
import { typingTimes } from '../../bench/suggest.ts';

const shown = (text: string) => shellSpans(text).map(({ start, end, kind }) => `${kind}:${text.slice(start, end)}`);

describe('a coloured shell line', () => {
  it.each([
    ['ls -la src', ['command:ls', 'flag:-la', 'word:src']],
    [
      'A=1 make -j4 && sudo -E apt update',
      [
        'variable:A=',
        'word:1',
        'command:make',
        'flag:-j4',
        'operator:&&',
        'command:sudo',
        'flag:-E',
        'command:apt',
        'word:update',
      ],
    ],
    [
      'echo "a $b" \'c\' $d pre"fix" # end',
      ['command:echo', 'string:"a $b"', "string:'c'", 'variable:$d', 'word:pre', 'string:"fix"', 'comment:# end'],
    ],
    [
      'if true; then cat <in >>out 2>&1; fi',
      [
        'keyword:if',
        'command:true',
        'operator:;',
        'keyword:then',
        'command:cat',
        'operator:<',
        'word:in',
        'operator:>>',
        'word:out',
        'operator:2>&1',
        'operator:;',
        'keyword:fi',
      ],
    ],
    ['a|b&', ['command:a', 'operator:|', 'command:b', 'operator:&']],
    ['echo "open', ['command:echo', 'string:"open']],
  ])('has the right parts: %s', (text, spans) => {
    expect(shown(text)).toEqual(spans);
  });

  it('has its parts in order within the line, whatever is typed', () => {
    const piece = fc.constantFrom(...' |&;()<>"\'$`\\#-=\n'.split(''), 'ls', 'é', '2', '${x', '$(y)');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }).map((all) => all.join('')),
        (text) => {
          let at = 0;
          for (const { start, end } of shellSpans(text)) {
            expect(start).toBeGreaterThanOrEqual(at);
            expect(end).toBeGreaterThan(start);
            at = end;
          }
          expect(at).toBeLessThanOrEqual(text.length);
        },
      ),
    );
  });
});

describe('a suggestion', () => {
  const facts: Record<string, { cwd?: string; exit?: number }> = {
    'git push': { cwd: '/here' },
    'git pull': { cwd: '/there' },
    'git psuh': { cwd: '/here', exit: 127 },
  };
  const kept = {
    lines: ['git push', 'git pull', 'git psuh', 'git apply', 'git pu\nsh'],
    factsOf: (line: string) => facts[line],
    isAgents: (line: string) => line === 'git apply',
  };

  it.each([
    ['git p', '/here', 'ush'],
    ['git p', '/else', 'ull'],
    ['git a', '/here', undefined],
    ['git push', '/here', undefined],
    ['', '/here', undefined],
  ])('for %j in %s is the most recent match', (text, cwd, rest) => {
    expect(suggest(text, cwd, kept)).toBe(rest);
  });

  it('can be accepted word by word', () => {
    expect([firstWord(' one two'), firstWord('src/a b'), firstWord('x')]).toEqual([' one', 'src/', 'x']);
  });

  it('and the colours take less than 2 ms per key with 10,000 lines', () => {
    typingTimes(10_000);
    const times = typingTimes(10_000);
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(2);
  });
});

it.each([
  ['gco', 'git checkout'],
  ['ls; gco', 'ls; git checkout'],
  ['sudo gco', 'sudo git checkout'],
  ['echo gco', 'echo gco'],
  ['"gco', '"gco'],
  ['toString', 'toString'],
])('the abbreviation in %j expands to %j', (text, wanted) => {
  expect(expandAbbreviation(createEditor(text), { gco: 'git checkout' }).text).toBe(wanted);
});

it.each([
  ['cp a b', 'b'],
  ['cp a "b c"', '"b c"'],
  ['cp a b\\ c', 'b\\ c'],
  ['', undefined],
])('the last word of %j is %j', (line, wanted) => {
  expect(lastWord(line)).toBe(wanted);
});
