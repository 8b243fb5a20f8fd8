import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortPath, textWidth } from '../../../src/text/display.ts';
import { fitSegments } from '../../../src/ui/render/segments.ts';
import { paintOf, THEMES } from '../../../src/ui/render/theme.ts';
import { bytes, duration } from '../../../src/ui/screen/entries/frame.ts';
import { layoutQuestion } from '../../../src/ui/screen/halt/layout.ts';
import { wordsOf } from '../../../src/ui/screen/halt/words.ts';
import { layoutOf } from '../../../src/ui/screen/prompt-view.ts';
import { deadly } from '../../support/machine.ts';

const question = (command: string) =>
  wordsOf({
    id: 'q1',
    session: 'main',
    kind: 'halt',
    action: { kind: 'command', command, job: false },
    judgement: deadly,
    why: 'destructive',
    cwd: '/work',
    mode: 'unrestricted',
  });

describe('the rows of the screen', () => {
  it('always add up to the terminal’s height', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 200 }), fc.integer({ min: 0, max: 500 }), (rows, lines) => {
        const { main, prompt, status } = layoutOf(rows, lines);
        expect(main + prompt + status).toBe(rows);
      }),
    );
  });

  it('of a question fit, and every line of its action can be scrolled to', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        // The heights start with the smallest supported screen (UI-1), less prompt and status.
        fc.integer({ min: 40, max: 120 }),
        fc.integer({ min: 6, max: 40 }),
        (command, columns, rows) => {
          const at = (top: number) => layoutQuestion(question(command), { columns, rows, bottom: rows, top });
          const first = at(0);
          expect(first.height).toBeLessThanOrEqual(rows);
          expect(first.body.length === 0 || first.shown > 0).toBe(true);
          const last = at(Number.MAX_SAFE_INTEGER);
          expect(last.top + last.shown).toBe(last.body.length);
          expect(first.buttons.every((button) => button.y < rows)).toBe(true);
        },
      ),
    );
  });
});

describe('a question on a small screen', () => {
  const path = `/work/${'deep/'.repeat(20)}end`;
  const asked = (mode: 'restricted' | 'unrestricted') =>
    wordsOf({
      id: 'q1',
      session: 'main',
      kind: 'halt',
      action: { kind: 'command', command: 'rm -rf build', job: false },
      judgement: deadly,
      why: 'destructive',
      cwd: path,
      mode,
      offers: ['project', 'unrestricted'],
      asker: { agent: 1, task: 'tidy' },
    });

  it('shortens the directory at its beginning, and never the mode and notes behind it', () => {
    const { place } = layoutQuestion(asked('unrestricted'), { columns: 80, rows: 22, bottom: 22, top: 0 });
    expect(place).toMatch(/^in ….*end · unrestricted · abort ends only this sub-agent$/);
    expect(textWidth(place)).toBeLessThanOrEqual(74);
  });

  it('shows what is dangerous before what the mode blocks', () => {
    const small = layoutQuestion(asked('restricted'), { columns: 40, rows: 10, bottom: 10, top: 0 });
    expect(small.reasons).toEqual([]);
    expect(small.body[0]).toMatchObject({ kind: 'verb' });
    expect(small.body.map(({ text }) => text).join(' ')).toContain('mode will block this');
    const large = layoutQuestion(asked('restricted'), { columns: 80, rows: 22, bottom: 22, top: 0 });
    expect(large.reasons.join(' ')).toContain('mode will block this');
  });

  it('has its keys in a column in the help, including those of a wider mode', () => {
    const words = wordsOf(
      {
        id: 'q1',
        session: 'main',
        kind: 'halt',
        action: { kind: 'command', command: 'rm -rf build', job: false },
        judgement: deadly,
        why: 'destructive',
        cwd: '/work',
        mode: 'restricted',
        offers: ['project', 'unrestricted'],
      },
      { help: true },
    );
    const rows = layoutQuestion(words, { columns: 80, rows: 30, bottom: 30, top: 0 }).body.map(({ text }) => text);
    expect(rows.find((row) => row.startsWith('y'))).toContain('Project');
    expect(new Set(rows.map((row) => /^(?:\S+(?: \S+)? +| +)/.exec(row)?.[0].length))).toEqual(new Set([15]));
  });
});

describe('the status line', () => {
  it('is exactly as wide as the screen, and keeps the most important segment', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 20, max: 200 }),
        fc.array(fc.string({ maxLength: 30 }), { maxLength: 6 }),
        (columns, texts) => {
          const segments = [{ text: 'MODE', weight: 9 }, ...texts.map((text) => ({ text, weight: 1 }))];
          const line = fitSegments(segments, { text: '/some/where', weight: 0 }, columns, {
            paint: paintOf(THEMES.none),
            role: 'status',
          });
          expect(textWidth(line)).toBe(columns);
          expect(line).toContain('MODE');
        },
      ),
    );
  });
});

it('durations, sizes and paths are shown in readable units', () => {
  expect([0, 999, 1000, 59_949, 125_000, 3_840_000].map(duration)).toEqual([
    '0 ms',
    '999 ms',
    '1.0 s',
    '59.9 s',
    '2 min 5 s',
    '1 h 4 min',
  ]);
  expect([999, 1500, 56_000, 3_000_000].map(bytes)).toEqual(['999 B', '1.5 kB', '56 kB', '3.0 MB']);
  expect([shortPath('/home/me/x', '/home/me'), shortPath('/home/meme', '/home/me')]).toEqual(['~/x', '/home/meme']);
});
