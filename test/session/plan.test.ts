import { describe, expect, it } from 'vitest';
import { composeMessages } from '../../src/session/context.ts';
import { parseTasks } from '../../src/session/norris.ts';
import { SEMANTICS } from '../../src/session/state.ts';
import { bash, deadly, harmless, Machine, reply } from '../support/machine.ts';

const PLAN = 'TASK: find the files\nTASK: stat them\nTASK: report';

/** A run that was planned as `plan` says, at its first step. */
function planned(
  plan = PLAN,
  change: { tasksMax?: number; maxNorrisSteps?: number; semantics?: typeof SEMANTICS } = {},
): Machine {
  const machine = new Machine({ preplanner: 'cloud', executorPreset: 'fast', tasksMax: 16, ...change });
  machine.send({ type: 'norrisStarted', goal: 'sizes of logs' });
  plans(machine, plan);
  return machine;
}

function plans(machine: Machine, text: string, extra: Parameters<typeof reply>[2] = {}): void {
  machine.send({ type: 'replyEnded', op: machine.op, reply: reply(text, [], { preset: 'cloud', ...extra }) });
}

/** One whole step: a harmless command that runs. */
function step(machine: Machine, command = 'ls'): void {
  machine.says(`CMD: ${command}`);
  machine.judges(harmless);
  machine.runs('x\n');
}

const notices = (machine: Machine) => machine.shown.flatMap((entry) => (entry.kind === 'notice' ? [entry.text] : []));
const ending = (machine: Machine) => machine.shown.findLast((entry) => entry.kind === 'norrisEnded');
const lastMessage = (machine: Machine) => composeMessages(machine.conversation, 'S').at(-1)?.content;
const called = (machine: Machine) => machine.last.find((effect) => effect.kind === 'callModel');

describe('TASK: lines', () => {
  it.each([
    ['leading blanks and fences are tolerated', '```\n  TASK: a\n\tTASK:b\n```', ['a', 'b']],
    [
      'prose, empty tasks and other markers are not tasks',
      'Plan:\nTASK:\nTASK:   \nCMD: ls\n1. TASK: no\nTASK: a ',
      ['a'],
    ],
  ])('%s', (_, text, tasks) => {
    expect(parseTasks(text, true, 16)).toEqual({ list: tasks, more: false });
  });

  it('are capped, and half of one at a token limit is none', () => {
    expect(parseTasks('TASK: a\nTASK: b\nTASK: c', true, 2)).toEqual({ list: ['a', 'b'], more: true });
    expect(parseTasks('TASK: a\nTASK: remove /tm', false, 16).list).toEqual(['a']);
  });

  it('are shortened where they would crowd every call', () => {
    expect(parseTasks(`TASK: ${'long '.repeat(100)}`, true, 16).list[0]).toHaveLength(120);
  });
});

