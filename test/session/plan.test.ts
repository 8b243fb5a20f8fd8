import { describe, expect, it } from 'vitest';
import { composeMessages } from '../../src/session/context.ts';
import type { Answer, SessionEvent } from '../../src/session/event.ts';
import { parseTasks } from '../../src/session/norris.ts';
import { reduce } from '../../src/session/reduce.ts';
import { emptyState, SEMANTICS, type Settings, type State } from '../../src/session/state.ts';
import { bash, deadly, harmless, Machine, reply } from '../support/machine.ts';

const PLAN = 'TASK: find the files\nTASK: stat them\nTASK: report';

/** A run with `plan` as its plan, at its first step. */
function planned(plan = PLAN, change: Partial<Settings> = {}): Machine {
  const machine = new Machine({ preplanner: 'cloud', executorPreset: 'fast', tasksMax: 16, ...change });
  machine.send({ type: 'norrisStarted', goal: 'sizes of logs' });
  plans(machine, plan);
  return machine;
}

function plans(machine: Machine, text: string, extra: Parameters<typeof reply>[2] = {}): void {
  machine.send({ type: 'replyEnded', op: machine.op, reply: reply(text, [], { preset: 'cloud', ...extra }) });
}

/** The settings of a current session. */
const NOW = { semantics: SEMANTICS } as const;

/** Answers the question about a plan. */
function answersPlan(machine: Machine, answer: Answer): void {
  const [question] = machine.state.questions;
  if (question?.kind !== 'plan') throw new Error('no plan waits');
  machine.send({ type: 'answered', question: question.id, answer });
}

function foldOf(events: readonly SessionEvent[]): State {
  return events.reduce((state, event) => reduce(state, event)[0], emptyState('main'));
}

/** Returns the session after a fold of its journal and a resume. */
function resumed(machine: Machine): Machine {
  const copy = new Machine();
  copy.state = foldOf(machine.events);
  expect(copy.state).toEqual(machine.state);
  copy.send({ type: 'resumed', settings: machine.conversation.settings });
  return copy;
}

const asked = (machine: Machine) => machine.last.find((effect) => effect.kind === 'preplan');
const tasksOf = ({ phase }: Machine) => ('run' in phase && phase.run.kind === 'norris' ? phase.run.tasks : undefined);

/** Plays one complete step: a harmless command that runs. */
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
  ])('are parsed so that %s', (_, text, tasks) => {
    expect(parseTasks(text, true, 16)).toEqual({ list: tasks, more: false });
  });

  it('are limited in number, and one cut by the token limit is dropped', () => {
    expect(parseTasks('TASK: a\nTASK: b\nTASK: c', true, 2)).toEqual({ list: ['a', 'b'], more: true });
    expect(parseTasks('TASK: a\nTASK: remove /tm', false, 16).list).toEqual(['a']);
  });

  it('are shortened when they are long, since every call contains them', () => {
    expect(parseTasks(`TASK: ${'long '.repeat(100)}`, true, 16).list[0]).toHaveLength(120);
  });
});

