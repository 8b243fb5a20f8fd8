import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTasks } from '../../src/session/norris.ts';

const word = fc.stringMatching(/^[a-z][a-z0-9 /.*-]{0,60}[a-z]$/);
const noise = fc.constantFrom(
  '',
  '```',
  'Here is a plan:',
  'CMD: ls',
  '- TASK: no',
  'task: no',
  'TASK:',
  'GOAL: complete',
);
const blanks = fc.constantFrom('', ' ', '\t', '   ');

describe('a plan', () => {
  it('is parsed into its tasks, in order and up to the limit, whatever text is between them', () => {
    const line = fc.tuple(word, blanks, blanks, noise);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.integer({ min: 1, max: 16 }), (lines, most) => {
        const text = lines.map(([task, before, after, other]) => `${other}\n${before}TASK:${after}${task}${after}`);
        const { list, more } = parseTasks(text.join('\n'), true, most);
        expect(list).toEqual(lines.map(([task]) => task).slice(0, most));
        expect(more).toBe(lines.length > most);
      }),
    );
  });

  it('is parsed in linear time, and never has an empty or overlong task', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 400 }), { maxLength: 50 }), (lines) => {
        const { list } = parseTasks(lines.map((line) => `TASK: ${line}`).join('\n'), true, 16);
        for (const task of list) {
          expect(task.trim()).not.toBe('');
          expect([...task].length).toBeLessThanOrEqual(120);
        }
      }),
    );
    // 4 MB of blanks, which a greedy pattern would scan again and again.
    expect(parseTasks(`TASK: ${' '.repeat(1 << 22)}`, true, 16).list).toEqual([]);
  });
});