describe('a planned run', () => {
  it('asks the preplanner once, shows the tasks, and gives one a step', () => {
    const machine = new Machine({ preplanner: 'cloud', executorPreset: 'fast', tasksMax: 3 });
    machine.send({ type: 'norrisStarted', goal: 'sizes of logs' });
    expect(machine.phase.kind).toBe('planning');
    expect(machine.last).toContainEqual(
      expect.objectContaining({ kind: 'preplan', preset: 'cloud', goal: 'sizes of logs', tasksMax: 3 }),
    );
    plans(machine, PLAN);
    expect(machine.shown).toContainEqual({
      kind: 'plan',
      preset: 'cloud',
      tasks: ['find the files', 'stat them', 'report'],
    });
    expect(called(machine)).toMatchObject({ preset: 'fast', category: 'norris' });
    expect(lastMessage(machine)).toMatch(/\[aish\] Current step 1\/3: find the files$/);
    step(machine);
    expect(lastMessage(machine)).toMatch(/Current step 2\/3: stat them$/);
    expect(machine.shown).toContainEqual({
      kind: 'norrisStep',
      step: 2,
      maxSteps: 4,
      task: { k: 2, n: 3, text: 'stat them' },
    });
    expect(machine.effects.filter((effect) => effect.kind === 'preplan')).toHaveLength(1);
  });

  it('keeps plan and task out of the turns, so that what was sent before stays as it was', () => {
    const machine = planned();
    const first = composeMessages(machine.conversation, 'S');
    step(machine);
    const second = composeMessages(machine.conversation, 'S');
    expect(second.slice(0, 1)).toEqual(first.slice(0, 1));
    expect(second[1]?.content).toBe('Goal: sizes of logs');
    expect(first[1]?.content).toBe('Goal: sizes of logs\n\n[aish] Current step 1/3: find the files');
    expect(JSON.stringify(machine.conversation.turns)).not.toMatch(/Current step|TASK:/);
    expect(machine.conversation.preplans).toMatchObject([{ after: 1, preset: 'cloud', text: PLAN }]);
  });

  it('ends with one report, whose actions are answered but not run, as tasks_complete', () => {
    const machine = planned('TASK: only one');
    step(machine);
    expect(lastMessage(machine)).toMatch(/All tasks are through/);
    machine.says('Two files.\nCMD: rm -rf /', bash('c1', 'ls'));
    expect(machine.phase.kind).toBe('idle');
    expect(ending(machine)).toMatchObject({ status: 'tasks_complete', steps: 1, commands: 1 });
    expect(machine.conversation.turns.at(-1)).toMatchObject({ kind: 'result', callId: 'c1' });
    expect(notices(machine)).toContain("[aish] not run: 2 of the report's own actions");
    expect(machine.conversation.lastTasks).toBeUndefined();
  });

  it('reports even when the last task used up the budget', () => {
    const machine = planned('TASK: a\nTASK: b', { maxNorrisSteps: 2 });
    step(machine);
    step(machine);
    machine.says('done');
    expect(ending(machine)).toMatchObject({ status: 'tasks_complete', steps: 2 });
  });

  it('ends early by GOAL: complete', () => {
    const machine = planned();
    machine.says('CMD: ls\nGOAL: complete');
    machine.judges(harmless);
    machine.runs('x\n');
    expect(ending(machine)).toMatchObject({ status: 'done', steps: 1 });
  });

  it('takes an answer in words as the task’s result, and an empty one as a stall', () => {
    const machine = planned('TASK: find the files\nTASK: format and report', { semantics: SEMANTICS });
    step(machine);
    machine.says('There are two files, 4 kB in all.');
    expect(lastMessage(machine)).toMatch(/All tasks are through/);
    machine.says('done');
    expect(ending(machine)).toMatchObject({ status: 'tasks_complete' });
    const silent = planned(PLAN, { semantics: SEMANTICS });
    silent.says(' ');
    expect(silent.phase.kind).toBe('replying');
    silent.says(' ');
    expect(ending(silent)).toMatchObject({ status: 'stalled' });
    expect(silent.conversation.lastTasks).toMatchObject({ current: 0 });
  });

  it('folds what an earlier version wrote as it was then: words alone were a stall', () => {
    const machine = planned();
    machine.says('hm');
    expect(ending(machine)).toMatchObject({ status: 'stalled' });
  });

  it('moves on after a skip, and names the task in the HALT', () => {
    const machine = planned();
    machine.says('CMD: rm -rf x');
    machine.judges(deadly);
    expect(machine.state.questions[0]).toMatchObject({ task: { k: 1, n: 3, text: 'find the files' } });
    machine.answers('skip');
    expect(lastMessage(machine)).toMatch(/Current step 2\/3: stat them$/);
  });

  it('truncates a plan over the cap with a word', () => {
    const machine = planned(PLAN, { tasksMax: 2 });
    expect(notices(machine)).toContain('[aish] preplan emitted >2 tasks; truncated');
    expect(machine.shown).toContainEqual(
      expect.objectContaining({ kind: 'plan', tasks: ['find the files', 'stat them'] }),
    );
  });
});

