import { describe, expect, it } from 'vitest';
import { SEMANTICS, type Settings } from '../../src/session/state.ts';
import { bash, harmless, Machine } from '../support/machine.ts';

function started(more: Partial<Settings> = {}): Machine {
  const machine = new Machine({ semantics: SEMANTICS, maxNorrisSteps: 16, ...more });
  machine.send({ type: 'norrisStarted', goal: 'g' });
  return machine;
}

let id = 0;
/** The model asks for a command. Returns whether it runs. */
function does(machine: Machine, command: string, output = 'no such file'): boolean {
  id += 1;
  machine.says('', bash(`c${id}`, command));
  if (machine.phase.kind !== 'judging') return false;
  machine.judges(harmless);
  machine.runs(output, 1);
  return true;
}

const last = (machine: Machine) => machine.conversation.turns.at(-1)?.text;
const ending = (machine: Machine) => machine.shown.find((entry) => entry.kind === 'norrisEnded');

describe('the same call several times in a row', () => {
  it('is not run a third time after two equal results, and the model and the user are told', () => {
    const machine = started();
    expect([does(machine, 'cat x'), does(machine, 'cat x'), does(machine, 'cat x')]).toEqual([true, true, false]);
    expect(last(machine)).toMatch(/^\[aish\] not run: you have run this twice with the same result/);
    expect(machine.shown.findLast((entry) => entry.kind === 'refused')).toMatchObject({ how: 'invalid' });
    expect(does(machine, 'ls', 'y')).toBe(true);
    expect(does(machine, 'cat x')).toBe(true);
  });

  it('still runs if its result differs, another call came between, or the user asked again', () => {
    const machine = started();
    for (const output of ['1', '2', '3', '4']) expect(does(machine, 'make', output)).toBe(true);
    for (const command of ['cat x', 'ls', 'cat x', 'ls', 'cat x']) expect(does(machine, command)).toBe(true);
    does(machine, 'cat x');
    machine.send({ type: 'asked', line: 'l1', text: 'again, please' });
    expect(does(machine, 'cat x')).toBe(true);
  });

  it('still runs if it waits for something', () => {
    const machine = started();
    for (let time = 0; time < 5; time += 1) expect(does(machine, 'sleep 5; cat x')).toBe(true);
  });

  it('ends an unattended run as stalled the next time', () => {
    const machine = started({ alone: true });
    for (let time = 0; time < 3; time += 1) does(machine, 'cat x');
    expect(ending(machine)).toBeUndefined();
    does(machine, 'cat x');
    expect(ending(machine)).toMatchObject({ status: 'stalled' });
    const results = machine.conversation.turns.filter((turn) => turn.kind === 'result');
    expect(results).toHaveLength(4);
  });

  it('does not end a run while a user is there to end it', () => {
    const machine = started();
    for (let time = 0; time < 6; time += 1) does(machine, 'cat x');
    expect(machine.phase.kind).toBe('replying');
  });

  it('still runs in older journals', () => {
    const machine = started({ semantics: 2 });
    for (let time = 0; time < 5; time += 1) expect(does(machine, 'cat x')).toBe(true);
  });
});
