import { describe, expect, it } from 'vitest';
import { bash, deadly, harmless, Machine, reply } from '../support/machine.ts';

const texts = (machine: Machine) => machine.conversation.turns.map((turn) => turn.text);

describe('chat', () => {
  it('answers a question and becomes idle', () => {
    const machine = new Machine();
    machine.send({ type: 'asked', line: 'l1', text: 'what is this?' });
    expect(machine.phase.kind).toBe('replying');
    machine.says('A shell.');
    expect(machine.phase.kind).toBe('idle');
    expect(texts(machine)).toEqual(['what is this?', 'A shell.']);
  });

  it('confirms a harmless CMD: line, runs it, and continues until a reply has no action', () => {
    const machine = new Machine();
    machine.send({ type: 'asked', line: 'l1', text: 'where am I?' });
    machine.says('CMD: pwd');
    machine.judges(harmless);
    expect(machine.state.questions[0]).toMatchObject({ kind: 'halt', why: 'consent' });
    machine.answers('proceed');
    machine.runs('/work\n');
    expect(machine.phase.kind).toBe('replying');
    expect(texts(machine).at(-1)).toBe('[aish] action approved\n$ pwd\n/work\n[exit 0, cwd /work]');
    machine.says('You are in /work.');
    expect(machine.phase.kind).toBe('idle');
  });

  it('tells the model which of its calls did not fit into one reply', () => {
    const machine = new Machine();
    machine.send({ type: 'asked', line: 'l1', text: 'look' });
    const said = reply('', [bash('a', 'ls')], { tooMany: 6 });
    machine.send({ type: 'replyEnded', op: machine.op, reply: said });
    machine.judges(harmless);
    machine.answers('proceed');
    machine.runs('');
    expect(texts(machine).at(-1)).toMatch(/only the first 1 calls of your answer were taken; 6 more were not run/);
  });

  it('asks once about a destructive command, not twice', () => {
    const machine = new Machine();
    machine.send({ type: 'asked', line: 'l1', text: 'clean up' });
    machine.says('CMD: rm -rf /tmp/foo');
    machine.judges(deadly);
    expect(machine.state.questions).toHaveLength(1);
    expect(machine.state.questions[0]).toMatchObject({ why: 'destructive' });
    machine.answers('proceed');
    expect(machine.phase.kind).toBe('acting');
  });

  it('queues a line for the model while a step runs, and takes it back', () => {
    const machine = new Machine();
    machine.send({ type: 'asked', line: 'l1', text: 'one' });
    machine.send({ type: 'asked', line: 'l2', text: 'two' });
    machine.send({ type: 'asked', line: 'l3', text: 'three' });
    machine.send({ type: 'lineTakenBack', line: 'l3' });
    expect(machine.last).toContainEqual({ kind: 'giveBack', text: 'three' });
    machine.says('first answer');
    expect(machine.phase.kind).toBe('replying');
    expect(texts(machine)).toEqual(['one', 'first answer', 'two']);
  });

  it('knows that a command of the user changed the directory, even when the shell reported that first', () => {
    const machine = new Machine();
    machine.send({ type: 'shellStarted', op: 's1', line: 'cd /tmp', private: false });
    machine.send({ type: 'shellMoved', cwd: '/tmp' });
    const result = { exit: 0, cwd: '/tmp', head: '', tail: '', omittedLines: 0, bytes: 0, milliseconds: 5 };
    machine.send({ type: 'shellEnded', op: 's1', result });
    expect(machine.shown.at(-1)).toMatchObject({ kind: 'exec', cwd: '/work', result: { cwd: '/tmp' } });
    expect(machine.state.shell).toEqual({ cwd: '/tmp' });
  });

  it('stays on the machine that the user changed to while a line ran on another', () => {
    const machine = new Machine();
    const result = { exit: 0, cwd: 'web1:/srv', head: '', tail: '', omittedLines: 0, bytes: 0, milliseconds: 5 };
    machine.send({ type: 'shellMoved', cwd: 'web1:/srv' });
    machine.send({ type: 'shellStarted', op: 's1', line: 'exit', private: false });
    machine.send({ type: 'shellMoved', cwd: '/work' });
    machine.send({ type: 'shellEnded', op: 's1', result });
    expect(machine.shown.at(-1)).toMatchObject({ kind: 'exec', cwd: 'web1:/srv' });
    expect(machine.state.shell).toEqual({ cwd: '/work' });
  });

  it('tells the model what the user ran meanwhile, except private lines', () => {
    const machine = new Machine();
    const result = { exit: 1, cwd: '/work', head: 'no\n', tail: '', omittedLines: 0, bytes: 3, milliseconds: 1 };
    machine.send({ type: 'shellStarted', op: 's1', line: 'false', private: false });
    machine.send({ type: 'shellEnded', op: 's1', result });
    machine.send({ type: 'shellStarted', op: 's2', line: 'cat secret', private: true });
    machine.send({ type: 'shellEnded', op: 's2', result });
    machine.send({ type: 'asked', line: 'l1', text: 'why?' });
    expect(texts(machine)).toEqual(['[aish] the user ran:\n$ false\nno\n[exit 1, cwd /work]', 'why?']);
  });

  it('never runs the actions of a cut reply', () => {
    const machine = new Machine();
    machine.send({ type: 'asked', line: 'l1', text: 'x' });
    const failure = { kind: 'cut', message: 'the stream ended early' } as const;
    const cut = reply('CMD: ls', [bash('c', 'date')], { finish: 'failed', failure });
    machine.send({ type: 'replyEnded', op: machine.op, reply: cut });
    expect(machine.phase.kind).toBe('idle');
    expect(machine.effects.some((effect) => effect.kind === 'examine')).toBe(false);
    expect(machine.conversation.turns.at(-1)).toMatchObject({ text: 'CMD: ls', toolCalls: [], partial: true });
  });
});

