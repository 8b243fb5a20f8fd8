import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommandResult } from '../../src/session/action.ts';
import { clip, formatForModel, MAX_OUTPUT_CHARS, outputLimit, plainOutput } from '../../src/session/exec-text.ts';

const result = (given: Partial<CommandResult>): CommandResult => ({
  exit: 0,
  cwd: '/home/u',
  head: '',
  tail: '',
  omittedLines: 0,
  bytes: 0,
  milliseconds: 1,
  ...given,
});

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('');

describe('clip', () => {
  it('keeps the first 40 % and last 60 %, cut at line ends, and says what is missing', () => {
    const text = numbered(1, 5000);
    const clipped = clip(text, 1000, '/data/full.txt');
    const [head = '', tail = ''] = clipped.split(/\[.*\]\n/);
    expect(clipped).toMatch(/\n\[\d+ lines omitted, full text: \/data\/full\.txt\]\n/);
    expect(text.startsWith(head) && head.endsWith('\n')).toBe(true);
    expect(text.endsWith(tail) && tail.startsWith('line ')).toBe(true);
    expect(head.length).toBeGreaterThan(380);
    expect(tail.length).toBeGreaterThan(580);
    const omitted = Number(/\[(\d+) lines/.exec(clipped)?.[1]);
    expect(head.split('\n').length - 1 + omitted + tail.split('\n').length - 1).toBe(5000);
  });

  it('stays within its limit and counts every lost part, for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '\n', '😀', 'bc') }),
        fc.integer({ min: 10, max: 60 }),
        (text, limit) => {
          const clipped = clip(text, limit);
          expect(clipped.length).toBeLessThanOrEqual(limit + 30);
          expect(clipped).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
          if (text.length <= limit) expect(clipped).toBe(text);
        },
      ),
    );
  });
});

describe('formatForModel', () => {
  it('puts command, exit code and directory around the plain output', () => {
    expect(formatForModel(result({ head: '\x1b[31mno\x1b[0m', exit: 2 }), 'grep x')).toBe(
      '$ grep x\nno\n[exit 2, cwd /home/u]',
    );
    expect(formatForModel(result({ exit: null, note: 'could not start: x' }), 'y')).toBe(
      '$ y\n(no output)\n[exit unknown, could not start: x, cwd /home/u]',
    );
  });

  it('omits the command that the model has just sent', () => {
    expect(formatForModel(result({ head: 'no', exit: 2 }))).toBe('no\n[exit 2, cwd /home/u]');
  });

  it('uses at most a tenth of a small window, and names the file with the rest', () => {
    expect([4096, 8192, 32_768, undefined].map(outputLimit)).toEqual([1638, 3276, 8000, 8000]);
    const text = formatForModel(result({ head: numbered(1, 2000), file: '/f' }), undefined, outputLimit(4096));
    expect(text.length).toBeLessThan(1800);
    expect(text).toMatch(/^line 1\n[\s\S]*\[\d+ lines omitted, full text: \/f\][\s\S]*line 2000\n\[exit 0/);
  });

  it('counts lines that the result had already omitted', () => {
    const text = plainOutput(
      result({ head: numbered(1, 2000), tail: numbered(8001, 10_000), omittedLines: 6000, file: '/f' }),
    );
    const omitted = Number(/\[(\d+) lines omitted, full text: \/f\]/.exec(text)?.[1]);
    expect(text.split('\n').filter((line) => line.startsWith('line ')).length + omitted).toBe(10_000);
    expect(text.startsWith('line 1\n')).toBe(true);
    expect(text.endsWith('line 10000\n')).toBe(true);
    expect(text.length).toBeLessThan(MAX_OUTPUT_CHARS + 60);
  });
});
