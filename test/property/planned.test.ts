import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutEnd } from '../../src/session/action.ts';
import { composeMessages } from '../../src/session/context.ts';
import type { Effect } from '../../src/session/effect.ts';
import { reduce } from '../../src/session/reduce.ts';
import { emptyState, rootOf, SEMANTICS, type Settings, type State } from '../../src/session/state.ts';
import { cases } from '../support/cases.ts';
import { bash, deadly, harmless, judged, Machine, reply, triedAs } from '../support/machine.ts';

/**
 * The random choice in any state of the machine: `pick` chooses among the possible events, `tasks` is the next plan.
 */
type Luck = { readonly pick: number; readonly tasks: readonly string[] };

const luck: fc.Arbitrary<Luck> = fc.record({
  pick: fc.nat(99),
  tasks: fc.array(fc.constantFrom('look', 'count', 'remove old.log', 'report'), { maxLength: 4 }),
});

const SAID = [
  'CMD: ls',
  'CMD: ls',
  'CMD: rm -rf x\nCMD: rm -rf y\nCMD: rm -rf z',
  '',
  'done\nGOAL: complete',
  'GOAL: blocked\nno',
  'TASK: x',
];
const failure = { failure: { kind: 'cut', message: 'cut' } } as const;
let serial = 0;

/** Makes one move that is possible in this phase; most moves continue a run, some interrupt it. */
function go(machine: Machine, { pick, tasks }: Luck): void {
  const { phase } = machine;
  const op = 'op' in phase ? phase.op : 'none';
  serial += 1;
  if (pick > 96) return void machine.send({ type: 'resumed', settings: machine.conversation.settings });
  if (pick > 93) return void machine.send({ type: 'aborted' });
  switch (phase.kind) {
    case 'idle':
      if (pick < 30) return void machine.send({ type: 'norrisContinued' });
      if (pick < 35) return void machine.send({ type: 'asked', line: `l${serial}`, text: 'why?' });
      return void machine.send({ type: 'norrisStarted', goal: 'tidy' });
    case 'planning': {
      const plan = tasks.map((task) => `TASK: ${task}`).join('\n');
      const extra = pick < 10 ? ({ finish: 'failed', ...failure } as const) : {};
      return void machine.send({ type: 'replyEnded', op, reply: reply(plan, [], { preset: 'cloud', ...extra }) });
    }
    case 'replying': {
      if (pick < 8) {
        const money = { preset: 'fast', spent: 1, limit: 1, allowance: 1 };
        return void machine.send({ type: 'spendReached', op, ...money });
      }
      const calls = pick % 5 === 0 ? [bash(`c${serial}`, 'ls')] : [];
      const answer =
        pick < 10 ? reply('CMD: ls', [], { finish: 'failed', ...failure }) : reply(SAID[pick % 7] ?? '', calls);
      return void machine.send({ type: 'replyEnded', op, reply: answer });
    }
    case 'trying': {
      const result = withoutEnd('/work', 'tried');
      return void machine.send({ type: 'tried', op, trial: triedAs(`t${serial}`), result });
    }
    case 'judging': {
      const { actions, index } = phase.dispatch;
      const deletes = JSON.stringify(actions[index]).includes('rm -rf');
      return void machine.send({ type: 'examined', op, examination: judged(deletes ? deadly : harmless, true) });
    }
    case 'stopping':
      machine.send({ type: 'examined', op, examination: judged(harmless) });
      return void machine.send({ type: 'replyEnded', op, reply: reply('', [], { finish: 'cancelled' }) });
    case 'acting':
    case 'stoppingActions':
      return machine.runs('x');
    case 'halted':
    case 'planReview':
    case 'escalated':
    case 'awaitingSpend':
    case 'awaitingModeApproval':
      return machine.answers(pick < 45 ? 'proceed' : pick < 85 ? 'skip' : 'abort');
  }
}

/**
 * Makes random runs with a preplanner. `look` sees the machine after every move. Returns how often each kind of step
 * occurred.
 */
function property(
  look: (machine: Machine, before: State) => void,
  change: Partial<Settings> = {},
): Map<string, number> {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(fc.array(luck, { minLength: 20, maxLength: 80 }), (moves) => {
      const how = { preplanner: 'cloud', tasksMax: 3, maxNorrisSteps: 5, confirmCmd: false, ...change };
      const machine = new Machine(how);
      for (const move of moves) {
        const before = machine.state;
        go(machine, move);
        look(machine, before);
        const { phase } = machine;
        const kind = 'run' in phase && 'reporting' in phase.run ? 'report' : phase.kind;
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
      }
    }),
    { numRuns: cases(40) },
  );
  return seen;
}

const runOf = ({ phase }: ReturnType<typeof rootOf>) =>
  phase.kind !== 'idle' && phase.run.kind === 'norris' ? phase.run : undefined;