describe('Norris', () => {
  it('runs harmless commands without asking, and ends as done after the actions of the reply that says so', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisStarted', goal: 'count' });
    machine.says('CMD: ls\nGOAL: complete');
    machine.judges(harmless);
    machine.runs('3\n');
    expect(machine.phase.kind).toBe('idle');
    expect(machine.shown.at(-1)).toMatchObject({ kind: 'norrisEnded', status: 'done', steps: 1, commands: 1 });
  });

  it('ends as stalled, blocked, out of budget or failed', () => {
    const ending = (...replies: string[]) => {
      const machine = new Machine({ maxNorrisSteps: 2 });
      machine.send({ type: 'norrisStarted', goal: 'g' });
      for (const text of replies) {
        machine.says(text);
        while (machine.phase.kind === 'judging') {
          machine.judges(harmless);
          machine.runs('');
        }
      }
      const last = machine.shown.at(-1);
      return last?.kind === 'norrisEnded' ? last.status : last?.kind;
    };
    expect(ending('hm')).toBe('stalled');
    expect(ending('GOAL: blocked\nno')).toBe('blocked');
    expect(ending('CMD: a', 'CMD: b')).toBe('budget_exhausted');
  });

  it('asks whether to continue after three skips in a row, counted across steps', () => {
    const machine = new Machine({ maxNorrisSteps: 9 });
    machine.send({ type: 'norrisStarted', goal: 'g' });
    for (const text of ['CMD: rm -rf a\nCMD: rm -rf b', 'CMD: rm -rf c']) {
      machine.says(text);
      while (machine.phase.kind === 'judging') {
        machine.judges(deadly);
        machine.answers('skip');
      }
    }
    expect(machine.state.questions).toMatchObject([{ kind: 'escalation', skips: 3 }]);
    machine.answers('proceed');
    expect(machine.phase.kind).toBe('replying');
    expect(texts(machine).at(-1)).toBe('[aish] action skipped by user: rm -rf\n$ rm -rf c');
  });

  it('on abort gives every open call a result, and returns queued lines to the prompt', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.says('', bash('a', 'rm -rf x'), bash('b', 'ls'));
    machine.judges(deadly);
    machine.send({ type: 'asked', line: 'l9', text: 'wait' });
    machine.answers('abort');
    expect(machine.phase.kind).toBe('idle');
    expect(machine.last).toContainEqual({ kind: 'giveBack', text: 'wait' });
    expect(machine.conversation.turns.filter((turn) => turn.kind === 'result').map((t) => t.callId)).toEqual([
      'a',
      'b',
    ]);
    expect(machine.conversation.cwd).toBe('/work');
  });

  it('stays in the state “stopping” until the command has ended, and keeps its output', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.says('CMD: sleep 100');
    machine.judges(harmless);
    const { op } = machine;
    machine.send({ type: 'actionStarted', op });
    machine.send({ type: 'aborted' });
    expect(machine.phase.kind).toBe('stoppingActions');
    expect(machine.last).toContainEqual({ kind: 'cancel', session: 'main', op });
    const result = { exit: 130, cwd: '/work', head: 'half', tail: '', omittedLines: 0, bytes: 4, milliseconds: 9 };
    machine.send({ type: 'actionEnded', op, outcome: { kind: 'command', result } });
    expect(machine.phase.kind).toBe('idle');
    expect(texts(machine).at(-1)).toContain('half');
  });
});

