import { expect, test } from 'vitest';
import { type SubAgent, subAgents } from '../../../src/session/delegate.ts';
import { stripStyles } from '../../../src/text/style.ts';
import { lineWidth } from '../../../src/text/wrap.ts';
import { Compositor } from '../../../src/ui/render/compositor.ts';
import { paintOf, THEMES } from '../../../src/ui/render/theme.ts';
import { type RailFacts, railLines, railWidth } from '../../../src/ui/screen/rail.ts';
import { harmless, Machine } from '../../support/machine.ts';
import { FakeTerminal } from '../../support/terminal.ts';

const context = (width: number) => ({ width, theme: THEMES.none, paint: paintOf(THEMES.none) });
const tasks = { list: ['collect the changes', 'build', 'tag'], current: 1, planner: 'cloud' };
const NOTHING: RailFacts = { agents: [], waiting: 0, jobs: [], changed: [], cwd: '/w' };

function job(id: number, command: string, said: string): RailFacts['jobs'][number] {
  const output = { lines: () => [said] };
  return { id, command, owner: 'user', startedAt: 1000, running: { output } } as unknown as RailFacts['jobs'][number];
}

/** Returns two sub-agents: one runs a command, one waits for the user. */
function agents(): readonly SubAgent[] {
  const machine = new Machine();
  machine.send({ type: 'norrisStarted', goal: 'g' });
  machine.says('DELEGATE: write the docs\nDELEGATE: measure the sizes');
  machine.judges(harmless);
  machine.judges(harmless);
  machine.spawns();
  const [first = '', second = ''] = machine.children;
  machine.agentSays(first, 'CMD: npm run docs');
  machine.judges(harmless, false, first);
  machine.send({ type: 'actionStarted', op: machine.opOf(first) }, first);
  machine.agentSays(second, 'CMD: rm -rf .cache');
  machine.judges({ destructive: true, reason: 'rm -rf', source: 'static' }, false, second);
  return subAgents(machine.state);
}

test('the side panel appears where something runs and the screen is wide', () => {
  const busy = { ...NOTHING, jobs: [job(1, 'npm run dev', '')] };
  expect([80, 119, 120, 149, 150, 200].map((columns) => railWidth(columns, busy))).toEqual([0, 0, 36, 36, 46, 46]);
  expect([120, 150].map((columns) => railWidth(columns, { ...NOTHING, tasks }))).toEqual([0, 46]);
  const changed = [{ path: '/w/a.py', how: 'changed' }] as const;
  expect([120, 150].map((columns) => railWidth(columns, { ...NOTHING, changed }))).toEqual([0, 46]);
  expect(railWidth(200, NOTHING)).toBe(0);
});

test('the side panel has the plan, the sub-agents’ actions, and the jobs with their last output', () => {
  const [start = 0] = agents().map(({ run }) => run.startedAt);
  const facts = {
    ...NOTHING,
    tasks,
    agents: agents(),
    waiting: 1,
    jobs: [job(1, 'npm run dev', 'listening on :5173')],
  };
  const lines = railLines(facts, start + 4000, context(46), (text) => text);
  const expected = [
    /^│ plan +2 of 3$/,
    /^│ ✓ collect the changes$/,
    /^│ ▸ build$/,
    /^│ ○ tag$/,
    /^│ $/,
    /^│ sub-agents +2 at work, 1 to come$/,
    /^│ ▸ 1 write the docs +4 s$/,
    /^│ {3}runs npm run docs +step 1\/12$/,
    /^│ ! 2 measure the sizes +\d s$/,
    /^│ {3}waits for you +step 1\/12$/,
    /^│ $/,
    /^│ jobs +1 running$/,
    /^│ ▸ \[1\] npm run dev +4 s$/,
    /^│ {3}listening on :5173$/,
  ];
  expect(lines).toHaveLength(expected.length);
  for (const [at, pattern] of expected.entries()) expect(stripStyles(lines[at] ?? '')).toMatch(pattern);
});

test('nothing in the side panel exceeds its width, whatever the commands are', () => {
  const long = {
    ...NOTHING,
    tasks: { ...tasks, list: ['目'.repeat(80), 'x'.repeat(200), 'a\u202eb'] },
    agents: agents(),
  };
  const jobs = [job(1, 'echo a\necho b', '\x1b[31mred\x1b[0m'.repeat(30)), job(22, 'y'.repeat(300), '')];
  for (const line of railLines({ ...long, jobs }, 5000, context(36), (text) => text)) {
    expect(lineWidth(line)).toBeLessThanOrEqual(36);
    expect(stripStyles(line)).not.toMatch(/[\n\u202e]/);
  }
});

test('everything beside the side panel is cut, even what is painted between two frames', async () => {
  const display = new FakeTerminal(20, 3);
  const compositor = new Compositor({ write: (text) => display.write(text), columns: 20, rows: 3 });
  let said = 'a line that is much too long';
  const surface = { measure: () => ({ y: 0, height: 1 }), lines: () => [said] };
  compositor.add(surface);
  compositor.side = { columns: 6, rows: 2, lines: ['│ one', '│ two'] };
  compositor.frame('\nbelow\nprompt goes over all');
  compositor.flush();
  await display.settled();
  expect(display.text().split('\n')).toEqual(['a line that is│ one', 'below         │ two', 'prompt goes over all']);
  said = 'short';
  compositor.paint(surface);
  await display.settled();
  expect(display.text().split('\n')[0]).toBe('short         │ one');
  compositor.side = undefined;
  compositor.flush();
  await display.settled();
  expect(display.text().split('\n')).toEqual(['short', 'below', 'prompt goes over all']);
});

test('the side panel names a run’s first changed files by relative paths, escaped', () => {
  const files = ['/w/src/a.py', '/elsewhere/b', '/w/\x1b[2Jc'].map((path) => ({ path, how: 'changed' }) as const);
  const many = Array.from({ length: 9 }, (_, at) => ({ path: `/w/${at}`, how: 'created' }) as const);
  const rows = (changed: RailFacts['changed']) => railLines({ ...NOTHING, changed }, 0, context(46), (text) => text);
  expect(rows(files).map(stripStyles)).toEqual([
    expect.stringMatching(/^│ changed so far +:undo run$/),
    expect.stringMatching(/^│ src\/a\.py +changed$/),
    expect.stringMatching(/^│ \/elsewhere\/b +changed$/),
    expect.stringMatching(/^│ [^\x1b]+c +changed$/),
  ]);
  expect(rows(many)).toHaveLength(10);
  expect(stripStyles(rows(many).at(-1) ?? '')).toBe('│ 1 more');
});
