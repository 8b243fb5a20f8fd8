import { describe, expect, it } from 'vitest';
import {
  addCall,
  type CountedCall,
  NO_COSTS,
  priceOf,
  receiptText,
  rowsSince,
  shortDollars,
  sumOf,
} from '../../src/session/cost.ts';
import { delegate, harmless, Machine, reply } from '../support/machine.ts';

const paid: CountedCall = {
  preset: 'cloud',
  model: 'big',
  category: 'norris-preplan',
  promptTokens: 180,
  completionTokens: 35,
  dollars: 0.000099,
  local: false,
  prices: { input: 1, output: 2 },
};
const free: CountedCall = {
  preset: 'fast',
  model: 'small',
  category: 'norris',
  promptTokens: 100,
  completionTokens: 10,
  local: true,
};

describe('counted calls', () => {
  it('are added up by model and category', () => {
    const costs = [paid, free, free, { ...free, category: 'safety' } as const].reduce(addCall, NO_COSTS);
    expect(costs.rows.map(({ model, category, calls }) => [model, category, calls])).toEqual([
      ['big', 'norris-preplan', 1],
      ['small', 'norris', 2],
      ['small', 'safety', 1],
    ]);
    expect(sumOf(costs.rows)).toEqual({ dollars: 0.000099, promptTokens: 480, completionTokens: 65 });
    expect(rowsSince(costs, [paid, free].reduce(addCall, NO_COSTS)).map((row) => row.calls)).toEqual([1, 1]);
  });

  it('cost less for tokens from the server’s cache', () => {
    const tokens = { promptTokens: 1_000_000, completionTokens: 500_000, cachedTokens: 800_000 };
    expect(priceOf({ input: 1, output: 4, cached: 0.1 }, tokens)).toBeCloseTo(0.2 + 0.08 + 2);
    expect(priceOf({ input: 1, output: 4 }, tokens)).toBeCloseTo(3);
    expect(priceOf({ input: 1, output: 0, cached: 0 }, { ...tokens, cachedTokens: 2_000_000 })).toBe(0);
  });

  it.each([
    [0, '$0.00'],
    [12.5, '$12.50'],
    [0.0421, '$0.042'],
    [0.01, '$0.01'],
    [0.0300165, '$0.03'],
    [0.000119, '$0.00012'],
  ])('%d dollars are shown as %s', (dollars, text) => {
    expect(shortDollars(dollars)).toBe(text);
  });

  it('survive a reset', () => {
    const machine = new Machine();
    machine.send({ type: 'callCounted', call: paid });
    machine.send({ type: 'turnsReset' });
    expect(sumOf(machine.state.costs.rows).dollars).toBe(0.000099);
  });
});

describe('the cost receipt of a run with several presets', () => {
  it('names the run’s cost, and the estimated cost with one model alone', () => {
    const machine = new Machine({ preplanner: 'cloud' });
    machine.send({ type: 'callCounted', call: { ...free, category: 'chat' } });
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.send({ type: 'callCounted', call: paid });
    machine.send({ type: 'replyEnded', op: machine.op, reply: reply('TASK: a', [], { preset: 'cloud' }) });
    machine.send({ type: 'callCounted', call: free });
    machine.says('GOAL: complete');
    const ended = machine.shown.findLast((entry) => entry.kind === 'norrisEnded');
    if (ended?.kind !== 'norrisEnded' || !ended.receipt) throw new Error('no receipt');
    expect(ended.cost).toEqual({ dollars: 0.000099, promptTokens: 280, completionTokens: 45 });
    // The end of the run, its receipt and `:cost` show the same number.
    expect(receiptText(ended.receipt)).toContain(`cloud ${shortDollars(ended.cost?.dollars ?? 0)},`);
    expect(receiptText(ended.receipt)).toBe(
      'cloud $0.000099, 215 tokens · local free, 110 tokens (≈ $0.00012 on cloud)',
    );
  });

  it('names no dollars where nothing was paid', () => {
    const receipt = { planner: 'cloud', cloud: { dollars: 0, tokens: 215 }, local: { tokens: 110 } };
    expect(receiptText(receipt)).toBe('cloud 215 tokens · local free, 110 tokens');
  });

  it('is absent when one preset did everything', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.send({ type: 'callCounted', call: free });
    machine.says('GOAL: complete');
    expect(machine.shown.at(-1)).not.toHaveProperty('receipt');
  });
});

