import { describe, expect, it } from 'vitest';
import type { Patch } from '../../src/tools/patch/patches.ts';
import { applyPatches } from '../../src/tools/patch/tool.ts';
import { cpuMilliseconds } from '../support/cpu-time.ts';

const FILE = 'import a\n\nfunction one() {\n    return 1;\n}\n\nfunction two() {\n    return 2;\n}\n';

function applied(original: string | undefined, ...patches: Patch[]): string {
  const result = applyPatches(original, patches);
  if (!result.ok) throw new Error(result.message);
  return result.text;
}

function refused(original: string | undefined, ...patches: Patch[]): string {
  const result = applyPatches(original, patches);
  if (result.ok) throw new Error(`was applied: ${result.text}`);
  return result.message;
}

const replace = (oldText: string, newText: string): Patch => ({ operation: 'replace', oldText, newText });

describe('a patch operation', () => {
  it.each<[string, string | undefined, Patch, string]>([
    ['replace', 'a b c\n', replace('b', 'B'), 'a B c\n'],
    ['replace with nothing', 'a b c\n', replace(' b', ''), 'a c\n'],
    ['replaceAll', 'a.a.a\n', { ...replace('a', 'aa'), replaceAll: true }, 'aa.aa.aa\n'],
    ['replaceAll from the left', 'aaa\n', { ...replace('aa', 'b'), replaceAll: true }, 'ba\n'],
    ['insert_before', 'a\nb\n', { operation: 'insert_before', oldText: 'b', newText: 'x\n' }, 'a\nx\nb\n'],
    ['insert_after', 'a\nb\n', { operation: 'insert_after', oldText: 'a\n', newText: 'x\n' }, 'a\nx\nb\n'],
    ['insert_after, in the line', 'f(a)\n', { operation: 'insert_after', oldText: 'a', newText: ', b' }, 'f(a, b)\n'],
    ['append_eof', 'a\n', { operation: 'append_eof', newText: 'b\n' }, 'a\nb\n'],
    ['append_eof without a break', 'a\n', { operation: 'append_eof', newText: 'b' }, 'a\nb\n'],
    ['append_eof to no final newline', 'a', { operation: 'append_eof', newText: 'b\n' }, 'a\nb'],
    ['append_eof to nothing', undefined, { operation: 'append_eof', newText: 'b' }, 'b'],
    ['prepend_bof', 'a\n', { operation: 'prepend_bof', newText: '#!/bin/sh' }, '#!/bin/sh\na\n'],
    ['overwrite', 'a\n', { operation: 'overwrite', newText: 'b' }, 'b'],
    ['overwrite of nothing', undefined, { operation: 'overwrite', newText: 'b\r\n' }, 'b\r\n'],
  ])('works: %s', (_, original, patch, text) => {
    expect(applied(original, patch)).toBe(text);
  });

  it('is looked up in the original text, and insertions at one place keep a sensible order', () => {
    expect(
      applied(
        'one\ntwo\n',
        { operation: 'insert_before', oldText: 'two', newText: '<' },
        { operation: 'insert_after', oldText: 'one\n', newText: '>' },
        replace('one', 'two'),
        { operation: 'append_eof', newText: 'end' },
        { operation: 'prepend_bof', newText: 'begin' },
        { operation: 'append_eof', newText: 'END' },
      ),
    ).toBe('begin\ntwo\n><two\nend\nEND\n');
  });
});

