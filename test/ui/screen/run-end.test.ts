/** The end of a run on screen. */
import { expect, it } from 'vitest';
import { stripStyles } from '../../../src/text/style.ts';
import { paintOf, THEMES } from '../../../src/ui/render/theme.ts';
import { norrisEndedLines } from '../../../src/ui/screen/entries/norris.ts';

const context = { width: 80, theme: THEMES.dark, paint: paintOf(THEMES.dark) };
type Ended = Parameters<typeof norrisEndedLines>[0];

const ended: Ended = {
  ...{ kind: 'norrisEnded', status: 'done', steps: 2, commands: 1, skips: 0, milliseconds: 2000 },
};
const tokens = { promptTokens: 100, completionTokens: 10 };
const textOf = (entry: Ended) => norrisEndedLines(entry, context).map(stripStyles).join('\n');

it('the end of a run names its cost, and no dollars if nothing was paid', () => {
  expect(textOf({ ...ended, cost: { ...tokens, dollars: 0.012 } })).toContain('· $0.012');
  expect(textOf({ ...ended, cost: { ...tokens, dollars: 0 } })).not.toContain('$');
});

it('the end of a run begins with its result, with the reason below, beside a bar', () => {
  const reason = 'the tests can’t be run here: the compiler is not installed, and there is no network to get it by';
  const lines = norrisEndedLines({ ...ended, status: 'blocked', reason }, context).map(stripStyles);
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^! blocked {2,}2 steps · 1 command · 2\.0 s$/);
  expect(lines[1]).toMatch(/^│ the tests/);
  expect(lines[2]).toMatch(/^│ \S/);
  expect(textOf(ended)).toMatch(/^✓ done {2,}2 steps · 1 command · 2\.0 s$/);
});

it('the end of a run lists the steps of each task, and the questions to the user', () => {
  const tale = {
    goal: 'make the test pass',
    maxSteps: 16,
    tasks: [
      { text: 'find what is left', steps: 2 },
      { text: 'mend the test', steps: 1 },
      { text: 'report', steps: 0 },
    ],
    asked: ['approved: rm app.log'],
  };
  const lines = norrisEndedLines(ended, context, tale).map(stripStyles);
  expect(lines[0]).toMatch(/^✓ done {2}make the test pass {2,}2 of 16 steps · 1 command · 2\.0 s$/);
  expect(lines.slice(1).map((line) => line.replace(/ {4,}/, ' … '))).toEqual([
    '│ ✓ find what is left … 2 steps',
    '│ ✓ mend the test … 1 step',
    '│ ○ report',
    '│ ',
    '│ you were asked once',
    '│   approved: rm app.log',
  ]);
});