describe('a session at its spending limit', () => {
  function stopped(): Machine {
    const machine = new Machine();
    machine.send({ type: 'asked', line: 'l1', text: 'hello' });
    machine.send({ type: 'spendReached', op: machine.op, preset: 'cloud', spent: 6, limit: 5, allowance: 5 });
    return machine;
  }

  it('asks before the call, and a yes allows the amount of the limit once more from here', () => {
    const machine = stopped();
    expect(machine.phase.kind).toBe('awaitingSpend');
    expect(machine.state.questions).toMatchObject([{ kind: 'spend', spent: 6, limit: 5, allowance: 5 }]);
    machine.answers('proceed');
    expect(machine.last).toContainEqual(expect.objectContaining({ kind: 'callModel', category: 'chat' }));
    expect(machine.state.allowedDollars).toBe(11);
    expect(machine.state.questions).toEqual([]);
  });

  it.each(['skip', 'abort'] as const)('ends the run on %s, and leaves the conversation complete', (answer) => {
    const machine = stopped();
    machine.answers(answer);
    expect(machine.phase.kind).toBe('idle');
    expect(machine.conversation.turns).toHaveLength(1);
    expect(machine.state.allowedDollars).toBeUndefined();
    expect(machine.last.some((effect) => effect.kind === 'callModel')).toBe(false);
  });

  it('keeps the question over a restart', () => {
    const machine = stopped();
    machine.send({ type: 'resumed', settings: machine.conversation.settings });
    expect(machine.phase.kind).toBe('awaitingSpend');
    expect(machine.state.questions).toHaveLength(1);
  });

  it('asks for each sub-agent by name: a yes covers all of them, and a no only the one that asked', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisStarted', goal: 'look around' });
    machine.says('', ...['a', 'b', 'c'].map((task) => delegate(task, task)));
    for (const _ of 'abc') machine.judges(harmless);
    machine.spawns();
    const agents = machine.children;
    const money = { preset: 'cloud', spent: 6, limit: 5, allowance: 5 };
    for (const agent of agents) machine.send({ type: 'spendReached', op: machine.opOf(agent), ...money }, agent);
    expect(machine.state.questions.map(({ asker }) => asker?.agent)).toEqual([1, 2, 3]);
    const answer = (at: number, kind: 'proceed' | 'abort') => {
      const question = machine.state.questions[at];
      if (!question) throw new Error('no question');
      machine.send({ type: 'answered', question: question.id, answer: { kind } }, question.session);
    };
    answer(0, 'abort');
    expect(machine.children).toEqual(agents.slice(1));
    answer(1, 'proceed');
    expect(machine.state.questions).toEqual([]);
    expect(machine.last.filter(({ kind }) => kind === 'callModel')).toHaveLength(2);
    expect(machine.state.allowedDollars).toBe(11);
  });

  it('is not asked after an abort, and the session is idle', () => {
    const machine = new Machine();
    machine.send({ type: 'asked', line: 'l1', text: 'hello' });
    const { op } = machine;
    machine.send({ type: 'aborted' });
    machine.send({ type: 'spendReached', op, preset: 'cloud', spent: 6, limit: 5, allowance: 5 });
    expect(machine.phase.kind).toBe('idle');
    expect(machine.state.questions).toEqual([]);
  });

  it('is not asked about a call that has ended', () => {
    const machine = new Machine();
    machine.send({ type: 'spendReached', op: 'op1', preset: 'cloud', spent: 6, limit: 5, allowance: 5 });
    expect(machine.state.questions).toEqual([]);
  });
});
