import { expect, it } from 'vitest';
import { composeMessages } from '../../src/session/context.ts';
import { SEMANTICS } from '../../src/session/state.ts';
import { deadly, harmless, Machine } from '../support/machine.ts';

const PRAISE = { ...harmless, reason: 'only reads or adds' };

/** A chat in which the model asks for one command, with the gate's judgement given. */
function asked(judgement: typeof deadly, semantics?: 2 | typeof SEMANTICS): Machine {
  const machine = new Machine(semantics === undefined ? {} : { semantics });
  machine.send({ type: 'asked', line: 'l', text: 'clean up' });
  machine.says('CMD: rm -rf build');
  machine.judges(judgement);
  return machine;
}

function answer(machine: Machine, how: { kind: 'skip'; note?: string } | { kind: 'proceed' | 'abort' }): string {
  const [question] = machine.state.questions;
  machine.send({ type: 'answered', question: question?.id ?? '', answer: how });
  return JSON.stringify(composeMessages(machine.conversation, 'S'));
}

it('after a skipped consent the model is not given the gate’s “only reads” as the reason', () => {
  const told = answer(asked(PRAISE, SEMANTICS), { kind: 'skip' });
  expect(told).toContain('[aish] action skipped by user\\n$ rm -rf build');
  expect(told).not.toContain('only reads');
});

it('a skipped HALT tells the model why it halted', () => {
  expect(answer(asked(deadly, SEMANTICS), { kind: 'skip' })).toContain('[aish] action skipped by user: rm -rf\\n');
});

it('a skip may carry a note to the model, which the transcript keeps with the time', () => {
  const machine = asked(deadly, SEMANTICS);
  const told = answer(machine, { kind: 'skip', note: ' not the logs of today ' });
  expect(told).toContain('[aish] action skipped by user: rm -rf; the user says: not the logs of today');
  expect(machine.shown).toContainEqual(
    expect.objectContaining({ kind: 'refused', how: 'skipped', note: 'not the logs of today', at: 1004 }),
  );
});

it.each(['skip', 'abort'] as const)('an answer given without a person, %s, is not shown as the user’s', (kind) => {
  const machine = asked(deadly, SEMANTICS);
  const [question] = machine.state.questions;
  machine.send({ type: 'answered', question: question?.id ?? '', answer: { kind }, unattended: true });
  const refused = machine.shown.find((entry) => entry.kind === 'refused');
  expect(refused).toMatchObject({ how: kind === 'skip' ? 'skipped' : 'aborted' });
  expect(refused).not.toHaveProperty('at');
});

it('an action that nobody could approve counts as a skip, and the model is told why it halted', () => {
  const machine = new Machine({ semantics: SEMANTICS });
  machine.send({ type: 'norrisStarted', goal: 'clean up' });
  machine.says('CMD: rm -rf build');
  machine.judges(deadly);
  const [question] = machine.state.questions;
  machine.send({ type: 'answered', question: question?.id ?? '', answer: { kind: 'skip' }, unattended: true });
  expect(machine.conversation.turns.at(-1)?.text).toBe(
    '[aish] action not run: nobody is there to approve it: rm -rf\n$ rm -rf build',
  );
  expect(machine.phase).toMatchObject({ run: { skips: 1, skipsInARow: 1 } });
});

it('a journal of semantics 2 is replayed as before: unapproved actions are reported as skipped by the user', () => {
  const machine = asked(deadly, 2);
  const [question] = machine.state.questions;
  machine.send({ type: 'answered', question: question?.id ?? '', answer: { kind: 'skip' }, unattended: true });
  expect(JSON.stringify(machine.conversation.turns)).toContain('[aish] action skipped by user: rm -rf');
});

it('an answer shows the name of a rule only for the command that it was found in', () => {
  const findings = [{ rule: 'rm -fr', verb: 'deletes files, write-protected ones too', part: [0, 7] as const }];
  const machine = asked({ ...deadly, reason: 'rm -fr', rule: 'rm -fr', findings }, SEMANTICS);
  answer(machine, { kind: 'skip' });
  expect(machine.shown).toContainEqual(
    expect.objectContaining({ kind: 'refused', reason: 'deletes files, write-protected ones too' }),
  );
});

it('an approved command shows the approval and its time, while it runs and after its end', () => {
  const machine = asked(deadly, SEMANTICS);
  answer(machine, { kind: 'proceed' });
  machine.runs('');
  const shown = machine.effects.filter((effect) => effect.kind === 'show' && effect.entry.kind === 'exec');
  expect(shown).toHaveLength(2);
  for (const each of shown) expect(each).toMatchObject({ entry: { approvedAt: 1004 } });
});

it('a command that runs without a question shows no approval', () => {
  const machine = new Machine({ semantics: SEMANTICS, confirmCmd: false });
  machine.send({ type: 'asked', line: 'l', text: 'look' });
  machine.says('CMD: ls');
  machine.judges(PRAISE);
  machine.runs('a\n');
  const exec = machine.shown.find(({ kind }) => kind === 'exec');
  expect(exec).toBeDefined();
  expect(exec).not.toHaveProperty('approvedAt');
});

it('an aborted CMD: line is reported to the model and shown as aborted', () => {
  const machine = asked(deadly, SEMANTICS);
  const told = answer(machine, { kind: 'abort' });
  expect(told).toContain('[aish] not run: aborted by the user\\n$ rm -rf build');
  expect(machine.shown).toContainEqual(expect.objectContaining({ kind: 'refused', how: 'aborted', at: 1004 }));
  expect(machine.phase.kind).toBe('idle');
});

it('journals of version 0.1 are replayed as before', () => {
  expect(answer(asked(PRAISE), { kind: 'skip' })).toContain('skipped by user: only reads or adds');
  const aborted = asked(deadly);
  expect(answer(aborted, { kind: 'abort' })).not.toContain('not run');
  expect(aborted.shown).not.toContainEqual(expect.objectContaining({ how: 'aborted' }));
});

it('an action whose target changed after the question is judged and asked about again, and nothing has run', () => {
  const machine = asked(deadly, SEMANTICS);
  answer(machine, { kind: 'proceed' });
  const { op } = machine;
  machine.send({ type: 'actionStarted', op });
  const outcome = { kind: 'tool', text: 'not run', failed: true } as const;
  machine.send({ type: 'actionVoided', op, outcome });
  expect(machine.last).toContainEqual({ kind: 'hide', key: op });
  expect(machine.phase.kind).toBe('judging');
  machine.judges(deadly);
  expect(machine.state.questions).toMatchObject([{ kind: 'halt', why: 'changed' }]);
  machine.answers('proceed');
  machine.runs('');
  expect(machine.phase.kind).toBe('replying');
});

it('an action whose target changed is asked about again even when the new judgement is harmless', () => {
  const machine = asked(deadly, SEMANTICS);
  answer(machine, { kind: 'proceed' });
  const { op } = machine;
  machine.send({ type: 'actionStarted', op });
  machine.send({ type: 'actionVoided', op, outcome: { kind: 'tool', text: '', failed: true } });
  machine.judges(harmless);
  expect(machine.phase.kind).toBe('halted');
});

it('an action whose target changed is not asked about again after an abort', () => {
  const machine = asked(deadly, SEMANTICS);
  answer(machine, { kind: 'proceed' });
  const { op } = machine;
  machine.send({ type: 'actionStarted', op });
  machine.send({ type: 'aborted' });
  machine.send({ type: 'actionVoided', op, outcome: { kind: 'tool', text: 'not run', failed: true } });
  expect(machine.phase.kind).toBe('idle');
  expect(machine.state.questions).toEqual([]);
});
