import { describe, expect, it } from 'vitest';
import { composeMessages } from '../../src/session/context.ts';
import { modeNotice } from '../../src/session/mode.ts';
import { reduce } from '../../src/session/reduce.ts';
import { emptyState, SEMANTICS } from '../../src/session/state.ts';
import { harmless, Machine } from '../support/machine.ts';

function ask(machine: Machine, text: string, answer = `answer to ${text}`): void {
  machine.send({ type: 'asked', line: `line ${text}`, text });
  machine.says(answer);
}

/** A conversation of five questions; the third led to a command. */
function five(): Machine {
  const machine = new Machine({ semantics: SEMANTICS, confirmCmd: false });
  ask(machine, 'one');
  ask(machine, 'two');
  machine.send({ type: 'asked', line: 'line three', text: 'three' });
  machine.says('CMD: ls');
  machine.judges(harmless);
  machine.runs('x\n');
  machine.says('answer to three');
  ask(machine, 'four');
  ask(machine, 'five');
  return machine;
}

const askedIn = ({ conversation }: Machine) => (conversation.asked ?? []).map(({ text }) => text);
const textOf = (machine: Machine) => JSON.stringify(composeMessages(machine.conversation, 'S'));
const turnOf = (machine: Machine, text: string) =>
  machine.conversation.asked?.find((each) => each.text === text)?.turn ?? -1;
const notices = (machine: Machine) => machine.shown.flatMap((entry) => (entry.kind === 'notice' ? [entry.text] : []));

