/** Unrestricted runs in a light sandbox. A refusal there leads to one question (MO-12). */
import { expect, it } from 'vitest';
import type { Judgement } from '../../src/session/action.ts';
import { PACKAGES } from '../../src/session/leaving.ts';
import type { Attempt, Outcome } from '../../src/session/phase.ts';
import { SEMANTICS } from '../../src/session/state.ts';
import { bash, deadly, harmless, Machine, printed } from '../support/machine.ts';

const now = { sandbox: true, project: true, offers: true, semantics: SEMANTICS } as const;

function run(): Machine {
  const machine = new Machine({ ...now, maxNorrisSteps: 20 }, 'unrestricted');
  machine.send({ type: 'norrisStarted', goal: 'mount it' });
  return machine;
}

let calls = 0;
/** The model runs a command that the gate allows, and it ends with `outcome`. */
function runs(machine: Machine, outcome: Outcome, judgement: Judgement = harmless): void {
  calls += 1;
  machine.says('', bash(`c${calls}`, `mount image ${calls}`));
  machine.judges(judgement);
  if (judgement.destructive) machine.answers('proceed');
  ends(machine, outcome);
}

function ends(machine: Machine, outcome: Outcome): void {
  const { op } = machine;
  machine.send({ type: 'actionStarted', op });
  machine.send({ type: 'actionEnded', op, outcome });
}

const worked = printed('done');
const refused = (attempt?: Attempt): Outcome =>
  ({ ...printed('Operation not permitted', 1), refused: 'sandbox', ...(attempt ? { attempt } : {}) }) as Outcome;
/** Returns for each started command whether it ran outside. */
const started = (machine: Machine) =>
  machine.effects.flatMap((effect) => (effect.kind === 'act' ? [effect.outside === true] : []));

it('after a refusal by the light sandbox the user is asked, and a yes runs the same command outside it once', () => {
  const machine = run();
  runs(machine, refused());
  expect(machine.state.questions).toMatchObject([{ kind: 'mode', outside: true, offers: [] }]);
  machine.answers('proceed');
  machine.judges(harmless);
  ends(machine, worked);
  expect(started(machine)).toEqual([false, true]);
  runs(machine, refused());
  expect(started(machine)).toEqual([false, true, false]);
  expect(machine.state.questions).toMatchObject([{ kind: 'mode', outside: true }]);
});

it('the changes of the first attempt are undone before the command runs outside the sandbox', () => {
  const machine = run();
  runs(machine, refused({ action: 7, whole: true }));
  expect(machine.state.questions).toMatchObject([
    { reason: 'the light sandbox refused something; a yes takes back what the command has changed and runs it again' },
  ]);
  machine.answers('proceed');
  expect(machine.effects.findLast(({ kind }) => kind === 'examine')).toMatchObject({ takesBack: 7 });
});

it('after a yes for the session everything runs outside the sandbox, until the yes is revoked', () => {
  const machine = run();
  runs(machine, refused());
  machine.answers('always');
  machine.judges(harmless);
  ends(machine, worked);
  runs(machine, worked);
  expect(started(machine)).toEqual([false, true, true]);
  machine.send({ type: 'ruleSet', rule: 'outside', allowed: false });
  runs(machine, worked);
  expect(started(machine)).toEqual([false, true, true, false]);
});

it('after a no the light sandbox does not ask again', () => {
  const machine = run();
  runs(machine, refused());
  machine.answers('skip');
  runs(machine, refused());
  expect(machine.state.questions).toEqual([]);
  expect(machine.phase.kind).toBe('replying');
  expect(started(machine)).toEqual([false, false]);
});

it('a command approved at a HALT runs outside the sandbox at once', () => {
  const machine = run();
  runs(machine, worked, deadly);
  expect(started(machine)).toEqual([true]);
});

it('system package managers that the user allowed as root run outside the sandbox at once', () => {
  const machine = run();
  const installs: Judgement = { ...harmless, leaves: [{ to: PACKAGES, what: ['jq'], connects: [] }] };
  for (const asks of [true, false]) {
    machine.says('', bash(`i${asks}`, `sudo apt-get install jq ${asks}`));
    machine.judges(installs);
    if (asks) machine.answers('proceed');
    ends(machine, worked);
  }
  expect(started(machine)).toEqual([true, true]);
});

it('a command that is destructive outside the sandbox asks again', () => {
  const machine = run();
  runs(machine, refused());
  machine.answers('proceed');
  machine.judges(deadly);
  expect(machine.state.questions).toMatchObject([{ kind: 'halt', why: 'destructive' }]);
});
