import { describe, expect, it } from 'vitest';
import type { Judgement, ToolFacts } from '../../src/session/action.ts';
import { allowedIn } from '../../src/session/grants.ts';
import { reduce } from '../../src/session/reduce.ts';
import { emptyState, SEMANTICS } from '../../src/session/state.ts';
import { bash, deadly, delegate, harmless, Machine, printed } from '../support/machine.ts';

const tool = (definition: string): ToolFacts => ({ definition, claims: ['it only reads'], changed: false });

/** The model calls `fs__list`, with the given judgement of the gate. */
function calls(machine: Machine, id: string, definition: string, judgement: Judgement = harmless): void {
  if (machine.phase.kind === 'idle') machine.send({ type: 'asked', line: id, text: 'list' });
  machine.says('', { id, name: 'fs__list', arguments: '{}' });
  const examination = { kind: 'judged', judgement, autoApproved: false, tool: tool(definition) } as const;
  machine.send({ type: 'examined', op: machine.op, examination });
}

function answers(machine: Machine, kind: 'always' | 'proceed'): void {
  const [question] = machine.state.questions;
  machine.send({ type: 'answered', question: question?.id ?? '', answer: { kind } });
}

function ends(machine: Machine): void {
  const { op } = machine;
  machine.send({ type: 'actionStarted', op });
  machine.send({ type: 'actionEnded', op, outcome: { kind: 'tool', text: 'done', failed: false } });
}

describe('consent for the session', () => {
  it('covers the tool as it was defined, and no other definition', () => {
    const machine = new Machine();
    calls(machine, 'c1', 'one');
    expect(machine.state.questions[0]).toMatchObject({ why: 'consent', tool: { changed: false } });
    answers(machine, 'always');
    ends(machine);
    calls(machine, 'c2', 'one');
    expect(machine.phase.kind).toBe('acting');
    ends(machine);
    calls(machine, 'c3', 'two');
    expect(machine.state.questions[0]).toMatchObject({ why: 'consent', tool: { changed: true } });
  });

  it('is not given by approving a destructive call, and does not approve one', () => {
    const machine = new Machine();
    calls(machine, 'c1', 'one', deadly);
    answers(machine, 'always');
    expect(machine.phase.kind).toBe('halted');
    answers(machine, 'proceed');
    ends(machine);
    calls(machine, 'c2', 'one');
    answers(machine, 'always');
    ends(machine);
    calls(machine, 'c3', 'one', deadly);
    expect(machine.state.questions[0]).toMatchObject({ why: 'destructive' });
  });

  it('covers the sub-agents of a reply, whose tasks the first question lists', () => {
    const machine = new Machine();
    machine.send({ type: 'asked', line: 'u1', text: 'work' });
    machine.says('', ...['a', 'b'].map((task) => delegate(task, task)));
    machine.judges(harmless);
    expect(machine.state.questions[0]).toMatchObject({ why: 'consent', others: ['b'] });
    answers(machine, 'always');
    machine.judges(harmless);
    expect(machine.state.questions).toEqual([]);
    expect(allowedIn(machine.state).tools).toEqual(['delegate']);
  });

  it('is not given by a plain yes', () => {
    const machine = new Machine();
    calls(machine, 'c1', 'one');
    answers(machine, 'proceed');
    ends(machine);
    calls(machine, 'c2', 'one');
    expect(machine.phase.kind).toBe('halted');
  });

  it('is restored from the journal', () => {
    const machine = new Machine();
    calls(machine, 'c1', 'one');
    answers(machine, 'always');
    let state = emptyState('main');
    for (const event of machine.events) [state] = reduce(state, JSON.parse(JSON.stringify(event)));
    expect(state.grants).toEqual({ fs__list: 'one' });
  });
});

describe('a tool of an MCP server in Restricted', () => {
  const result = (machine: Machine) => machine.conversation.turns.findLast((turn) => turn.kind === 'result');
  const restricted = (readOnlyTools: readonly string[]) => {
    const machine = new Machine({ sandbox: true, readOnlyTools });
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    machine.send({ type: 'asked', line: 'l', text: 'go' });
    machine.says('', { id: 'c1', name: 'fs__list', arguments: 'no object' });
    return machine;
  };

  it('gets the mode error first, unless the user declared that it only reads', () => {
    expect(result(restricted([]))).toMatchObject({
      text: 'fs__list is disabled in Restricted mode. Use request_mode_upgrade to request write access.',
    });
    expect(result(restricted(['other__*', 'fs__li']))).toBeDefined();
    expect(restricted(['fs__l*']).phase.kind).toBe('judging');
  });

  it('gets the mode error even when there is no server', () => {
    const machine = new Machine({ sandbox: true, readOnlyTools: ['fs__*'] });
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    machine.send({ type: 'asked', line: 'l', text: 'go' });
    machine.says('', { id: 'c1', name: 'x__y', arguments: '{}' });
    expect(result(machine)).toMatchObject({ text: expect.stringMatching(/^x__y is disabled/) });
  });
});