describe('an edit at a HALT', () => {
  it('is judged again, asks again only if destructive, and is reported to the model', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.says('CMD: rm -rf a');
    machine.judges(deadly);
    const question = machine.state.questions[0]?.id ?? '';
    machine.send({ type: 'answered', question, answer: { kind: 'edit', command: 'ls a' } });
    expect(machine.phase.kind).toBe('judging');
    machine.judges(harmless);
    machine.runs('one\n');
    expect(texts(machine).at(-1)).toBe(
      '[aish] action approved\n[aish] the user changed the command from: rm -rf a\n$ ls a\none\n[exit 0, cwd /work]',
    );
  });
});

describe('a change of mode at a HALT', () => {
  it('leads to a new judgement and question, whatever the gate says then', () => {
    const machine = new Machine({ sandbox: true });
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.says('CMD: make deploy');
    machine.judges(deadly);
    machine.send({ type: 'modeChosen', mode: 'unrestricted' });
    machine.judges(harmless);
    expect(machine.state.questions).toMatchObject([{ kind: 'halt', mode: 'unrestricted' }]);
    expect(machine.effects.some((effect) => effect.kind === 'act')).toBe(false);
  });
});

describe('a reply that was cut', () => {
  it('never runs its last action and says so, even if a complete tool call came with it', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisStarted', goal: 'g' });
    const cut = reply('CMD: ls\nCMD: ls /tmp/ab', [bash('c', 'date')], { truncated: true });
    machine.send({ type: 'replyEnded', op: machine.op, reply: cut });
    const { phase } = machine;
    const actions = phase.kind === 'judging' ? phase.dispatch.actions : [];
    expect(actions).toMatchObject([{ command: 'date' }, { command: 'ls' }, { unfinished: 'cut' }]);
    for (const _ of [1, 2]) {
      machine.judges(harmless);
      machine.runs('');
    }
    expect(machine.phase.kind).toBe('replying');
    expect(machine.conversation.turns.at(-1)?.text).toContain('not run: the answer was cut off here');
  });
});

it('an unfinished command is refused with one line to the model, and is never judged or run', () => {
  const machine = new Machine();
  machine.send({ type: 'norrisStarted', goal: 'g' });
  machine.says("CMD: cat > notes.txt <<'EOF'\none");
  expect(machine.effects.some(({ kind }) => kind === 'examine' || kind === 'act')).toBe(false);
  expect(machine.conversation.turns.at(-1)?.text).toBe(
    "[aish] not run: its here-document is not finished. Send the whole command.\n$ cat > notes.txt <<'EOF'\none",
  );
  expect(machine.phase.kind).toBe('replying');
});

describe('after a restart', () => {
  it('marks where the session continues, but not a mere reload of settings, and uses no serial number for the mark', () => {
    const machine = new Machine();
    const { settings } = machine.conversation;
    machine.send({ type: 'resumed', settings, again: true });
    expect(machine.shown).toEqual([]);
    const before = machine.state.serial;
    machine.send({ type: 'resumed', settings });
    expect(machine.shown).toMatchObject([{ kind: 'resumed' }]);
    expect(machine.state.serial).toBe(before);
  });

  it('judges an open question again and asks it again, whatever the gate says now', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.says('CMD: rm -rf a');
    machine.judges(deadly);
    machine.send({ type: 'resumed', settings: machine.conversation.settings });
    expect(machine.state.questions).toEqual([]);
    machine.judges(harmless);
    expect(machine.state.questions).toMatchObject([{ kind: 'halt', why: 'resumed' }]);
    expect(machine.effects.some((effect) => effect.kind === 'act')).toBe(false);
  });

  it('never reruns a started action: its outcome is unknown', () => {
    const machine = new Machine();
    machine.send({ type: 'norrisStarted', goal: 'g' });
    machine.says('', bash('c1', 'make install'));
    machine.judges(harmless);
    machine.send({ type: 'actionStarted', op: machine.op });
    machine.send({ type: 'resumed', settings: machine.conversation.settings });
    expect(machine.phase.kind).toBe('idle');
    expect(machine.conversation.turns.at(-1)).toMatchObject({ kind: 'result', callId: 'c1' });
    expect(texts(machine).at(-1)).toContain('outcome unknown');
  });
});
