import { describe, expect, it } from 'vitest';
import { SEMANTICS } from '../../src/session/state.ts';
import { harmless, Machine, reply } from '../support/machine.ts';

function asked(semantics: typeof SEMANTICS | 2 = SEMANTICS): Machine {
  const machine = new Machine({ semantics });
  machine.send({ type: 'asked', line: 'l1', text: 'what is here?' });
  return machine;
}

function started(): Machine {
  const machine = new Machine({ semantics: SEMANTICS });
  machine.send({ type: 'norrisStarted', goal: 'g' });
  return machine;
}

const ending = (machine: Machine) => machine.shown.find((entry) => entry.kind === 'norrisEnded');
const calls = (machine: Machine) => machine.effects.filter((effect) => effect.kind === 'callModel');

describe('a useless answer', () => {
  it('ends a run as stalled only the second time, and counts as no step', () => {
    const machine = started();
    machine.says('I will now list the files.');
    expect(ending(machine)).toBeUndefined();
    expect(machine.conversation.turns.at(-1)?.text).toMatch(/^\[aish\] Nothing ran\. To act, .*GOAL: complete/);
    machine.says('I will now list the files.');
    expect(ending(machine)).toMatchObject({ status: 'stalled', steps: 1 });
  });

  it('makes the program ask the model once more, in each step', () => {
    const machine = started();
    machine.says('');
    machine.says('CMD: ls');
    machine.judges(harmless);
    machine.runs('x');
    machine.says('');
    machine.says('GOAL: complete');
    expect(ending(machine)).toMatchObject({ status: 'done', steps: 2 });
  });

  it('makes the limit of the next answer twice as high when it was spent on thinking', () => {
    const machine = asked();
    machine.send({ type: 'replyEnded', op: machine.op, reply: reply('', [], { reasoning: 'hm', finish: 'length' }) });
    expect(calls(machine).map(({ longer }) => longer)).toEqual([undefined, true]);
  });

  it('in a chat is one that is empty, cut, or a command in a list, but not text', () => {
    for (const [text, more] of [
      ['', {}],
      ['half of', { finish: 'length' as const }],
      ['- CMD: ls', {}],
    ] as const) {
      const machine = asked();
      machine.send({ type: 'replyEnded', op: machine.op, reply: reply(text, [], more) });
      expect(machine.phase.kind).toBe('replying');
      machine.says('Three files.');
      expect(machine.phase.kind).toBe('idle');
    }
    const machine = asked();
    machine.says('Three files.');
    expect(machine.phase.kind).toBe('idle');
  });

  it('is accepted in older journals', () => {
    const machine = asked(2);
    machine.says('');
    expect(machine.phase.kind).toBe('idle');
  });
});