describe('a preplanner that does not plan', () => {
  it.each([
    [
      'a failure',
      { finish: 'failed', failure: { kind: 'unknown-preset', message: 'there is no preset called cloud' } },
      '[aish] preplan failed: there is no preset called cloud; running single-model',
    ],
    ['prose', { text: 'I would first look around.' }, '[aish] preplan produced no TASK lines; running single-model'],
  ] as const)('falls back to one model after %s, with one line', (_, extra, line) => {
    const machine = new Machine({ preplanner: 'cloud', tasksMax: 16 });
    machine.send({ type: 'norrisStarted', goal: 'g' });
    plans(machine, '', extra);
    expect(notices(machine)).toEqual([line]);
    expect(called(machine)).toMatchObject({ preset: 'fast', category: 'norris' });
    expect(lastMessage(machine)).toBe('Goal: g');
    step(machine);
    expect(lastMessage(machine)).not.toMatch(/Current step/);
  });

  it('is aborted like any other call, without falling back', () => {
    const machine = new Machine({ preplanner: 'cloud' });
    machine.send({ type: 'norrisStarted', goal: 'g' });
    const { op } = machine;
    machine.send({ type: 'aborted' });
    expect(machine.last).toContainEqual({ kind: 'cancel', session: 'main', op });
    machine.send({ type: 'replyEnded', op, reply: reply('TASK: a', [], { finish: 'cancelled' }) });
    expect(machine.phase.kind).toBe('idle');
    expect(ending(machine)).toMatchObject({ status: 'aborted' });
    expect(machine.effects.some((effect) => effect.kind === 'callModel')).toBe(false);
    expect(machine.conversation.turns).toHaveLength(1);
  });

  it('that is not set is not asked, and the conversation is what it was before there were plans', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisStarted', goal: 'g' });
    expect(machine.phase.kind).toBe('replying');
    expect(composeMessages(machine.conversation, 'S').slice(1)).toEqual([{ role: 'user', content: 'Goal: g' }]);
  });
});

describe(':norris continue', () => {
  it('goes on with the unfinished tasks, a fresh budget and the same context, without a plan', () => {
    const machine = planned(PLAN, { maxNorrisSteps: 2 });
    step(machine);
    step(machine);
    expect(ending(machine)).toMatchObject({ status: 'budget_exhausted' });
    const turns = machine.conversation.turns.length;
    machine.send({ type: 'norrisContinued' });
    expect(lastMessage(machine)).toMatch(/go on with the goal: sizes of logs\n\n\[aish\] Current step 3\/3: report$/);
    expect(machine.conversation.turns).toHaveLength(turns + 1);
    expect(machine.phase).toMatchObject({ run: { step: 1, goal: 'sizes of logs' } });
    expect(machine.effects.filter((effect) => effect.kind === 'preplan')).toHaveLength(1);
  });

  it('repeats the task that an abort broke off, also after the program was closed', () => {
    const machine = planned();
    step(machine);
    machine.says('CMD: rm -rf x');
    machine.judges(deadly);
    machine.answers('abort');
    machine.send({ type: 'resumed', settings: machine.conversation.settings });
    machine.send({ type: 'norrisContinued' });
    expect(lastMessage(machine)).toMatch(/Current step 2\/3: stat them$/);
  });

  it('has no tasks left after a reset, which took away what they were part of', () => {
    const machine = planned();
    machine.send({ type: 'aborted' });
    machine.send({ type: 'replyEnded', op: machine.op, reply: reply('', [], { finish: 'cancelled' }) });
    expect(machine.conversation.lastTasks).toMatchObject({ current: 0 });
    machine.send({ type: 'turnsReset' });
    machine.send({ type: 'norrisContinued' });
    expect(lastMessage(machine)).toBe('[aish] go on with the goal: sizes of logs');
  });

  it('says so where there is no goal', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisContinued' });
    expect(machine.phase.kind).toBe('idle');
    expect(notices(machine)).toEqual(['[aish] there is no goal to continue yet']);
  });
});
