import { describe, expect, it } from 'vitest';
import { bash, deadly, harmless, Machine, opsOf, printed, readOnly } from '../support/machine.ts';

/** A Norris run whose reply asks for these commands, all of them read-only. */
function reading(...commands: string[]): Machine {
  const machine = new Machine({ sandbox: true });
  machine.send({ type: 'norrisStarted', goal: 'g' });
  machine.reads('', ...commands.map((command, at) => bash(`c${at}`, command)));
  return machine;
}

const results = (machine: Machine) =>
  machine.conversation.turns.flatMap((turn) => (turn.kind === 'result' ? [turn.callId] : []));
const start = (machine: Machine) => {
  for (const op of opsOf(machine.state, 'main')) machine.send({ type: 'actionStarted', op });
};
const end = (machine: Machine, op: string | undefined, cwd = '/work') =>
  machine.send({ type: 'actionEnded', op: op ?? '', outcome: printed('x', 0, cwd) });

describe('read-only actions', () => {
  it('are all judged, then run side by side; results keep the order of the calls', () => {
    const machine = reading('ls', 'cat a', 'pwd');
    for (let at = 0; at < 3; at += 1) machine.judges(readOnly);
    const [one, two, three] = opsOf(machine.state, 'main');
    start(machine);
    end(machine, three);
    end(machine, one);
    expect(results(machine)).toEqual(['c0']);
    end(machine, two);
    expect(results(machine)).toEqual(['c0', 'c1', 'c2']);
    expect(machine.phase.kind).toBe('replying');
  });

  it('never change the agent’s directory when several run, although a single one does', () => {
    const together = reading('ls', 'pwd');
    together.judges(readOnly);
    together.judges(readOnly);
    start(together);
    for (const op of opsOf(together.state, 'main')) end(together, op, '/elsewhere');
    expect(together.conversation.cwd).toBe('/work');
    const alone = reading('ls');
    alone.judges(readOnly);
    alone.runs('x', 0, '/elsewhere');
    expect(alone.conversation.cwd).toBe('/elsewhere');
  });

  it('run one by one when the gate’s second judgement differs', () => {
    const machine = reading('ls', 'cat a', 'touch b');
    machine.judges(readOnly);
    machine.judges(readOnly);
    machine.judges(harmless);
    expect(opsOf(machine.state, 'main')).toHaveLength(1);
    machine.runs('x');
    machine.runs('x');
    expect(machine.phase.kind).toBe('judging');
    machine.judges(harmless);
    machine.runs('x');
    expect(results(machine)).toEqual(['c0', 'c1', 'c2']);
  });

  it('stop before a mode request', () => {
    const machine = new Machine({ sandbox: true });
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    machine.send({ type: 'norrisStarted', goal: 'g' });
    const upgrade = { id: 'u', name: 'request_mode_upgrade', arguments: '{"reason":"x"}' };
    machine.reads('', bash('a', 'ls'), upgrade, bash('b', 'ls'));
    machine.judges(readOnly);
    expect(opsOf(machine.state, 'main')).toHaveLength(1);
    machine.runs('x');
    expect(machine.phase.kind).toBe('awaitingModeApproval');
  });

  it('are judged again in another mode, and none starts in the old one', () => {
    const machine = reading('ls', 'pwd');
    machine.judges(readOnly);
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    machine.judges(readOnly);
    machine.judges(readOnly);
    const acts = machine.effects.filter((effect) => effect.kind === 'act');
    expect(acts.map((act) => act.mode)).toEqual(['restricted', 'restricted']);
  });

  it('stay skipped where the user skipped them, even when their neighbours are judged again', () => {
    const machine = reading('ls', 'cat a', 'pwd');
    const halt = { ...readOnly, destructive: true };
    machine.judges(readOnly);
    machine.judges(halt);
    machine.answers('skip');
    // The third is being judged: a tighter mode judges the first and the third again.
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    machine.judges(readOnly);
    machine.judges(readOnly);
    expect(machine.state.questions).toEqual([]);
    machine.runs('x');
    machine.runs('y');
    expect(results(machine)).toEqual(['c0', 'c1', 'c2']);
    expect(machine.conversation.turns).toContainEqual(
      expect.objectContaining({ callId: 'c1', text: expect.stringContaining('skipped by user') }),
    );
  });

  it('stay skipped also while Restricted waits for the running one to end', () => {
    const machine = reading('ls', 'cat a', 'pwd');
    machine.judges(readOnly);
    machine.judges({ ...readOnly, destructive: true });
    machine.answers('skip');
    machine.judges(harmless);
    expect(machine.phase).toMatchObject({ kind: 'acting', slots: [{ kind: 'running' }, { kind: 'notRun' }] });
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    machine.runs('x');
    expect(machine.state.questions).toEqual([]);
    expect(results(machine)).toEqual(['c0', 'c1']);
    expect(machine.phase).toMatchObject({ kind: 'judging', dispatch: { index: 2 } });
  });

  it('are unchanged when the user takes back the change to Restricted before it took effect', () => {
    const machine = reading('ls', 'pwd');
    machine.judges(readOnly);
    machine.judges(readOnly);
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    machine.send({ type: 'modeChosen', mode: 'unrestricted' });
    machine.runs('x');
    machine.runs('y');
    expect(machine.state.sessions.main).toMatchObject({ mode: 'unrestricted', tightening: undefined });
  });

  it('each get one result when they are aborted midway', () => {
    const machine = reading('ls', 'cat a', 'pwd');
    for (let at = 0; at < 3; at += 1) machine.judges(readOnly);
    const [one, two, three] = opsOf(machine.state, 'main');
    start(machine);
    end(machine, two);
    machine.send({ type: 'aborted' });
    end(machine, three);
    expect(machine.phase.kind).toBe('stoppingActions');
    end(machine, one);
    expect(results(machine)).toEqual(['c0', 'c1', 'c2']);
    expect(machine.phase.kind).toBe('idle');
  });

  it('have unknown outcomes after a restart if they had started, and keep the results of finished ones', () => {
    const machine = reading('ls', 'cat a');
    machine.judges(readOnly);
    machine.judges(readOnly);
    const [, two] = opsOf(machine.state, 'main');
    start(machine);
    end(machine, two);
    machine.send({ type: 'resumed', settings: machine.conversation.settings });
    const texts = machine.conversation.turns.flatMap((turn) => (turn.kind === 'result' ? [turn.text] : []));
    expect(texts).toEqual([expect.stringContaining('outcome unknown'), expect.stringContaining('exit 0')]);
    expect(machine.phase.kind).toBe('idle');
  });
});

describe('actions that do more than read', () => {
  it('run in order, each judged when its turn comes', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.says('CMD: mkdir d\nCMD: touch d/f');
    machine.judges(harmless);
    expect(machine.last.map((effect) => effect.kind)).toEqual(['act']);
    machine.runs('');
    expect(machine.phase.kind).toBe('judging');
  });

  it('halt at their place among read-only ones', () => {
    const machine = reading('ls', 'rm -rf x');
    machine.judges(readOnly);
    machine.judges(deadly);
    machine.runs('x');
    machine.judges(deadly);
    expect(machine.state.questions).toMatchObject([{ why: 'destructive' }]);
  });
});
