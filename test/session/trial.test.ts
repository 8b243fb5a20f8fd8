import { describe, expect, it } from 'vitest';
import type { Examination } from '../../src/session/action.ts';
import type { Trial } from '../../src/session/question.ts';
import {
  bash,
  deadly,
  delegate,
  harmless,
  judged,
  Machine,
  printed,
  triedAs,
  triedToNothing,
} from '../support/machine.ts';

const canTry: Examination = { ...judged(deadly), canTry: true } as Examination;

/** A run at a HALT that can be tried. */
function halted(): Machine {
  const machine = new Machine({ sandbox: true, project: true });
  machine.send({ type: 'norrisStarted', goal: 'tidy' });
  machine.says('', bash('r', 'rm -rf src'), bash('l', 'ls'));
  machine.send({ type: 'examined', op: machine.op, examination: canTry });
  return machine;
}

function tried(trial: Trial = triedAs('t1')): Machine {
  const machine = halted();
  machine.answers('try');
  const outcome = printed('removed src', 0, '/work');
  if (outcome.kind === 'command') machine.send({ type: 'tried', op: machine.op, trial, result: outcome.result });
  return machine;
}

const told = (machine: Machine) => machine.conversation.turns.findLast(({ kind }) => kind === 'result')?.text;
const effect = (machine: Machine, kind: string) => machine.last.find((each) => each.kind === kind);

