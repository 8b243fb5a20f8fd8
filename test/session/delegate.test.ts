import { describe, expect, it } from 'vitest';
import { composeMessages } from '../../src/session/context.ts';
import { SEMANTICS } from '../../src/session/state.ts';
import { bash, deadly, delegate, harmless, Machine } from '../support/machine.ts';

/** A Norris run that delegated these tasks and whose sub-agents have started. */
function delegated(...tasks: string[]): Machine {
  const machine = new Machine({ sandbox: true, semantics: SEMANTICS });
  machine.send({ type: 'norrisStarted', goal: 'look around' });
  machine.says('', ...tasks.map((task, at) => delegate(`c${at}`, task)));
  for (const _ of tasks) machine.judges(harmless);
  machine.spawns();
  return machine;
}

const results = (machine: Machine) =>
  machine.conversation.turns.flatMap((turn) => (turn.kind === 'result' ? [[turn.callId, turn.text]] : []));
const child = (machine: Machine, at = 0) => {
  const conversation = machine.state.sessions[machine.children[at] ?? ''];
  if (!conversation) throw new Error(`there is no sub-agent ${at}`);
  return conversation;
};

describe('a delegated task', () => {
  it('starts a conversation of its own, with the task as its first turn', () => {
    const machine = delegated('count the files');
    expect(child(machine).turns.map((turn) => turn.text)).toEqual(['Task: count the files']);
    const [system, task, ...more] = composeMessages(child(machine), 'You are aish.');
    expect(system?.content).toContain('[SUB-AGENT]');
    expect(system?.content).not.toContain('[NORRIS MODE]');
    expect(task).toEqual({ role: 'user', content: 'Task: count the files' });
    expect(more).toEqual([]);
    expect(machine.effects.findLast((effect) => effect.kind === 'callModel')).toMatchObject({
      session: child(machine).id,
      category: 'delegate',
    });
  });

  it('is told what Restricted means, of which its parent was told long ago', () => {
    const machine = new Machine({ sandbox: true });
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.says('DELEGATE: look');
    machine.judges(harmless);
    machine.spawns();
    expect(child(machine).mode).toBe('restricted');
    expect(child(machine).turns[0]?.text).toMatch(/^Task: look\n\n\[aish\] mode: Restricted/);
  });

  it('is shown to the second opinion below the user’s own words', () => {
    const machine = delegated('rm everything, it is fine');
    machine.agentSays(child(machine).id, 'CMD: make clean');
    expect(machine.last.find((effect) => effect.kind === 'examine')).toMatchObject({ goal: 'look around' });
  });

  it('asks like a CMD: line in chat, and not at all under Norris', () => {
    const machine = new Machine();
    machine.send({ type: 'asked', line: 'l1', text: 'look' });
    machine.says('DELEGATE: look');
    machine.judges(harmless);
    expect(machine.state.questions).toMatchObject([{ why: 'consent', action: { kind: 'delegate', task: 'look' } }]);
    machine.answers('skip');
    expect(machine.children).toEqual([]);
    expect(machine.conversation.turns.at(-1)?.text).toBe('[aish] action skipped by user: only reads\n$ DELEGATE: look');
  });

  it('runs harmless commands without asking, and asks about others under its own name', () => {
    const machine = delegated('tidy');
    const { id } = child(machine);
    machine.agentSays(id, 'CMD: ls');
    machine.judges(harmless, false, id);
    machine.runs('a\n', 0, '/work/sub', id);
    expect(child(machine).cwd).toBe('/work/sub');
    expect(machine.conversation.cwd).toBe('/work');
    machine.agentSays(id, 'CMD: rm -rf a', { id: 'p1', name: 'patch', arguments: '{}' });
    machine.judges(harmless, false, id);
    expect(machine.state.questions).toMatchObject([{ why: 'consent', asker: { agent: 1, task: 'tidy' } }]);
    machine.send({ type: 'answered', question: machine.state.questions[0]?.id ?? '', answer: { kind: 'skip' } }, id);
    machine.judges(deadly, false, id);
    expect(machine.state.questions).toMatchObject([{ why: 'destructive', session: id, step: { k: 2, n: 12 } }]);
  });

  it('delivers its report as the result of the call, and is removed', () => {
    const machine = delegated('one', 'two');
    const [one = '', two = ''] = machine.children;
    machine.agentSays(two, 'Two is fine.\nGOAL: complete');
    // Results keep the order of the calls.
    expect(results(machine)).toEqual([]);
    machine.agentSays(one, 'One is broken.');
    expect(results(machine)).toEqual([
      ['c0', 'One is broken.'],
      ['c1', 'Two is fine.'],
    ]);
    expect(Object.keys(machine.state.sessions)).toEqual(['main']);
    expect(machine.phase.kind).toBe('replying');
  });

  it.each([
    ['GOAL: blocked\nno such place', /could not go on in step 1 of 12: no such place/],
    ['', /without a report/],
  ])('delivers a report when it ends with %j', (said, told) => {
    const machine = delegated('look');
    machine.agentSays(child(machine).id, said);
    // An empty answer is asked for once more.
    if (said === '') machine.agentSays(child(machine).id, said);
    expect(results(machine)[0]?.[1]).toMatch(told);
  });

  it('has its report cut like a command’s output, and an unfinished one shorter', () => {
    const machine = delegated('talk', 'talk');
    const [one = '', two = ''] = machine.children;
    machine.agentSays(one, 'many words\n'.repeat(5000));
    machine.agentSays(two, `${'many words\n'.repeat(5000)}CMD: ls`);
    machine.send({ type: 'aborted' }, two);
    machine.send({ type: 'examined', op: machine.opOf(two), examination: { kind: 'refused', text: '' } }, two);
    const [whole, aborted] = results(machine).map(([, text]) => text ?? '');
    expect(whole?.length).toBeLessThan(8200);
    expect(aborted).toMatch(/^\[aish\] the sub-agent was aborted by the user in step 1 of 12/);
    expect(aborted?.length).toBeLessThan(1300);
  });

  it('runs at most eight at once, and the others wait', () => {
    const machine = delegated(...Array.from({ length: 10 }, (_, at) => `task ${at}`));
    expect(machine.children).toHaveLength(8);
    machine.agentSays(machine.children[3] ?? '', 'Done.');
    machine.send({ type: 'aborted' });
    machine.spawns();
    expect(machine.children).toHaveLength(7);
    for (const id of machine.children) {
      machine.send({ type: 'replyEnded', op: machine.opOf(id), reply: { ...nothing } }, id);
    }
    // The ninth task was allowed just before its sub-agent could start, so neither of the last two did anything.
    expect(machine.phase.kind).toBe('idle');
    expect(results(machine)).toHaveLength(10);
    expect(results(machine)[3]).toEqual(['c3', 'Done.']);
    expect(results(machine)[9]).toEqual(['c9', '[aish] not run: aborted by the user']);
  });

  it('starts in Restricted once the user has chosen it, whatever still runs', () => {
    const machine = new Machine({ sandbox: true });
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.says('DELEGATE: look');
    machine.judges(harmless);
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    expect(machine.conversation.mode).toBe('unrestricted');
    machine.spawns();
    expect(child(machine).mode).toBe('restricted');
  });

  it('does not continue after a restart', () => {
    const machine = delegated('one', 'two');
    const [one = '', two = ''] = machine.children;
    machine.agentSays(one, 'I look first.\nCMD: ls');
    machine.agentSays(two, 'Two is fine.');
    machine.send({ type: 'resumed', settings: machine.conversation.settings });
    expect(results(machine)).toEqual([
      [
        'c0',
        expect.stringMatching(
          /outcome unknown: the program closed meanwhile in its step 1 of 12\nIts last words:\nI look/,
        ),
      ],
      ['c1', 'Two is fine.'],
    ]);
    expect(machine.phase.kind).toBe('idle');
    expect(machine.last.some((effect) => effect.kind === 'act' || effect.kind === 'callModel')).toBe(false);
  });
});

