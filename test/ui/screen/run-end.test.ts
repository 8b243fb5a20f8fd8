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

it('the end of a run starts with its status, and continues below it, not in the gutter', () => {
  const reason = 'the tests can’t be run here: the compiler is not installed, and there is no network to get it by';
  const lines = norrisEndedLines({ ...ended, status: 'blocked', reason }, context).map(stripStyles);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^! blocked: the tests/);
  expect(lines[1]).toMatch(/^ {2}\S.* · 2 steps · 1 command · 2\.0 s$/);
  expect(textOf(ended)).toBe('✓ done · 2 steps · 1 command · 2.0 s');
});