describe('a planned run', () => {
  it('asks the preplanner once, shows the tasks, and gives one to each step', () => {
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

  it('keeps plan and task out of the turns, so that earlier requests stay a prefix', () => {
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

  it('ends as tasks_complete with one report, whose actions are answered but not run', () => {
    const machine = planned('TASK: only one');
    step(machine);
    expect(lastMessage(machine)).toMatch(/All tasks are through/);
    machine.says('Two files.\nCMD: rm -rf /', bash('c1', 'ls'));
    expect(machine.phase.kind).toBe('idle');
    expect(ending(machine)).toMatchObject({ status: 'tasks_complete', steps: 1, commands: 1 });
    expect(machine.conversation.turns.at(-1)).toMatchObject({ kind: 'result', callId: 'c1' });
    expect(notices(machine)).toContain('[aish] ignored 2 commands in the final report');
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

  it('accepts a text answer as the task’s result, and counts an empty one as a stall', () => {
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
    plans(silent, 'no other way');
    expect(ending(silent)).toMatchObject({ status: 'stalled' });
    expect(silent.conversation.lastTasks).toMatchObject({ current: 0 });
  });

  it('replays older journals as before: a text answer counted as a stall', () => {
    const machine = planned();
    machine.says('hm');
    expect(ending(machine)).toMatchObject({ status: 'stalled' });
  });

  it('continues after a skip, and the HALT names the task', () => {
    const machine = planned();
    machine.says('CMD: rm -rf x');
    machine.judges(deadly);
    expect(machine.state.questions[0]).toMatchObject({ task: { k: 1, n: 3, text: 'find the files' } });
    machine.answers('skip');
    expect(lastMessage(machine)).toMatch(/Current step 2\/3: stat them$/);
  });

  it('cuts a plan over the limit, with a message', () => {
    const machine = planned(PLAN, { tasksMax: 2 });
    expect(notices(machine)).toContain('[aish] preplan emitted >2 tasks; truncated');
    expect(machine.shown).toContainEqual(
      expect.objectContaining({ kind: 'plan', tasks: ['find the files', 'stat them'] }),
    );
  });
});

describe('a preplanner that fails', () => {
  it.each([
    [
      'a failure',
      { finish: 'failed', failure: { kind: 'unknown-preset', message: 'there is no preset called cloud' } },
      '[aish] preplan failed: there is no preset called cloud; running single-model',
    ],
    ['prose', { text: 'I would first look around.' }, '[aish] preplan produced no TASK lines; running single-model'],
  ] as const)('falls back to one model after %s, with a message of one line', (_, extra, line) => {
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

  it('is not asked when none is set, and the conversation is the same as before plans existed', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisStarted', goal: 'g' });
    expect(machine.phase.kind).toBe('replying');
    expect(composeMessages(machine.conversation, 'S').slice(1)).toEqual([{ role: 'user', content: 'Goal: g' }]);
  });
});

describe(':norris continue', () => {
  it('continues the unfinished tasks with a fresh budget and the same context, without a new plan', () => {
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

  it('repeats the task that an abort interrupted, also after the program was closed', () => {
    const machine = planned();
    step(machine);
    machine.says('CMD: rm -rf x');
    machine.judges(deadly);
    machine.answers('abort');
    machine.send({ type: 'resumed', settings: machine.conversation.settings });
    machine.send({ type: 'norrisContinued' });
    expect(lastMessage(machine)).toMatch(/Current step 2\/3: stat them$/);
  });

  it('has no tasks after a reset', () => {
    const machine = planned();
    machine.send({ type: 'aborted' });
    machine.send({ type: 'replyEnded', op: machine.op, reply: reply('', [], { finish: 'cancelled' }) });
    expect(machine.conversation.lastTasks).toMatchObject({ current: 0 });
    machine.send({ type: 'turnsReset' });
    machine.send({ type: 'norrisContinued' });
    expect(lastMessage(machine)).toBe('[aish] go on with the goal: sizes of logs');
  });

  it('says that there is no goal', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisContinued' });
    expect(machine.phase.kind).toBe('idle');
    expect(notices(machine)).toEqual(['[aish] there is no goal to continue yet']);
  });
});

describe('a plan that waits for the user', () => {
  it('runs nothing before the yes, with norris.approve_plan', () => {
    const machine = planned(PLAN, { ...NOW, approvesPlan: true });
    expect(machine.state.questions).toMatchObject([
      { kind: 'plan', planner: 'cloud', tasks: ['find the files', 'stat them', 'report'] },
    ]);
    expect(machine.effects.some((effect) => effect.kind === 'callModel')).toBe(false);
    answersPlan(machine, { kind: 'proceed' });
    expect(lastMessage(machine)).toMatch(/Current step 1\/3: find the files$/);
    expect(machine.state.questions).toEqual([]);
  });

  it('can be edited, is shown again, and runs as edited', () => {
    const machine = planned(PLAN, { ...NOW, approvesPlan: true });
    answersPlan(machine, { kind: 'edit', command: '1. look around\n\n TASK: report\n' });
    expect(machine.shown).toContainEqual(expect.objectContaining({ kind: 'plan', how: 'edited' }));
    expect(machine.state.questions).toMatchObject([{ tasks: ['look around', 'report'] }]);
    answersPlan(machine, { kind: 'edit', command: ' \n' });
    expect(machine.state.questions).toMatchObject([{ tasks: ['look around', 'report'] }]);
    answersPlan(machine, { kind: 'proceed' });
    expect(lastMessage(machine)).toMatch(/Current step 1\/2: look around$/);
  });

  it('can be rejected with a note, and the new one waits for the user again', () => {
    const machine = planned(PLAN, { ...NOW, approvesPlan: true });
    answersPlan(machine, { kind: 'skip', note: 'without the report' });
    expect(asked(machine)).toMatchObject({
      category: 'norris-preplan',
      preset: 'cloud',
      more: 'Your plan was:\nTASK: find the files\nTASK: stat them\nTASK: report\n\nThe user sends it back: without the report',
    });
    plans(machine, 'TASK: find and stat the files');
    expect(machine.state.questions).toMatchObject([{ kind: 'plan', tasks: ['find and stat the files'] }]);
  });

  it('stays when the planner returns no other', () => {
    const machine = planned(PLAN, { ...NOW, approvesPlan: true });
    answersPlan(machine, { kind: 'skip' });
    plans(machine, 'I like the first one.');
    expect(notices(machine)).toContain('[aish] preplan produced no TASK lines; the plan stays');
    expect(machine.state.questions).toMatchObject([{ tasks: ['find the files', 'stat them', 'report'] }]);
  });

  it('ends the run on an abort, and :norris continue starts it without asking', () => {
    const machine = planned(PLAN, { ...NOW, approvesPlan: true });
    answersPlan(machine, { kind: 'abort' });
    expect(ending(machine)).toMatchObject({ status: 'aborted', commands: 0 });
    machine.send({ type: 'norrisContinued' });
    expect(lastMessage(machine)).toMatch(/Current step 1\/3/);
  });

  it('can be requested by one key during planning and during its first step', () => {
    const early = new Machine({ ...NOW, preplanner: 'cloud' });
    early.send({ type: 'norrisStarted', goal: 'g' });
    early.send({ type: 'planHeld' });
    plans(early, PLAN);
    expect(early.state.questions).toMatchObject([{ kind: 'plan' }]);
    const late = planned(PLAN, NOW);
    const { op } = late;
    late.send({ type: 'planHeld' });
    expect(late.last).toContainEqual({ kind: 'cancel', session: 'main', op });
    expect(late.phase.kind).toBe('planReview');
    late.send({ type: 'replyEnded', op, reply: reply('CMD: rm -rf x', [], { finish: 'cancelled' }) });
    expect(late.phase.kind).toBe('planReview');
    expect(late.conversation.turns).toHaveLength(1);
    answersPlan(late, { kind: 'proceed' });
    expect(lastMessage(late)).toMatch(/Current step 1\/3/);
  });

  it('can’t be requested after the first step, nor without a plan', () => {
    const machine = planned(PLAN, NOW);
    step(machine);
    machine.send({ type: 'planHeld' });
    expect(machine.phase.kind).toBe('replying');
    expect(notices(machine)).toContain('[aish] no plan waits for its first step');
    const idle = new Machine(NOW);
    idle.send({ type: 'planHeld' });
    expect(idle.phase.kind).toBe('idle');
  });

  it('still waits after the program was closed', () => {
    const machine = planned(PLAN, { ...NOW, approvesPlan: true });
    answersPlan(machine, { kind: 'edit', command: 'look around' });
    const later = resumed(machine);
    expect(later.state.questions).toMatchObject([{ kind: 'plan', tasks: ['look around'] }]);
    answersPlan(later, { kind: 'proceed' });
    expect(lastMessage(later)).toMatch(/Current step 1\/1: look around$/);
  });

  it('that was rejected when the program closed keeps its tasks for :norris continue', () => {
    const machine = planned(PLAN, { ...NOW, approvesPlan: true });
    answersPlan(machine, { kind: 'skip', note: 'shorter' });
    const later = resumed(machine);
    expect(ending(later)).toMatchObject({ status: 'aborted' });
    expect(later.conversation.lastTasks).toMatchObject({ current: 0 });
  });
});

describe('a plan that does not work out', () => {
  const blocked = (machine: Machine) => machine.says('GOAL: blocked there is no such directory');

  it('is remade for the remaining tasks, with the events so far, when a task is blocked', () => {
    const machine = planned(PLAN, { ...NOW, maxNorrisSteps: 5 });
    step(machine);
    blocked(machine);
    expect(machine.phase).toMatchObject({ kind: 'planning' });
    const effect = asked(machine);
    expect(effect).toMatchObject({ category: 'norris-replan', goal: 'sizes of logs', tasksMax: 3 });
    expect(effect?.more).toMatch(
      /^The plan so far did not work out:\ndone: find the files\nit is blocked: there is no such directory: stat them\nleft: report\n\nWhat happened last:\n/,
    );
    expect(effect?.more).toMatch(/model: CMD: ls\nresult: [\s\S]*\nmodel: GOAL: blocked/);
    plans(machine, 'TASK: look elsewhere\nTASK: report');
    expect(machine.shown).toContainEqual({
      kind: 'plan',
      preset: 'cloud',
      tasks: ['look elsewhere', 'report'],
      how: 'anew',
    });
    expect(lastMessage(machine)).toMatch(/Current step 3\/4: look elsewhere$/);
    expect(machine.phase).toMatchObject({ run: { step: 3 } });
  });

  it('is remade at most twice, then the run ends as usual', () => {
    const machine = planned(PLAN, { ...NOW, maxNorrisSteps: 9 });
    for (const _ of [1, 2]) {
      blocked(machine);
      plans(machine, 'TASK: try again');
    }
    blocked(machine);
    expect(ending(machine)).toMatchObject({ status: 'blocked', reason: 'there is no such directory' });
    expect(machine.effects.filter((effect) => effect.kind === 'preplan')).toHaveLength(3);
  });

  it.each([
    ['in its last step', { maxNorrisSteps: 1 }],
    ['in a session of an older version', { semantics: 2 }],
  ] as const)('is not remade %s', (_, change) => {
    const machine = planned(PLAN, { ...NOW, ...change });
    blocked(machine);
    expect(ending(machine)).toMatchObject({ status: 'blocked' });
  });

  it('ends the run as blocked when no new plan comes', () => {
    const machine = planned(PLAN, NOW);
    blocked(machine);
    plans(machine, '', { finish: 'failed', failure: { kind: 'timeout', message: 'no answer' } });
    expect(notices(machine)).toContain('[aish] replan failed: no answer; the run ends');
    expect(ending(machine)).toMatchObject({ status: 'blocked' });
    expect(machine.conversation.lastTasks).toMatchObject({ current: 0 });
  });

  const skip = (machine: Machine) => {
    machine.says('CMD: rm -rf x');
    machine.judges(deadly);
    machine.answers('skip');
  };

  it('is remade after two skips in a row, and the third skip still asks whether to continue', () => {
    const machine = planned(PLAN, { ...NOW, maxNorrisSteps: 9 });
    skip(machine);
    expect(machine.phase.kind).toBe('replying');
    skip(machine);
    expect(asked(machine)?.more).toContain('the user skipped the last 2 actions: stat them');
    plans(machine, 'TASK: only look');
    machine.says('All is well.');
    expect(lastMessage(machine)).toMatch(/All tasks are through/);
    const another = planned(PLAN, { ...NOW, maxNorrisSteps: 9 });
    skip(another);
    skip(another);
    plans(another, 'TASK: only look');
    skip(another);
    expect(another.state.questions).toMatchObject([{ kind: 'escalation', skips: 3 }]);
  });

  it('continues with its remaining tasks when the planner returns nothing better after skips', () => {
    const machine = planned(PLAN, { ...NOW, maxNorrisSteps: 9 });
    skip(machine);
    skip(machine);
    plans(machine, 'The plan is fine.');
    expect(notices(machine)).toContain('[aish] replan produced no TASK lines; the plan stays');
    expect(lastMessage(machine)).toMatch(/Current step 3\/3: report$/);
  });

  it('keeps its tasks for :norris continue when the program closes during replanning', () => {
    const machine = planned(PLAN, NOW);
    step(machine);
    blocked(machine);
    const later = resumed(machine);
    expect(ending(later)).toMatchObject({ status: 'aborted' });
    later.send({ type: 'norrisContinued' });
    expect(lastMessage(later)).toMatch(/Current step 2\/3: stat them$/);
  });
});

describe('a task that names a preset', () => {
  const MIXED = 'TASK: look around\nTASK: @deep mend the parser\nTASK: report';

  it('runs on that preset, and the next task on the usual one again', () => {
    const machine = planned(MIXED, { ...NOW, taskModels: ['deep'] });
    expect(called(machine)).toMatchObject({ preset: 'fast' });
    step(machine);
    expect(called(machine)).toMatchObject({ preset: 'deep', category: 'norris' });
    expect(lastMessage(machine)).toMatch(/Current step 2\/3: mend the parser$/);
    step(machine);
    expect(called(machine)).toMatchObject({ preset: 'fast' });
    expect(machine.effects.find((effect) => effect.kind === 'preplan')).toMatchObject({ taskModels: ['deep'] });
  });

  it('runs on the usual preset when the name is unknown, and the user is told', () => {
    const machine = planned('TASK: @huge mend the parser\nTASK: @types/node is to be updated', {
      ...NOW,
      taskModels: ['deep'],
    });
    expect(notices(machine)).toContain('[aish] @huge: not one of norris.task_models; the usual model does it');
    expect(called(machine)).toMatchObject({ preset: 'fast' });
    expect(tasksOf(machine)?.list).toEqual(['mend the parser', '@types/node is to be updated']);
  });

  it('is a plain task when no names are configured', () => {
    const machine = planned('TASK: @deep mend the parser', NOW);
    expect(called(machine)).toMatchObject({ preset: 'fast' });
    expect(lastMessage(machine)).toMatch(/Current step 1\/1: @deep mend the parser$/);
  });

  it('returns to the usual preset after a fallback of its own', () => {
    const machine = planned(MIXED, { ...NOW, taskModels: ['deep'] });
    step(machine);
    const failure = { kind: 'unreachable', message: 'gone' } as const;
    const failed = reply('', [], { finish: 'failed', failure, fallback: ['spare'] });
    machine.send({ type: 'replyEnded', op: machine.op, reply: failed });
    expect(called(machine)).toMatchObject({ preset: 'spare' });
    step(machine);
    expect(called(machine)).toMatchObject({ preset: 'fast' });
  });
});
