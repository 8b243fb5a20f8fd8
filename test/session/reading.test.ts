/** When chat asks before a command that only reads (AC-3). */
import { describe, expect, it } from 'vitest';
import type { Judgement } from '../../src/session/action.ts';
import type { Mode } from '../../src/session/ids.ts';
import { SEMANTICS, type Settings } from '../../src/session/state.ts';
import { bash, delegate, harmless, Machine, printed } from '../support/machine.ts';

const looks: Judgement = { ...harmless, looks: true };
const shows: Judgement = { ...harmless, credential: true };

function asked(confirmCmd: Settings['confirmCmd'], mode: Mode): Machine {
  const machine = new Machine({ confirmCmd, sandbox: true, project: true });
  machine.send({ type: 'modeChosen', mode });
  machine.send({ type: 'asked', line: 'l1', text: 'what is here' });
  return machine;
}

describe('a command in chat that only reads', () => {
  it.each([
    ['acts', 'restricted', 'acting'],
    ['acts', 'project', 'acting'],
    ['acts', 'unrestricted', 'halted'],
    [true, 'restricted', 'halted'],
    [false, 'unrestricted', 'acting'],
  ] as const)('asks or runs as confirm_cmd %s says in %s: %s', (confirmCmd, mode, phase) => {
    const machine = asked(confirmCmd, mode);
    machine.says('CMD: ls');
    machine.judges(looks);
    expect(machine.phase.kind).toBe(phase);
  });

  it('is treated the same through the bash tool', () => {
    const machine = asked('acts', 'restricted');
    machine.says('', bash('c1', 'ls'));
    machine.judges(looks);
    expect(machine.phase.kind).toBe('acting');
  });

  it('asks if it may show a credential to a remote model, whatever is configured', () => {
    for (const confirmCmd of ['acts', true, false] as const) {
      const machine = asked(confirmCmd, 'restricted');
      machine.says('CMD: cat .env');
      machine.judges(shows);
      expect([machine.phase.kind, machine.state.questions[0]]).toMatchObject(['halted', { why: 'consent' }]);
    }
  });

  it.each([
    ['an autonomous run', SEMANTICS, 'halted'],
    ['one in a journal of before', undefined, 'acting'],
  ] as const)('asks about a credential in %s too, since the model receives it there as well', (_, semantics, phase) => {
    const machine = new Machine({ confirmCmd: false, ...(semantics ? { semantics } : {}) });
    machine.send({ type: 'norrisStarted', goal: 'look around' });
    machine.says('CMD: cat .env');
    machine.judges(shows);
    expect(machine.phase.kind).toBe(phase);
  });

  it('asks about a credential in a sub-agent’s work', () => {
    const machine = new Machine({ confirmCmd: false, semantics: SEMANTICS });
    machine.send({ type: 'norrisStarted', goal: 'look around' });
    machine.says('', delegate('c0', 'look'));
    machine.judges(harmless);
    machine.spawns();
    const [child = ''] = machine.children;
    machine.agentSays(child, 'CMD: cat .env');
    machine.judges(shows, false, child);
    expect(machine.state.questions).toMatchObject([{ why: 'consent', action: { kind: 'command' } }]);
  });

  it('is not asked about again after a consent for the session, and other commands are', () => {
    const machine = asked('acts', 'unrestricted');
    machine.says('CMD: ls\nCMD: pwd\nCMD: touch x\nCMD: cat .env');
    machine.judges(looks);
    machine.send({ type: 'answered', question: machine.state.questions[0]?.id ?? '', answer: { kind: 'always' } });
    const run = () => {
      const { op } = machine;
      machine.send({ type: 'actionStarted', op });
      machine.send({ type: 'actionEnded', op, outcome: printed('') });
    };
    run();
    machine.judges(looks);
    run();
    machine.judges(harmless);
    expect(machine.phase.kind).toBe('halted');
    machine.answers('skip');
    machine.judges(shows);
    expect(machine.phase.kind).toBe('halted');
  });
});

it('a command that does more than read can’t be allowed for the session', () => {
  const machine = asked('acts', 'unrestricted');
  machine.says('CMD: touch x');
  machine.judges(harmless);
  machine.send({ type: 'answered', question: machine.state.questions[0]?.id ?? '', answer: { kind: 'always' } });
  expect([machine.phase.kind, machine.state.readsGranted]).toEqual(['halted', undefined]);
});

it('a consent for the session does not cover a wider mode', () => {
  const machine = asked(true, 'restricted');
  machine.says('CMD: ls\nCMD: git status');
  machine.judges(looks);
  machine.send({ type: 'answered', question: machine.state.questions[0]?.id ?? '', answer: { kind: 'always' } });
  const { op } = machine;
  machine.send({ type: 'modeChosen', mode: 'unrestricted' });
  machine.send({ type: 'actionStarted', op });
  machine.send({ type: 'actionEnded', op, outcome: printed('') });
  machine.judges(looks);
  expect(machine.phase.kind).toBe('halted');
});

it('a command that repository settings can redirect gets no lasting consent without a sandbox', () => {
  const held: Judgement = { ...harmless, looks: 'held' };
  const inMode = (mode: Mode) => {
    const machine = asked(true, mode);
    machine.says('CMD: ls\nCMD: git status\nCMD: git status');
    machine.judges(looks);
    machine.send({ type: 'answered', question: machine.state.questions[0]?.id ?? '', answer: { kind: 'always' } });
    const { op } = machine;
    machine.send({ type: 'actionStarted', op });
    machine.send({ type: 'actionEnded', op, outcome: printed('') });
    machine.judges(held);
    return machine;
  };
  expect(inMode('restricted').phase.kind).toBe('acting');
  const open = inMode('unrestricted');
  expect(open.phase.kind).toBe('halted');
  open.send({ type: 'answered', question: open.state.questions[0]?.id ?? '', answer: { kind: 'always' } });
  expect(open.phase.kind).toBe('halted');
});