describe('line breaks, byte order mark and end of file', () => {
  it.each<[string, string, Patch, string]>([
    ['CRLF is met and kept', 'a\r\nb\r\nc\r\n', replace('a\nb', 'x\ny\nz'), 'x\r\ny\r\nz\r\nc\r\n'],
    ['CRLF from the model into LF', 'a\nb\n', replace('a\r\nb', 'x\r\ny'), 'x\ny\n'],
    ['mixed line breaks follow the lines around', 'a\r\nb\nc\n', replace('b', 'b\nB'), 'a\r\nb\nB\nc\n'],
    ['CRLF, overwrite', 'a\r\nb\r\n', { operation: 'overwrite', newText: 'x\ny\n' }, 'x\r\ny\r\n'],
    ['CRLF, append', 'a\r\nb', { operation: 'append_eof', newText: 'c\n' }, 'a\r\nb\r\nc'],
    ['a CR within a line stays', 'a\rb\nc\n', replace('c', 'd'), 'a\rb\nd\n'],
    ['a byte order mark, prepend', '\ufeffa\n', { operation: 'prepend_bof', newText: 'x\n' }, '\ufeffx\na\n'],
    ['a byte order mark, overwrite', '\ufeffa\n', { operation: 'overwrite', newText: 'x\n' }, '\ufeffx\n'],
    ['a byte order mark in the patch as well', '\ufeffa\n', replace('\ufeffa', '\ufeffb'), '\ufeffb\n'],
    ['no final newline', 'a\nb', replace('b', 'c'), 'a\nc'],
  ])('are kept: %s', (_, original, patch, text) => {
    expect(applied(original, patch)).toBe(text);
  });
});

describe('a match with different blanks', () => {
  it.each<[string, string, Patch, string]>([
    ['different blanks within', 'f(a,  b)\n', replace('f(a, b)', 'f(c)'), 'f(c)\n'],
    [
      'tabs in place of blanks',
      '\tif x:\n\t\ty\n',
      replace('    if x:\n        y', '    if z:\n        y'),
      '\tif z:\n\t\ty\n',
    ],
    [
      'all lines indented less',
      '    if x:\n        y()\n',
      replace('if x:\n    y()', 'if z:\n    w()\nv()'),
      '    if z:\n        w()\n    v()\n',
    ],
    [
      'all lines indented more',
      'if x:\n    y()\n',
      replace('  if x:\n      y()', '  if z:\n      w()\n  v()'),
      'if z:\n    w()\nv()\n',
    ],
    [
      'indented deeper than elsewhere',
      '\ta {\n\t}\n',
      replace('  a {\n  }', '  a {\n  \tb\n  }'),
      '\ta {\n\t\tb\n\t}\n',
    ],
    [
      'indented less than elsewhere',
      '        x  = 1\n',
      replace('    x = 1', '    x = 2\nend'),
      '        x = 2\n    end\n',
    ],
    ['blanks at the end of a line', 'a  \nb\n', replace('a\nb', 'c\nd'), 'c\nd\n'],
    ['in the middle of a line', 'let a  +  b;\n', replace(' a + b', ' c'), 'let c;\n'],
    ['a line break that the last line lacks', 'a\nb', replace('b\n', 'c\n'), 'a\nc'],
    [
      'a missing line break for insert_after',
      'a\nb',
      { operation: 'insert_after', oldText: 'b\n', newText: 'c\n' },
      'a\nb\nc',
    ],
    [
      'insert_before',
      '\tfoo( a )\n',
      { operation: 'insert_before', oldText: '  foo( a )', newText: '  bar()\n' },
      '\tbar()\n\tfoo( a )\n',
    ],
    ['CRLF in the file', '\ta\r\n\tb\r\n', replace('  a\n  b', '  a\n  c'), '\ta\r\n\tc\r\n'],
  ])('is found: %s', (_, original, patch, text) => {
    const result = applyPatches(original, [patch]);
    expect(result).toEqual({ ok: true, text, notes: [expect.stringContaining('patch 1')] });
  });

  it('is not looked for when the exact text exists', () => {
    expect(applied('a  b\na b\n', replace('a b', 'c'))).toBe('a  b\nc\n');
  });
});

