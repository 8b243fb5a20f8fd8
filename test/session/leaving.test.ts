/** An action that sends data from the machine asks once for each receiver (AC-8). */
import { describe, expect, it } from 'vitest';
import type { Judgement } from '../../src/session/action.ts';
import { SEMANTICS } from '../../src/session/state.ts';
import { bash, deadly, harmless, Machine, printed } from '../support/machine.ts';

const now = { sandbox: true, project: true, semantics: SEMANTICS, confirmCmd: 'acts' } as const;
const sends = (to = 'github.com/me/tool'): Judgement => ({
  ...harmless,
  leaves: [{ to, what: ['1 commit to main'], connects: ['github.com:443'] }],
  parts: { acts: [], reads: [] },
});

function chat(mode: 'restricted' | 'project' | 'unrestricted' = 'unrestricted'): Machine {
  const machine = new Machine(now, mode);
  machine.send({ type: 'asked', line: 'l1', text: 'push it' });
  return machine;
}

function run(): Machine {
  const machine = new Machine({ ...now, maxNorrisSteps: 20 }, 'project');
  machine.send({ type: 'norrisStarted', goal: 'push it' });
  return machine;
}

/** The model pushes, and the gate reports a send. */
function pushes(machine: Machine, judgement = sends()): void {
  // Each line is different, since a repeated call would be refused.
  const id = `c${machine.events.length}`;
  machine.says('', bash(id, `git push # ${id}`));
  machine.judges(judgement);
}

function ends(machine: Machine): void {
  const { op } = machine;
  machine.send({ type: 'actionStarted', op });
  machine.send({ type: 'actionEnded', op, outcome: printed('ok') });
}

describe('an action that sends data from the machine', () => {
  it('asks in Project and Unrestricted, in a chat and in a run, and says how long a yes lasts', () => {
    for (const [machine, leaveFor] of [
      [chat('project'), 'session'],
      [chat('unrestricted'), 'session'],
      [run(), 'run'],
    ] as const) {
      pushes(machine);
      expect(machine.state.questions).toMatchObject([{ kind: 'halt', why: 'consent', leaveFor }]);
    }
    const restricted = chat('restricted');
    pushes(restricted);
    expect(restricted.phase.kind).toBe('acting');
  });

  it('asks once per receiver, and no other question covers it', () => {
    for (const machine of [chat(), chat('project'), run()]) {
      pushes(machine);
      machine.answers('proceed');
      ends(machine);
      pushes(machine);
      expect(machine.phase.kind).toBe('acting');
      ends(machine);
      pushes(machine, sends('github.com/me/other'));
      expect(machine.phase.kind).toBe('halted');
    }
  });

  it('still asks about its other effects', () => {
    const machine = chat();
    pushes(machine);
    machine.answers('proceed');
    ends(machine);
    pushes(machine, { ...sends(), parts: { acts: ['npm test'], reads: [] } });
    expect(machine.phase.kind).toBe('halted');
    machine.answers('proceed');
    ends(machine);
    pushes(machine, { ...sends(), credential: true });
    expect(machine.phase.kind).toBe('halted');
  });

  it('asks in Restricted before it reads a key, although nothing can be sent there', () => {
    const machine = chat('restricted');
    pushes(machine, { ...sends(), credential: true });
    expect(machine.phase.kind).toBe('halted');
  });

  it('offers no key P, and its HALT covers more than the receiver', () => {
    const machine = chat();
    pushes(machine);
    machine.answers('always');
    expect(machine.phase.kind).toBe('halted');
    machine.answers('proceed');
    ends(machine);
    pushes(machine, { ...deadly, ...{ leaves: sends().leaves } } as Judgement);
    expect(machine.state.questions).toMatchObject([{ why: 'destructive' }]);
    const other = chat();
    pushes(other, { ...deadly, ...{ leaves: sends().leaves } } as Judgement);
    other.answers('proceed');
    ends(other);
    pushes(other);
    expect(other.phase.kind).toBe('halted');
  });
});

describe('a no to a receiver', () => {
  it('lasts for the run, and is reported to the model', () => {
    const machine = run();
    pushes(machine);
    machine.answers('skip');
    pushes(machine);
    expect(machine.phase.kind).toBe('replying');
    expect(JSON.stringify(machine.conversation.turns.at(-1))).toContain(
      'the user has said that nothing may leave for github.com/me/tool',
    );
  });

  it('in a chat lasts until the user’s next message', () => {
    const machine = chat();
    pushes(machine);
    machine.answers('skip');
    pushes(machine);
    expect(machine.phase.kind).toBe('replying');
    machine.says('I did not push.');
    machine.send({ type: 'asked', line: 'l2', text: 'push it now' });
    pushes(machine);
    expect(machine.phase.kind).toBe('halted');
  });
});

describe('a permit for a receiver', () => {
  it('ends with the run in which it was given', () => {
    const machine = run();
    pushes(machine);
    machine.answers('proceed');
    ends(machine);
    machine.send({ type: 'aborted' });
    for (const id of [machine.op]) machine.send({ type: 'replyEnded', op: id, reply: reply() });
    expect(machine.state.leaving).toEqual([]);
  });

  it('named by the user covers everything at that host, until it is revoked', () => {
    const machine = chat();
    machine.send({ type: 'leaveSet', to: 'github.com', allowed: true });
    pushes(machine);
    expect(machine.phase.kind).toBe('acting');
    ends(machine);
    pushes(machine, sends('github.com.example/me/tool'));
    expect(machine.phase.kind).toBe('halted');
    machine.answers('proceed');
    ends(machine);
    machine.send({ type: 'leaveSet', to: 'github.com', allowed: false });
    pushes(machine);
    expect(machine.phase.kind).toBe('halted');
  });

  it('is not implied by a yes to a wider mode', () => {
    const machine = new Machine({ ...now, offers: true }, 'restricted');
    machine.send({ type: 'asked', line: 'l1', text: 'push it' });
    pushes(machine, harmless);
    const { op } = machine;
    machine.send({ type: 'actionStarted', op });
    machine.send({ type: 'actionEnded', op, outcome: { ...printed('no network', 1), refused: 'network' } as never });
    machine.answers('unrestricted');
    machine.judges(sends());
    expect(machine.state.questions).toMatchObject([{ kind: 'halt', why: 'consent' }]);
  });
});

function reply() {
  return { text: '', reasoning: '', toolCalls: [], preset: 'fast', finish: 'stop', notices: [] } as const;
}
