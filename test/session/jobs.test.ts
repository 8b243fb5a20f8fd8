import { expect, it } from 'vitest';
import { composeMessages } from '../../src/session/context.ts';
import { SEMANTICS } from '../../src/session/state.ts';
import { Machine } from '../support/machine.ts';

const result = { exit: 2, cwd: '/w', head: 'no rule\n', tail: '', omittedLines: 0, bytes: 8, milliseconds: 9 };

/** What the model hears with the next question, after a job of the user's has ended. */
function heard(semantics?: typeof SEMANTICS): string {
  const machine = new Machine(semantics === undefined ? {} : { semantics });
  machine.send({ type: 'jobEnded', job: 1, command: 'make test', result, by: 'user' });
  machine.send({ type: 'asked', line: 'l', text: 'and?' });
  return JSON.stringify(composeMessages(machine.conversation, 'S'));
}

it('the end of the user’s own job is told to the model with its next call', () => {
  expect(heard(SEMANTICS)).toMatch(/the user's job 1 ended:.*make test.*no rule/s);
});

it('was not told in 0.1, and its journals fold as they did', () => {
  expect(heard()).not.toContain('make test');
});