describe('a patch is refused with a reason', () => {
  const many = 'x = 1\n'.repeat(12);
  it.each<[string, string | undefined, Patch[], RegExp]>([
    [
      'a typo',
      FILE,
      [replace('    retrun 1;', '')],
      /^patch 1 \(replace\): oldText is not in the file\n {2}closest, line 4:\n {2} {2}\| {5}return 1;/,
    ],
    [
      'another word',
      FILE,
      [replace('function won() {\n    return 1;', '')],
      /closest, line 3:\n.*function one\(\) {\n.*return 1;\n {2}also alike: line 7$/,
    ],
    ['two similar places', FILE, [replace('return 3;', '')], /closest, line 4:\n.*\n {2}also alike: line 8/],
    ['another case of letters', FILE, [replace('Function One() {', '')], /closest, line 3:/],
    ['no similar place', FILE, [replace('SELECT * FROM users', '')], /nothing in it is close/],
    [
      'a change that was made already',
      FILE,
      [replace('return one;', 'return 1;')],
      /newText is there already, at line 4/,
    ],
    [
      'twice',
      FILE,
      [replace('return', 'give')],
      /^patch 1 \(replace\): oldText occurs 2 times \(lines 4, 8\).*replaceAll/,
    ],
    ['overlapping itself', 'aaa\n', [replace('aa', 'b')], /occurs 2 times \(line 1\)/],
    ['many matches', many, [replace('x', 'y')], /occurs 12 times \(lines 1, 2, 3, 4, 5, 6, 7, 8, …\)/],
    [
      'two matches that differ in blanks',
      'a  b\na   b\n',
      [replace('a b', 'c')],
      /but for blanks it is there 2 times \(lines 1, 2\)/,
    ],
    [
      'a random indentation',
      'if x:\n    y\n',
      [replace('if  x:\ny', 'if z:\ny')],
      /indentation, which differs from line to line/,
    ],
    [
      'overlap',
      FILE,
      [replace('one() {\n    return', 'x'), replace('return 1', 'y')],
      /^patch 2 \(replace\): overlaps patch 1 \(replace\) at line 4/,
    ],
    [
      'an insertion into removed text',
      'abc\n',
      [replace('abc', ''), { operation: 'insert_after', oldText: 'b', newText: 'x' }],
      /^patch 2 \(insert_after\): overlaps patch 1/,
    ],
    [
      'overwrite with other patches',
      FILE,
      [replace('one', 'x'), { operation: 'overwrite', newText: 'y' }],
      /^patch 2 \(overwrite\): overlaps every other/,
    ],
    [
      'overwrite with oldText',
      FILE,
      [{ operation: 'overwrite', oldText: 'one', newText: 'y' }],
      /did you mean replace\?/,
    ],
    ['no newText', FILE, [{ operation: 'replace', oldText: 'one' }], /needs newText \(""/],
    ['no oldText', FILE, [{ operation: 'insert_after', newText: 'x' }], /needs oldText/],
    ['empty oldText', FILE, [replace('', 'x')], /needs oldText/],
    ['a missing file', undefined, [replace('a', 'b')], /there is no such file; create it with overwrite/],
    ['no change', FILE, [replace('one', 'one')], /change nothing/],
    ['NUL', FILE, [replace('one', 'a\0b')], /not text/],
    ['half a character', FILE, [replace('one', '\ud800')], /not text/],
    ['too much text', FILE, [replace('one', 'é'.repeat(31 * 1024))], /63491 bytes of text; at most 61440/],
    [
      'a flood of matches',
      'a'.repeat(40_000),
      [{ ...replace('a', 'b'.repeat(60_000)), replaceAll: true }],
      /would be larger than/,
    ],
    ['a change everywhere', 'a'.repeat(60_000), [{ ...replace('a', 'b'), replaceAll: true }], /more than 50000 places/],
    [
      'several mistakes at once',
      FILE,
      [replace('return 7;', ''), replace('one', 'x'), replace('return', '')],
      /^patch 1 \(replace\): oldText is not(.|\n)*\npatch 3 \(replace\): oldText occurs 2/,
    ],
    ['none', FILE, [], /there are no patches/],
  ])('for %s', (_, original, patches, message) => {
    expect(refused(original, ...patches)).toMatch(message);
  });

  it('takes linear time, whatever a model sends', () => {
    const text = `${'ab '.repeat(600_000)}\n`;
    const spent = cpuMilliseconds(() => {
      expect(refused(text, ...Array.from({ length: 5 }, () => replace(`${'ab '.repeat(3_000)}c`, 'x')))).toMatch(
        /not in the file/,
      );
      expect(refused(`${'x = 1\n'.repeat(300_000)}`, replace('x = 2', 'y'))).toMatch(/closest, line 1:/);
    });
    // Character by character it would be minutes.
    expect(spent).toBeLessThan(10_000);
  });
});
