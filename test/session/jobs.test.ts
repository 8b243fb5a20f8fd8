import { describe, expect, it } from 'vitest';
import { composeMessages } from '../../src/session/context.ts';
import { SEMANTICS } from '../../src/session/state.ts';
import { harmless, Machine } from '../support/machine.ts';

const result = { exit: 2, cwd: '/w', head: 'no rule\n', tail: '', omittedLines: 0, bytes: 8, milliseconds: 9 };

/** Returns the text that the model gets with the next question, after a job of the user ended. */
function heard(semantics?: typeof SEMANTICS): string {
  const machine = new Machine(semantics === undefined ? {} : { semantics });
  machine.send({ type: 'jobEnded', job: 1, command: 'make test', result, by: 'user' });
  machine.send({ type: 'asked', line: 'l', text: 'and?' });
  return JSON.stringify(composeMessages(machine.conversation, 'S'));
}

it('the end of the user’s own job is reported to the model with its next call', () => {
  expect(heard(SEMANTICS)).toMatch(/the user's job 1 ended:.*make test.*no rule/s);
});

it('journals of version 0.1, in which the end of a job was not reported, are replayed as before', () => {
  expect(heard()).not.toContain('make test');
});

describe('an unattended run', () => {
  const runsOn = { ...result, exit: null, note: 'runs on as job 1' };

  /** The model has started a job and reports the goal as complete. */
  function completed(settings: { alone?: true; semantics?: typeof SEMANTICS }) {
    const machine = new Machine({ confirmCmd: false, ...settings });
    machine.send({ type: 'norrisStarted', goal: 'install' });
    machine.says('CMD&: npm install');
    machine.judges(harmless);
    const { op } = machine;
    machine.send({ type: 'actionStarted', op });
    machine.send({ type: 'actionEnded', op, outcome: { kind: 'job', job: 1, result: runsOn } });
    machine.says('GOAL: complete');
    return machine;
  }
  const told = (machine: Machine) => JSON.stringify(composeMessages(machine.conversation, 'S'));

  it('tells the model once that its job still runs when it reports the goal as complete', () => {
    const machine = completed({ alone: true, semantics: SEMANTICS });
    expect(machine.phase.kind).toBe('replying');
    expect(told(machine)).toMatch(/not ended yet, still running: job 1 \(npm install\)/);
    machine.says('GOAL: complete');
    expect(machine.phase.kind).toBe('idle');
  });

  it('ends at once when the job has ended, or when a user is there to see it', () => {
    expect(completed({ semantics: SEMANTICS }).phase.kind).toBe('idle');
    const machine = completed({ alone: true, semantics: SEMANTICS });
    machine.send({ type: 'jobEnded', job: 1, command: 'npm install', result, by: 'model' });
    expect(machine.conversation.jobs).toEqual([]);
  });
});
