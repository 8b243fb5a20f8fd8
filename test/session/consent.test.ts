/** Which actions ask first, by mode and kind of effect (AC-6), and what happens after a yes to a wider mode (MO-11). */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Judgement } from '../../src/session/action.ts';
import { CONSENT } from '../../src/session/consent.ts';
import type { Mode } from '../../src/session/ids.ts';
import type { Attempt } from '../../src/session/phase.ts';
import { SEMANTICS, type Settings } from '../../src/session/state.ts';
import { bash, deadly, harmless, Machine, printed } from '../support/machine.ts';

const kept: Judgement = { ...harmless, kept: true };
const PATCH = { id: 'p1', name: 'patch', arguments: '{}' };
const SERVER = { id: 's1', name: 'files__write', arguments: '{}' };
const DENIED = { ...printed('Permission denied', 1), refused: 'write' } as const;
const now = { sandbox: true, project: true, offers: true, semantics: SEMANTICS } as const;

function chat(mode: Mode, change: Partial<Settings> = {}): Machine {
  const machine = new Machine({ ...now, confirmCmd: 'acts', ...change }, mode);
  machine.send({ type: 'asked', line: 'l1', text: 'fix it' });
  return machine;
}

function run(mode: Mode, change: Partial<Settings> = {}): Machine {
  const machine = new Machine({ ...now, confirmCmd: 'acts', ...change }, mode);
  machine.send({ type: 'norrisStarted', goal: 'fix it' });
  return machine;
}

describe('a change that can be undone', () => {
  it.each([
    ['a chat in Project', chat('project'), 'acting'],
    ['a run in Project', run('project'), 'acting'],
    ['a chat in Unrestricted', chat('unrestricted'), 'halted'],
    ['a run in Unrestricted', run('unrestricted'), 'acting'],
    ['a chat where confirm_cmd is true', chat('project', { confirmCmd: true }), 'halted'],
  ] as const)('made by a command in %s asks or runs as the table says: %#', (_, machine, phase) => {
    machine.says('', bash('c1', 'sed -i s/a/b/ notes.txt'));
    machine.judges(kept);
    expect(machine.phase.kind).toBe(phase);
  });

  it('by patch runs in Project without a question, in a chat and in a run', () => {
    for (const machine of [chat('project'), run('project')]) {
      machine.says('', PATCH);
      machine.judges(kept);
      expect(machine.phase.kind).toBe('acting');
    }
  });
});

it('in Restricted a command of unknown effect runs, and the kernel blocks its changes', () => {
  const machine = chat('restricted');
  machine.says('', bash('c1', './tool'));
  machine.judges(harmless);
  expect(machine.phase.kind).toBe('acting');
});

it('a tool of an MCP server asks in every mode unless the user allows it', () => {
  for (const [approved, phase] of [
    [false, 'halted'],
    [true, 'acting'],
  ] as const) {
    const machine = run('unrestricted');
    machine.says('', SERVER);
    machine.judges(harmless, approved);
    expect(machine.phase.kind).toBe(phase);
  }
});

it('a destructive action halts in every mode, in a chat and in a run', () => {
  for (const mode of ['restricted', 'project', 'unrestricted'] as const)
    for (const machine of [chat(mode), run(mode)]) {
      machine.says('', bash('c1', 'rm -rf src'));
      machine.judges(deadly);
      expect(machine.state.questions).toMatchObject([{ kind: 'halt', why: 'destructive' }]);
    }
});

it('an older journal asks in a chat in Project, as the program that wrote it did', () => {
  const machine = chat('project', { semantics: 2 });
  machine.says('', PATCH);
  machine.judges(kept);
  expect(machine.phase.kind).toBe('halted');
});

describe('a HALT about an action that Restricted would block', () => {
  function halted(): Machine {
    const machine = run('restricted');
    machine.says('', bash('c1', 'rm -rf src'));
    machine.judges(deadly);
    return machine;
  }
  const answer = (machine: Machine, mode: Mode) =>
    machine.send({
      type: 'answered',
      question: machine.state.questions[0]?.id ?? '',
      answer: { kind: 'proceed', mode },
    });

  it('switches the mode and runs the action with one answer', () => {
    const machine = halted();
    answer(machine, 'project');
    expect([machine.conversation.mode, machine.phase.kind]).toEqual(['project', 'judging']);
    machine.judges(deadly);
    expect([machine.phase.kind, machine.state.questions]).toEqual(['acting', []]);
  });

  it('asks again when the gate finds more dangers in the wider mode than were shown', () => {
    const machine = halted();
    answer(machine, 'unrestricted');
    const findings = [{ rule: 'dd', verb: 'overwrites a disk', part: [0, 2] as const }];
    machine.judges({ ...deadly, findings });
    expect(machine.state.questions).toMatchObject([{ kind: 'halt', why: 'destructive' }]);
  });
});