describe('a HALT whose action is tried', () => {
  it('runs the action only in the trial, and is then the same HALT with the changes listed', () => {
    const machine = halted();
    const [before] = machine.state.questions;
    machine.answers('try');
    expect(machine.phase.kind).toBe('trying');
    expect(machine.state.questions).toEqual([]);
    expect(effect(machine, 'try')).toMatchObject({ action: { command: 'rm -rf src' }, cwd: '/work' });
    expect(effect(machine, 'act')).toBeUndefined();
    const again = tried();
    const [after] = again.state.questions;
    expect(after).toMatchObject({
      kind: 'halt',
      why: 'destructive',
      action: { command: 'rm -rf src' },
      trial: { id: 't1' },
    });
    expect(after?.id).not.toBe(before?.id);
    expect(told(again)).toBeUndefined();
  });

  it('offers no trial unless the engine can run one', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisStarted', goal: 'tidy' });
    machine.says('', bash('r', 'rm -rf src'));
    machine.judges(deadly);
    machine.answers('try');
    expect(machine.phase.kind).toBe('halted');
    expect(effect(machine, 'try')).toBeUndefined();
  });

  it('applies what the trial showed without rerunning it, and gives the model the output', () => {
    const machine = tried();
    machine.answers('apply');
    expect(effect(machine, 'act')).toMatchObject({ trial: { id: 't1', digest: 'digest of t1' } });
    const { op } = machine;
    machine.send({ type: 'actionStarted', op });
    machine.send({ type: 'applied', op, ok: true, text: 'applied: 1 deleted', number: 7 });
    expect(told(machine)).toMatch(/^\[aish\] action tried, then applied by user\n\$ rm -rf src\nremoved src\n\[exit 0/);
    expect(effect(machine, 'discardTrial')).toBeUndefined();
    expect(machine.shown).toContainEqual(expect.objectContaining({ text: '[aish] applied: 1 deleted · :undo 7' }));
    machine.judges(harmless);
    machine.runs('done');
    expect(machine.phase.kind).toBe('replying');
  });

  it('reports a failed apply, also to the model, instead of the trial’s exit', () => {
    const machine = tried();
    machine.answers('apply');
    const { op } = machine;
    machine.send({ type: 'actionStarted', op });
    machine.send({ type: 'applied', op, ok: false, text: 'not applied: src/a changed meanwhile' });
    expect(told(machine)).toContain('[aish] action tried, but it could not be applied: not applied: src/a changed');
    expect(machine.shown).toContainEqual(
      expect.objectContaining({ kind: 'refused', how: 'unapplied', reason: 'src/a changed meanwhile' }),
    );
    expect(machine.shown).not.toContainEqual(expect.objectContaining({ kind: 'exec', result: expect.anything() }));
  });

  it('discards the trial on skip and tells the model, with the user’s note', () => {
    const machine = tried();
    const [question] = machine.state.questions;
    machine.send({ type: 'answered', question: question?.id ?? '', answer: { kind: 'skip', note: 'keep src' } });
    expect(effect(machine, 'discardTrial')).toMatchObject({ trial: 't1' });
    machine.judges(harmless);
    machine.runs('x');
    const [first] = machine.conversation.turns.filter(({ kind }) => kind === 'result');
    expect(first?.text).toMatch(
      /^\[aish\] action tried, then discarded by user: .*the user says: keep src\n\$ rm -rf src\nremoved src/,
    );
  });

  it('runs for real on proceed, without the trial’s result; so does an edited command, judged again', () => {
    const proceeds = tried();
    proceeds.answers('proceed');
    expect(effect(proceeds, 'discardTrial')).toMatchObject({ trial: 't1' });
    expect(effect(proceeds, 'act')).not.toHaveProperty('trial');
    const edits = tried();
    const [question] = edits.state.questions;
    edits.send({ type: 'answered', question: question?.id ?? '', answer: { kind: 'edit', command: 'ls src' } });
    expect(effect(edits, 'discardTrial')).toBeDefined();
    expect(effect(edits, 'examine')).toMatchObject({ action: { command: 'ls src' } });
  });

  it.each([
    ['could not tell', triedAs('t1', false)],
    ['reaches beyond the mode', { ...triedAs('t1'), beyond: '/etc/x lies outside' } as Trial],
    ['would change nothing', triedToNothing('t1')],
  ])('can be tried again, and can’t be applied when the trial %s', (_, trial) => {
    const machine = tried(trial);
    machine.answers('apply');
    expect(machine.phase.kind).toBe('halted');
    machine.answers('try');
    expect(machine.phase.kind).toBe('trying');
  });

  it('ends after an abort once its trial has ended, and discards the trial', () => {
    const machine = halted();
    machine.answers('try');
    const { op } = machine;
    machine.send({ type: 'aborted' });
    expect(effect(machine, 'cancel')).toMatchObject({ op });
    const outcome = printed('', 130);
    if (outcome.kind === 'command') machine.send({ type: 'tried', op, trial: triedAs('late'), result: outcome.result });
    expect(machine.phase.kind).toBe('idle');
    expect(effect(machine, 'discardTrial')).toMatchObject({ trial: 'late' });
  });

  it('after a restart is judged and asked again, with its trial discarded', () => {
    const looking = tried();
    looking.send({ type: 'resumed', settings: looking.conversation.settings });
    expect(effect(looking, 'discardTrial')).toMatchObject({ trial: 't1' });
    expect(looking.phase).toMatchObject({ kind: 'judging', consent: 'asked' });
    const running = halted();
    running.answers('try');
    running.send({ type: 'resumed', settings: running.conversation.settings });
    expect(running.phase).toMatchObject({ kind: 'judging', consent: 'asked' });
  });

  it('never applies a trial again when the program closed during the apply', () => {
    const machine = tried();
    machine.answers('apply');
    machine.send({ type: 'actionStarted', op: machine.op });
    machine.send({ type: 'resumed', settings: machine.conversation.settings });
    expect(effect(machine, 'act')).toBeUndefined();
    const [first] = machine.conversation.turns.filter(({ kind }) => kind === 'result');
    expect(first?.text).toContain('applied as a whole or not at all');
  });

  it('applies its trial before the next action of the reply is judged, so that no later trial replaces it', () => {
    const machine = new Machine({ sandbox: true, project: true });
    machine.send({ type: 'norrisStarted', goal: 'tidy' });
    machine.says('', delegate('a', 'tidy src'), delegate('b', 'tidy docs'));
    machine.send({ type: 'examined', op: machine.op, examination: canTry });
    machine.answers('try');
    const outcome = printed('removed src');
    if (outcome.kind !== 'command') throw new Error('a command has a result');
    machine.send({ type: 'tried', op: machine.op, trial: triedAs('t1'), result: outcome.result });
    machine.answers('apply');
    expect(effect(machine, 'act')).toMatchObject({ trial: { id: 't1' } });
    expect(effect(machine, 'examine')).toBeUndefined();
    machine.send({ type: 'applied', op: machine.op, ok: true, text: 'applied: 1 deleted', number: 7 });
    expect(effect(machine, 'examine')).toMatchObject({ action: { task: 'tidy docs' } });
    expect(effect(machine, 'discardTrial')).toBeUndefined();
  });

  it('discards the trial when the user changes the mode', () => {
    const machine = tried();
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    expect(effect(machine, 'discardTrial')).toMatchObject({ trial: 't1' });
  });
});