describe('planned runs, over random runs', () => {
  it('plan at most once, go through the tasks in order, and never add the tasks to the conversation’s turns', () => {
    const seen = property((machine, before) => {
      const [now, then] = [runOf(machine.conversation), runOf(rootOf(before))];
      expect(JSON.stringify(machine.conversation.turns)).not.toContain('Current step');
      if (machine.last.some((effect) => effect.kind === 'preplan')) expect(then).toBeUndefined();
      if (now) expect(now.step).toBeLessThanOrEqual(5);
      if (now?.tasks) {
        expect(now.tasks.list.length).toBeLessThanOrEqual(3);
        expect(now.reporting === true).toBe(now.tasks.current === now.tasks.list.length);
      }
      if (!now?.tasks || !then?.tasks) return;
      expect(now.tasks.list).toBe(then.tasks.list);
      expect([0, 1]).toContain(now.tasks.current - then.tasks.current);
    });
    for (const kind of ['planning', 'report', 'awaitingSpend', 'halted', 'stopping']) {
      expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(5);
    }
  });

  it('end each call with its task and no other', () => {
    property((machine) => {
      if (!machine.last.some((effect) => effect.kind === 'callModel')) return;
      const run = runOf(machine.conversation);
      const messages = composeMessages(machine.conversation, 'S');
      const told = JSON.stringify(messages).match(/\[aish\] (?:Current step|All tasks)/g) ?? [];
      expect(told).toHaveLength(run?.tasks ? 1 : 0);
      if (run?.tasks)
        expect(messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining(told[0] ?? '') });
    });
  });

  it('run nothing that a plan or a report asks for, and answer each of its calls', () => {
    property((machine, before) => {
      const { phase } = rootOf(before);
      const unheard = phase.kind === 'planning' || (phase.kind === 'replying' && 'reporting' in phase.run);
      if (!unheard || machine.events.at(-1)?.type !== 'replyEnded') return;
      expect(machine.last.filter(({ kind }) => kind === 'examine' || kind === 'act')).toEqual([]);
      const calls = machine.conversation.turns.flatMap((turn) => (turn.kind === 'assistant' ? turn.toolCalls : []));
      const results = machine.conversation.turns.filter((turn) => turn.kind === 'result');
      expect(results).toHaveLength(calls.length);
    });
  });

  it('make no call after a spending question without a yes', () => {
    property((machine, before) => {
      const { phase } = rootOf(before);
      if (phase.kind !== 'awaitingSpend' || !machine.last.some(({ kind }) => kind === 'callModel')) return;
      const last = machine.events.at(-1);
      expect(last).toMatchObject({ type: 'answered', question: phase.question, answer: { kind: 'proceed' } });
      expect(machine.state.allowedDollars).toBeGreaterThanOrEqual(phase.upTo);
    });
  });

  it('leave only unfinished tasks to :norris continue, and none after a finished run', () => {
    property((machine, before) => {
      const run = runOf(rootOf(before));
      const ended = machine.last.findLast((effect) => effect.kind === 'show' && effect.entry.kind === 'norrisEnded');
      if (!run || ended?.kind !== 'show' || ended.entry.kind !== 'norrisEnded') return;
      const { lastTasks } = machine.conversation;
      const over = ['done', 'tasks_complete'].includes(ended.entry.status) || !run.tasks || run.reporting;
      if (over) expect(lastTasks).toBeUndefined();
      else if (lastTasks) expect(lastTasks.current).toBeGreaterThanOrEqual(run.tasks.current);
    });
  });

  it('replay to the same state and the same transcript', () => {
    property((machine) => {
      if (machine.events.length % 10 !== 0) return;
      const shown: Effect[] = [];
      let state = emptyState('main');
      for (const event of machine.events) {
        const [next, effects] = reduce(state, JSON.parse(JSON.stringify(event)));
        state = next;
        shown.push(...effects);
      }
      expect(state).toEqual(machine.state);
      expect(shown).toEqual(machine.effects);
    });
  });

  it('plan the remaining tasks again at most twice, within the budget, and run nothing of a plan that waits for approval', () => {
    const seen = property(
      (machine, before) => {
        const run = runOf(machine.conversation);
        const { phase } = rootOf(before);
        if (run) expect(run.step).toBeLessThanOrEqual(5);
        expect(run?.replans?.count ?? 0).toBeLessThanOrEqual(2);
        if (phase.kind !== 'planReview' || !machine.last.some(({ kind }) => kind === 'callModel')) return;
        const last = machine.events.at(-1);
        expect(last).toMatchObject({ type: 'answered', question: phase.question, answer: { kind: 'proceed' } });
      },
      { semantics: SEMANTICS, approvesPlan: true, taskModels: ['deep'] },
    );
    for (const kind of ['planning', 'planReview', 'report', 'halted'])
      expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(5);
  });
});