describe('an action that the mode refused', () => {
  function refused(machine: Machine, call = bash('c1', 'echo x > y'), attempt?: Attempt): Machine {
    machine.says('', call);
    machine.judges(harmless);
    const { op } = machine;
    machine.send({ type: 'actionStarted', op });
    machine.send({ type: 'actionEnded', op, outcome: { ...DENIED, ...(attempt ? { attempt } : {}) } });
    return machine;
  }

  it('runs again after a yes, and the model gets its result with the next request', () => {
    const machine = refused(run('restricted'));
    expect(machine.state.questions).toMatchObject([{ kind: 'mode', action: { command: 'echo x > y' } }]);
    machine.answers('proceed');
    expect(machine.phase).toMatchObject({ kind: 'judging' });
    machine.judges(kept);
    machine.runs('written\n');
    expect(machine.phase.kind).toBe('replying');
    const results = machine.conversation.turns.filter(({ kind }) => kind === 'result');
    expect(results).toHaveLength(1);
    expect(machine.conversation.turns.slice(-2).map(({ text }) => text)).toEqual([
      expect.stringContaining('[aish] mode: Project.'),
      expect.stringContaining('written'),
    ]);
  });

  it('stays refused after a no, and no further refusal asks', () => {
    const machine = refused(run('restricted'));
    machine.answers('skip');
    expect(machine.phase.kind).toBe('replying');
    refused(machine, bash('c2', 'touch z'));
    expect([machine.phase.kind, machine.state.questions]).toEqual(['replying', []]);
  });

  it('asks before the next action of the same reply, which then follows the repeated one', () => {
    const machine = run('restricted');
    machine.says('', bash('c1', 'echo x > y'), bash('c2', 'cat y'));
    machine.judges(harmless);
    const { op } = machine;
    machine.send({ type: 'actionStarted', op });
    machine.send({ type: 'actionEnded', op, outcome: DENIED });
    machine.answers('proceed');
    machine.judges(kept);
    machine.runs('written\n');
    machine.judges(kept);
    machine.runs('x\n');
    const results = machine.conversation.turns.filter(({ kind }) => kind === 'result');
    expect(results.map((turn) => turn.kind === 'result' && turn.callId)).toEqual(['c1', 'c2']);
  });

  it.each([
    ['takes back what the command has changed and runs it again', { action: 7, whole: true }, 7],
    ['runs this again', { whole: true }, undefined],
    ['has already run: run all of it again?', { action: 7, whole: false }, undefined],
    ['has already run: run all of it again?', undefined, undefined],
  ] as const)('in Project asks about the repeat and explains that a yes %s', (text, attempt, takesBack) => {
    const machine = refused(run('project'), bash('c1', 'echo x >> y; curl z'), attempt);
    expect(machine.state.questions).toMatchObject([{ reason: expect.stringContaining(text) }]);
    const [question] = machine.state.questions;
    machine.send({ type: 'answered', question: question?.id ?? '', answer: { kind: 'unrestricted' } });
    const examined = machine.effects.filter(({ kind }) => kind === 'examine').at(-1);
    expect(examined).toMatchObject({ mode: 'unrestricted', action: { command: 'echo x >> y; curl z' } });
    expect(examined?.kind === 'examine' && examined.takesBack).toBe(takesBack);
  });

  it('in Project keeps the changes of a refused command when the answer is no', () => {
    const machine = refused(run('project'), bash('c1', 'echo x >> y; curl z'), { action: 7, whole: true });
    machine.answers('skip');
    expect(machine.effects.some((effect) => effect.kind === 'examine' && effect.takesBack !== undefined)).toBe(false);
  });

  it('asks nothing when the user has just chosen the narrower mode, nor for a plan', () => {
    const machine = new Machine({ ...now, preplanner: 'big' });
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.says('TASK: one\nTASK: two');
    expect(machine.state.questions).toEqual([]);
    refused(machine);
    expect(machine.state.questions).toEqual([]);
  });

  it('runs again after a yes when it is a patch that Restricted refused', () => {
    const machine = chat('restricted');
    machine.says('', PATCH);
    machine.answers('proceed');
    expect(machine.phase.kind).toBe('judging');
    machine.judges(kept);
    expect(machine.phase.kind).toBe('acting');
  });
});

it('docs/effects.md contains the table of consents', () => {
  const text = readFileSync(new URL('../../docs/effects.md', import.meta.url), 'utf8');
  for (const kind of ['reads', 'kept', 'other', 'subAgent', 'server', 'credential', 'loses'] as const) {
    const words = (['restricted', 'project', 'unrestricted'] as const).map((mode) => CONSENT[mode][kind]);
    const row = text.split('\n').find((line) => line.includes(`\`${kind}\``));
    expect(
      row
        ?.split('|')
        .slice(2, 5)
        .map((cell) => cell.trim().split(' ')[0]),
    ).toEqual(words);
  }
});
