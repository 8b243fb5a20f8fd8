import { describe, expect, it } from 'vitest';
import { bash, harmless, Machine, printed } from '../support/machine.ts';

const REVIEW = { about: 'later', command: 'echo x > .envrc', items: ['.envrc is run by shells'], diff: '+x' } as const;

/** A command runs and has left something for the user to decide. */
function reviewing(): Machine {
  const machine = new Machine();
  machine.send({ type: 'norrisStarted', goal: 'g' });
  machine.says('', bash('c1', REVIEW.command));
  machine.judges(harmless);
  machine.send({ type: 'actionStarted', op: machine.op });
  machine.send({ type: 'reviewAsked', review: 'r1', ...REVIEW });
  return machine;
}

const kinds = (machine: Machine) => machine.state.questions.map(({ kind }) => kind);

describe('the question about files set aside', () => {
  it('belongs to no phase: the command is still running, and ends after the answer', () => {
    const machine = reviewing();
    expect(kinds(machine)).toEqual(['review']);
    expect(machine.phase.kind).toBe('acting');
    const { op } = machine;
    machine.answers('proceed');
    expect(kinds(machine)).toEqual([]);
    expect(machine.phase.kind).toBe('acting');
    machine.send({ type: 'reviewed', review: 'r1', text: 'the user accepted: .envrc' });
    machine.send({ type: 'actionEnded', op, outcome: printed('') });
    expect(machine.phase.kind).toBe('replying');
    expect(machine.conversation.turns.map((turn) => turn.text)).toContain('[aish] the user accepted: .envrc');
  });

  it('ends the run when it is answered with abort', () => {
    const machine = reviewing();
    machine.answers('abort');
    expect(kinds(machine)).toEqual([]);
    expect(machine.phase.kind).toBe('stoppingActions');
  });

  it('is dropped by an abort or the program’s end, and the files stay set aside', () => {
    const aborted = reviewing();
    aborted.send({ type: 'aborted' });
    aborted.send({ type: 'reviewed', review: 'r1', text: 'set aside' });
    expect(kinds(aborted)).toEqual([]);
    const closed = reviewing();
    closed.send({ type: 'resumed', settings: closed.conversation.settings });
    expect(kinds(closed)).toEqual([]);
    expect(closed.phase.kind).toBe('idle');
  });
});
