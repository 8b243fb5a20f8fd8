import { describe, expect, it } from 'vitest';
import { paintOf, THEMES } from '../../../src/ui/render/theme.ts';
import { type RunFacts, runHeaderLines } from '../../../src/ui/screen/progress.ts';

const facts: RunFacts = {
  goal: 'make the rotation test pass',
  startedAt: 0,
  now: 48_000,
  tasks: { list: ['find what is left', 'mend the test', 'build', 'report'], current: 1, planner: 'cloud' },
};
const lines = (change: Partial<RunFacts> = {}, rows = 30, width = 100) =>
  runHeaderLines({ ...facts, ...change }, rows, { width, paint: paintOf(THEMES.none), theme: THEMES.none }).map(
    (line) => line.replaceAll(/\x1b\[[\d;]*m/g, ''),
  );

describe('the header of a run', () => {
  it('shows the goal and progress, and ticks off the plan', () => {
    const [title, ...plan] = lines();
    expect(title).toMatch(/^\[NORRIS\] make the rotation test pass +task 2 of 4 · 48 s *$/);
    expect(plan).toEqual(['  ✓ find what is left', '  ▸ mend the test', '  ○ build', '  ○ report', '─'.repeat(100)]);
  });

  it('shows a long plan around the current task', () => {
    const list = Array.from({ length: 20 }, (_, n) => `task ${n + 1}`);
    const plan = lines({ tasks: { list, current: 10, planner: 'cloud' } }).slice(1, -1);
    expect(plan).toHaveLength(6);
    expect(plan[0]).toBe('  ✓ task 9');
    expect(plan[2]).toBe('  ▸ task 11');
  });

  it('shrinks on a small screen: first the plan disappears, then the whole header', () => {
    expect(lines({}, 15)).toHaveLength(1);
    expect(lines({}, 8)).toEqual([]);
  });

  it('never exceeds the screen’s width, and escapes deceptive characters', () => {
    const [title = ''] = lines({ goal: `a${'\x1b[2J'}b ${'x'.repeat(300)}` }, 30, 60);
    expect([...title].length).toBeLessThanOrEqual(60);
    expect(title).not.toContain('\x1b');
  });
});