const testing: Judgement = { ...harmless, parts: { acts: ['npm test'], reads: ['tail'] } };

/** A chat in `mode` whose model calls `npm test`, with the given judgement. */
function tests(machine: Machine, id: string, judgement: Judgement = testing): void {
  if (machine.phase.kind === 'idle') machine.send({ type: 'asked', line: id, text: 'test it' });
  machine.says('', bash(id, 'npm test | tail'));
  machine.judges(judgement);
}

function commandEnds(machine: Machine): void {
  const { op } = machine;
  machine.send({ type: 'actionStarted', op });
  machine.send({ type: 'actionEnded', op, outcome: printed(`ok after ${op}`) });
}

describe('an allow rule', () => {
  const modern = { semantics: SEMANTICS, sandbox: true, project: true } as const;

  it('given at a consent allows the same program and subcommand, and no other', () => {
    const machine = new Machine(modern);
    tests(machine, 'c1');
    answers(machine, 'always');
    expect(machine.state.allowed).toEqual(['npm test', 'tail']);
    commandEnds(machine);
    tests(machine, 'c2');
    expect(machine.phase.kind).toBe('acting');
    commandEnds(machine);
    tests(machine, 'c3', { ...harmless, parts: { acts: ['npm test', 'npm publish'], reads: [] } });
    expect(machine.state.questions[0]).toMatchObject({ why: 'consent' });
    answers(machine, 'proceed');
    commandEnds(machine);
    tests(machine, 'c4', harmless);
    expect(machine.state.questions[0]).toMatchObject({ why: 'consent' });
  });

  it('is never given at a HALT, and answers none', () => {
    const machine = new Machine(modern);
    tests(machine, 'c1', { ...deadly, ...{ parts: testing.parts } } as Judgement);
    answers(machine, 'always');
    expect(machine.phase.kind).toBe('halted');
    answers(machine, 'proceed');
    commandEnds(machine);
    machine.send({ type: 'ruleSet', rule: 'npm test', allowed: true });
    machine.send({ type: 'ruleSet', rule: 'tail', allowed: true });
    tests(machine, 'c2', { ...deadly, ...{ parts: testing.parts } } as Judgement);
    expect(machine.state.questions[0]).toMatchObject({ why: 'destructive' });
  });

  it('does not answer the question about a credential', () => {
    const machine = new Machine(modern);
    machine.send({ type: 'ruleSet', rule: 'npm test', allowed: true });
    machine.send({ type: 'ruleSet', rule: 'tail', allowed: true });
    tests(machine, 'c1', { ...testing, credential: true });
    expect(machine.state.questions[0]).toMatchObject({ why: 'consent' });
    answers(machine, 'always');
    expect(machine.phase.kind).toBe('halted');
  });

  it('is in force after a resume, until it is revoked', () => {
    const machine = new Machine(modern);
    machine.send({ type: 'ruleSet', rule: 'npm test', allowed: true });
    machine.send({ type: 'ruleSet', rule: 'tail', allowed: true });
    machine.send({ type: 'resumed', settings: machine.conversation.settings });
    tests(machine, 'c1');
    expect(machine.phase.kind).toBe('acting');
    commandEnds(machine);
    machine.send({ type: 'ruleSet', rule: 'npm test', allowed: false });
    tests(machine, 'c2');
    expect(machine.phase.kind).toBe('halted');
  });

  it('saved for a directory applies in it and below, and can be revoked', () => {
    const kept = (tree: string) => new Machine({ ...modern, allow: { tree, rules: ['npm test', 'tail'] } });
    for (const [tree, phase] of [
      ['/work', 'acting'],
      ['/', 'acting'],
      ['/work/deeper', 'halted'],
      ['/wor', 'halted'],
    ] as const) {
      const machine = kept(tree);
      tests(machine, 'c1');
      expect(machine.phase.kind, tree).toBe(phase);
    }
    const machine = kept('/work');
    machine.send({ type: 'ruleSet', rule: 'npm test', allowed: false });
    expect(allowedIn(machine.state).kept).toEqual(['tail']);
    tests(machine, 'c1');
    expect(machine.phase.kind).toBe('halted');
  });

  it('is not needed for read-only parts where reading asks nothing', () => {
    for (const [mode, phase] of [
      ['project', 'acting'],
      ['unrestricted', 'halted'],
    ] as const) {
      const machine = new Machine({ ...modern, confirmCmd: true }, mode);
      machine.send({ type: 'ruleSet', rule: 'npm test', allowed: true });
      tests(machine, 'c1');
      expect(machine.phase.kind, mode).toBe(phase);
    }
  });

  it('is listed with the allowed tools, which can be revoked as well', () => {
    const machine = new Machine(modern);
    calls(machine, 'c1', 'one');
    answers(machine, 'always');
    ends(machine);
    expect(allowedIn(machine.state)).toMatchObject({ session: [], kept: [], tools: ['fs__list'], reads: false });
    machine.send({ type: 'ruleSet', rule: 'fs__list', allowed: false });
    calls(machine, 'c2', 'one');
    expect(machine.phase.kind).toBe('halted');
  });
});
