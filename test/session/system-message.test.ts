import { describe, expect, it } from 'vitest';
import { withoutEnd } from '../../src/session/action.ts';
import { composeMessages } from '../../src/session/context.ts';
import type { Mode } from '../../src/session/ids.ts';
import { SEMANTICS } from '../../src/session/state.ts';
import { bash, deadly, delegate, harmless, Machine } from '../support/machine.ts';

const surroundings = { system: 'Linux 6.12 x64', shell: 'zsh', date: 'Sat Nov 28 2026' };

function machineIn(mode: Mode, alone?: true): Machine {
  return new Machine(
    { sandbox: true, project: true, semantics: SEMANTICS, surroundings, ...(alone ? { alone } : {}) },
    mode,
  );
}

const ended = (head: string) => ({ kind: 'command', result: { ...withoutEnd('/work', ''), exit: 1, head } }) as const;

const sent = (machine: Machine, session = 'main') => {
  const conversation = machine.state.sessions[session];
  if (!conversation) throw new Error(`there is no ${session}`);
  return composeMessages(conversation, 'You are aish.');
};
const system = (machine: Machine, session?: string) => sent(machine, session)[0]?.content ?? '';
const lastUser = (machine: Machine) => sent(machine).findLast(({ role }) => role === 'user')?.content;

describe('the system message', () => {
  it('names mode, directory, branch, system, shell, date and the user from the first request on', () => {
    const machine = machineIn('restricted');
    machine.send({ type: 'asked', line: 'l1', text: 'hi', git: 'main, rebase under way' });
    expect(system(machine)).toMatchInlineSnapshot(`
      "You are aish.

      At the start (later changes are told as [aish]):
      Mode: Restricted. Commands run in a kernel sandbox: files can be read but not written (only $TMPDIR can), and there is no network. Use request_mode_upgrade to request write access.
      Directory: /work (git: main, rebase under way)
      System: Linux 6.12 x64; the user's shell is zsh. Date: Sat Nov 28 2026
      The user is there and can answer."
    `);
    expect(lastUser(machine)).toBe('hi');
  });

  it('says that nobody is there to answer', () => {
    const machine = machineIn('project', true);
    machine.send({ type: 'norrisStarted', goal: 'g' });
    expect(system(machine)).toContain('Nobody is there to answer');
    expect(system(machine)).not.toContain('The user is there');
  });

  it('differs between the three modes', () => {
    const heads = (['restricted', 'project', 'unrestricted'] as const).map((mode) => {
      const machine = machineIn(mode);
      machine.send({ type: 'asked', line: 'l1', text: 'hi' });
      return system(machine);
    });
    expect(new Set(heads).size).toBe(3);
  });

  it('names the mode chosen before the first question, without a turn about it', () => {
    const machine = machineIn('restricted');
    machine.send({ type: 'modeChosen', mode: 'project' });
    machine.send({ type: 'asked', line: 'l1', text: 'hi' });
    expect(system(machine)).toContain('Mode: Project.');
    expect(sent(machine)).toHaveLength(2);
  });

  it('stays the same over changes of mode, directory and branch, which become turns before the question', () => {
    const machine = machineIn('restricted');
    machine.send({ type: 'asked', line: 'l1', text: 'hi', git: 'main' });
    const [before] = sent(machine);
    machine.says('Hello.');
    machine.send({ type: 'modeChosen', mode: 'project' });
    machine.send({ type: 'shellMoved', cwd: '/work/sub' });
    machine.send({ type: 'asked', line: 'l2', text: 'and now?', git: 'topic' });
    expect(sent(machine)[0]).toEqual(before);
    expect(lastUser(machine)).toMatch(
      /^\[aish\] mode: Project\.[^\n]*\n\n\[aish\] directory: \/work\/sub \(git: topic\)\n\nand now\?$/,
    );
    machine.says('Fine.');
    machine.send({ type: 'asked', line: 'l3', text: 'still?', git: 'topic' });
    expect(lastUser(machine)).toBe('still?');
    machine.says('Fine.');
    machine.send({ type: 'asked', line: 'l4', text: 'and here?' });
    expect(lastUser(machine)).toBe('[aish] directory: /work/sub\n\nand here?');
  });

  it('is renewed after a reset and a resume', () => {
    const machine = machineIn('restricted');
    machine.send({ type: 'asked', line: 'l1', text: 'hi' });
    machine.says('Hello.');
    machine.send({ type: 'modeChosen', mode: 'unrestricted' });
    machine.send({ type: 'turnsReset' });
    machine.send({ type: 'asked', line: 'l2', text: 'hi' });
    expect(system(machine)).toContain('Mode: Unrestricted.');
    machine.says('Hello.');
    const settings = { ...machine.conversation.settings, surroundings: { ...surroundings, date: 'Sun Nov 29 2026' } };
    machine.send({ type: 'resumed', settings });
    machine.send({ type: 'asked', line: 'l3', text: 'hi' });
    expect(system(machine)).toContain('Date: Sun Nov 29 2026');
  });

  it('omits these facts in journals without them', () => {
    const machine = new Machine({ sandbox: true }, 'restricted');
    machine.send({ type: 'asked', line: 'l1', text: 'hi', git: 'main' });
    expect(system(machine)).toBe('You are aish.');
  });

  it('of a sub-agent names the same facts, and its task does not mention the mode', () => {
    const machine = machineIn('restricted');
    machine.send({ type: 'norrisStarted', goal: 'g', git: 'main' });
    machine.says('', delegate('c1', 'look'));
    machine.judges(harmless);
    machine.spawns();
    const [agent = ''] = machine.children;
    expect(system(machine, agent)).toContain('Directory: /work (git: main)');
    expect(machine.state.sessions[agent]?.turns.map(({ text }) => text)).toEqual(['Task: look']);
  });
});