describe(':rewind', () => {
  it('removes a question and everything after it from the conversation, and returns its text', () => {
    const machine = five();
    machine.send({ type: 'rewound', turn: turnOf(machine, 'three') });
    expect(askedIn(machine)).toEqual(['one', 'two']);
    expect(textOf(machine)).toContain('answer to two');
    expect(textOf(machine)).not.toMatch(/three|four|five|CMD/);
    expect(machine.last).toContainEqual({ kind: 'giveBack', text: 'three' });
    expect(notices(machine)).toContain('[aish] back before: three; :rewind back returns');
  });

  it('restores what it removed, turn by turn', () => {
    const machine = five();
    const { turns, asked } = machine.conversation;
    machine.send({ type: 'rewound', turn: turnOf(machine, 'two') });
    machine.send({ type: 'branchTaken', branch: 1 });
    expect(machine.conversation.turns).toEqual(turns);
    expect(machine.conversation.asked).toEqual(asked);
    expect(machine.conversation.branches).toEqual([]);
  });

  it('keeps the conversation that a restored branch replaces as another branch', () => {
    const machine = five();
    machine.send({ type: 'rewound', turn: turnOf(machine, 'three'), undos: [7] });
    ask(machine, 'another three');
    machine.send({ type: 'branchTaken', branch: 1 });
    expect(askedIn(machine)).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(machine.conversation.branches).toMatchObject([{ number: 2, question: { text: 'another three' } }]);
    machine.send({ type: 'branchTaken', branch: 2 });
    expect(askedIn(machine)).toEqual(['one', 'two', 'another three']);
    expect(machine.conversation.branches).toMatchObject([{ question: { text: 'three' } }]);
  });

  it('keeps the branches of two rewinds, and what a continued goal added', () => {
    const machine = five();
    machine.send({ type: 'rewound', turn: turnOf(machine, 'four') });
    machine.send({ type: 'rewound', turn: turnOf(machine, 'two') });
    expect(machine.conversation.branches).toMatchObject([
      { number: 1, question: { text: 'four' } },
      { number: 2, question: { text: 'two' } },
    ]);
    ask(machine, 'another two');
    machine.send({ type: 'branchTaken', branch: 1 });
    expect(askedIn(machine)).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(machine.conversation.branches).toMatchObject([{ number: 2 }, { question: { text: 'another two' } }]);
  });

  it('goes back to a goal, and forgets the rest of its run’s plan', () => {
    const machine = new Machine({ semantics: SEMANTICS, preplanner: 'cloud' });
    ask(machine, 'one');
    machine.send({ type: 'norrisStarted', goal: 'tidy' });
    machine.says('TASK: a\nTASK: b');
    machine.send({ type: 'aborted' });
    machine.says('');
    expect(machine.conversation.lastTasks).toBeDefined();
    machine.send({ type: 'rewound', turn: turnOf(machine, 'tidy') });
    expect(machine.last).toContainEqual({ kind: 'giveBack', text: ':norris tidy' });
    expect(machine.conversation).toMatchObject({ lastTasks: undefined, preplans: [] });
    machine.send({ type: 'branchTaken', branch: 1 });
    expect(machine.conversation.lastTasks).toMatchObject({ current: 0 });
    expect(machine.conversation.preplans).toHaveLength(1);
  });

  it('tells the model about changed files, and about a mode it would not know', () => {
    const machine = five();
    machine.send({ type: 'modeChosen', mode: 'unrestricted' });
    machine.send({ type: 'rewound', turn: turnOf(machine, 'two'), changed: true });
    ask(machine, 'six');
    expect(textOf(machine)).toContain('Files are not as they were then');
    const other = new Machine({ semantics: SEMANTICS, sandbox: true, keepsMode: true }, 'unrestricted');
    ask(other, 'one');
    other.send({ type: 'modeChosen', mode: 'restricted' });
    ask(other, 'two');
    other.send({ type: 'modeChosen', mode: 'unrestricted' });
    ask(other, 'three');
    other.send({ type: 'rewound', turn: turnOf(other, 'three') });
    ask(other, 'four');
    expect(textOf(other).lastIndexOf(JSON.stringify(modeNotice('unrestricted')).slice(1, -1))).toBeGreaterThan(
      textOf(other).lastIndexOf(JSON.stringify(modeNotice('restricted')).slice(1, -1)),
    );
  });

  it('drops a summary that covers removed turns, and keeps one that does not', () => {
    const machine = five();
    const { main } = machine.state.sessions;
    if (!main) throw new Error('no conversation');
    const summary = { text: 'all of it', upTo: 6 };
    machine.state = { ...machine.state, sessions: { main: { ...main, summary, evictedTurns: 6 } } };
    machine.send({ type: 'rewound', turn: turnOf(machine, 'five') });
    expect(machine.conversation).toMatchObject({ summary, evictedTurns: 6 });
    machine.send({ type: 'rewound', turn: turnOf(machine, 'two') });
    expect(machine.conversation).toMatchObject({ summary: undefined, evictedTurns: 0 });
    machine.send({ type: 'branchTaken', branch: 2 });
    expect(machine.conversation).toMatchObject({ summary, evictedTurns: 6 });
  });

  it('does nothing during a run or when the question or branch does not exist, and keeps the costs', () => {
    const machine = five();
    const call = {
      preset: 'fast',
      model: 'm',
      category: 'chat',
      promptTokens: 5,
      completionTokens: 2,
      local: true,
    } as const;
    machine.send({ type: 'callCounted', call });
    machine.send({ type: 'rewound', turn: 1 });
    machine.send({ type: 'branchTaken', branch: 1 });
    machine.send({ type: 'asked', line: 'l', text: 'six' });
    machine.send({ type: 'rewound', turn: turnOf(machine, 'two') });
    machine.says('six');
    expect(askedIn(machine)).toHaveLength(6);
    machine.send({ type: 'rewound', turn: turnOf(machine, 'two') });
    expect(machine.state.costs.rows).toHaveLength(1);
  });

  it('folds to the same state, also when a fold extends its lists in place', () => {
    const machine = five();
    machine.send({ type: 'rewound', turn: turnOf(machine, 'three') });
    ask(machine, 'another three');
    machine.send({ type: 'branchTaken', branch: 1 });
    ask(machine, 'six');
    machine.send({ type: 'branchTaken', branch: 2 });
    ask(machine, 'seven');
    const owned = new Map();
    const folded = machine.events.reduce((state, event) => reduce(state, event, owned)[0], emptyState('main'));
    expect(folded).toEqual(machine.state);
  });

  it('has nothing to restore after :reset', () => {
    const machine = five();
    machine.send({ type: 'rewound', turn: turnOf(machine, 'three') });
    machine.send({ type: 'turnsReset' });
    expect(machine.conversation).toMatchObject({ asked: [], branches: [] });
  });
});