const nothing = { text: '', reasoning: '', toolCalls: [], preset: 'fast', finish: 'cancelled', notices: [] } as const;

describe('a sub-agent', () => {
  it('can neither delegate nor ask for a mode, and is told who can', () => {
    const machine = delegated('look');
    const { id } = child(machine);
    const upgrade = { id: 'u', name: 'request_mode_upgrade', arguments: '{"reason":"x"}' };
    machine.agentSays(id, 'CMD: ls', delegate('d', 'do it'), upgrade);
    expect(child(machine).phase.kind).toBe('judging');
    expect(
      child(machine)
        .turns.slice(2)
        .map((turn) => turn.text),
    ).toEqual([
      'A sub-agent cannot delegate; do it yourself or say in your report what is left.',
      'A sub-agent cannot request an upgrade; only its parent can.',
    ]);
  });

  it.each([undefined, true] as const)(
    'ends its HALT when the whole run is aborted, by the user or without a user (%s)',
    (unattended) => {
      const machine = delegated('clean up');
      const { id } = child(machine);
      machine.agentSays(id, 'CMD: rm -rf build');
      machine.judges(deadly, false, id);
      machine.send({ type: 'aborted', ...(unattended ? { unattended } : {}) });
      const refused = machine.shown.find(({ kind }) => kind === 'refused');
      expect(refused).toMatchObject({ how: 'aborted' });
      expect('at' in (refused ?? {})).toBe(!unattended);
    },
  );

  it('ends when its HALT is aborted, and the parent is told and continues', () => {
    const machine = delegated('tidy');
    const { id } = child(machine);
    machine.agentSays(id, '', bash('b', 'rm -rf x'));
    machine.judges(deadly, false, id);
    const question = machine.state.questions[0]?.id ?? '';
    machine.send({ type: 'answered', question, answer: { kind: 'abort' } }, id);
    expect(results(machine)[0]?.[1]).toContain('was aborted by the user in step 1 of 12');
    expect(machine.phase.kind).toBe('replying');
  });

  it('shows its steps below its task', () => {
    const machine = delegated('look');
    const { id } = child(machine);
    machine.agentSays(id, 'CMD: ls');
    const inside = machine.effects.filter((effect) => effect.kind === 'show' && effect.within !== undefined);
    expect(inside).toMatchObject([
      { entry: { kind: 'norrisStep', step: 1, maxSteps: 12 } },
      { entry: { kind: 'assistant' } },
    ]);
  });
});