it('a command that the kernel blocked ends with one line that names the mode', () => {
  const machine = machineIn('restricted');
  machine.send({ type: 'norrisStarted', goal: 'g' });
  machine.says('CMD: touch f');
  machine.judges(harmless);
  const { op } = machine;
  machine.send({ type: 'actionStarted', op });
  machine.send({ type: 'actionEnded', op, outcome: { ...ended('Read-only file system'), refused: 'write' } });
  expect(machine.conversation.turns.at(-1)?.text).toMatch(/\n\[Restricted mode: writing there is blocked\]$/);
});

it('the result of a call repeats the command only if the user changed it', () => {
  const machine = machineIn('unrestricted');
  machine.send({ type: 'norrisStarted', goal: 'g' });
  machine.says('', bash('c1', 'echo hi'));
  machine.judges(harmless);
  machine.runs('hi');
  expect(machine.conversation.turns.at(-1)?.text).toBe('hi\n[exit 0]');
  machine.says('CMD: echo hi');
  machine.judges(harmless);
  machine.runs('hi');
  expect(machine.conversation.turns.at(-1)?.text).toBe('$ echo hi\nhi\n[exit 0]');
  machine.says('', bash('c2', 'rm x'));
  machine.judges(deadly);
  const [question] = machine.state.questions;
  machine.send({ type: 'answered', question: question?.id ?? '', answer: { kind: 'edit', command: 'echo no' } });
  machine.judges(harmless);
  machine.runs('no');
  expect(machine.conversation.turns.at(-1)?.text).toContain('changed the command from: rm x\n$ echo no\nno\n[exit 0');
});

it('a result names the directory only if it differs from the one last reported to the model', () => {
  const machine = machineIn('unrestricted');
  machine.send({ type: 'norrisStarted', goal: 'g' });
  const after = (command: string, cwd: string) => {
    machine.says('', bash(`c-${command}`, command));
    machine.judges(harmless);
    machine.runs('x', 0, cwd);
    return machine.conversation.turns.at(-1)?.text;
  };
  expect(after('ls', '/work')).toBe('x\n[exit 0]');
  expect(after('cd sub', '/work/sub')).toBe('x\n[exit 0, cwd /work/sub]');
  expect(after('make', '/work/sub')).toBe('x\n[exit 0]');
  expect(after('cd ..', '/work')).toBe('x\n[exit 0, cwd /work]');
});

it('the line for evicted turns names the directory at their end, and stays the same when the agent moves on', () => {
  const machine = new Machine({ semantics: SEMANTICS, surroundings, maxNorrisSteps: 50, maxTurns: 8 }, 'unrestricted');
  machine.send({ type: 'norrisStarted', goal: 'g' });
  const goes = (step: number, cwd: string) => {
    machine.says('', bash(`c${step}`, `step ${step}`));
    machine.judges(harmless);
    machine.runs(`${step}`, 0, cwd);
    return sent(machine)[1]?.content;
  };
  goes(0, '/work/sub');
  for (let step = 1; step < 6; step += 1) goes(step, '/work/sub');
  const line = goes(6, '/work/sub');
  expect(line).toMatch(/^\[aish\] earlier turns were left out[\s\S]*\[aish\] directory: \/work\/sub/);
  expect(goes(7, '/work/other')?.split('\n\n')[0]).toBe(line?.split('\n\n')[0]);
});
