import { describe, expect, it } from 'vitest';
import type { Judgement } from '../../src/session/action.ts';
import type { Settings } from '../../src/session/state.ts';
import { bash, deadly, delegate, harmless, Machine, printed } from '../support/machine.ts';

const request = (wish?: string) => ({
  id: 'u',
  name: 'request_mode_upgrade',
  arguments: JSON.stringify({ reason: 'to build', ...(wish === undefined ? {} : { mode: wish }) }),
});

/** A run in Restricted at its first reply, on a kernel that also supports Project. */
function restricted(change: Partial<Settings> = {}): Machine {
  const machine = new Machine({ sandbox: true, project: true, ...change });
  machine.send({ type: 'modeChosen', mode: 'restricted' });
  machine.send({ type: 'norrisStarted', goal: 'build it' });
  return machine;
}

const told = (machine: Machine) => machine.conversation.turns.findLast(({ kind }) => kind === 'result');

describe('a request for a wider mode', () => {
  it('in Restricted offers Project first and Unrestricted second', () => {
    const machine = restricted();
    machine.says('', request());
    expect(machine.state.questions).toMatchObject([
      { kind: 'mode', reason: 'to build', from: 'restricted', offers: ['project', 'unrestricted'] },
    ]);
    machine.answers('proceed');
    expect(machine.conversation.mode).toBe('project');
    expect(told(machine)?.text).toMatch(/^\[aish\] mode upgrade approved by user\.\n\[aish\] mode: Project\./);
  });

  it('leads to Unrestricted only if the user explicitly chooses it', () => {
    const machine = restricted();
    machine.says('', request('project'));
    expect(machine.state.questions).toMatchObject([{ wish: 'project' }]);
    const [question] = machine.state.questions;
    machine.send({ type: 'answered', question: question?.id ?? '', answer: { kind: 'unrestricted' } });
    expect(machine.conversation.mode).toBe('unrestricted');
  });

  it('tells the user what a mode means, and only the model how to ask for more', () => {
    const machine = restricted();
    machine.send({ type: 'modeChosen', mode: 'project' });
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    const notices = machine.shown.filter(({ kind }) => kind === 'notice');
    expect(JSON.stringify(notices)).toContain('mode: Project');
    expect(JSON.stringify(notices)).not.toContain('request_mode_upgrade');
  });

  it('in Project offers Unrestricted, and one for Project itself is answered at once', () => {
    const machine = restricted();
    machine.send({ type: 'modeChosen', mode: 'project' });
    machine.says('', request('project'));
    expect(told(machine)?.text).toContain('Already in Project mode');
    machine.says('', request('unrestricted'));
    expect(machine.state.questions).toMatchObject([{ from: 'project', offers: ['unrestricted'] }]);
    machine.answers('skip');
    expect(machine.conversation.mode).toBe('project');
    expect(told(machine)?.text).toBe(
      "[aish] mode upgrade denied by user; still in Project mode. Go on within the project's tree.",
    );
  });

  it('on a host offers Project if the latest report of the host supports it', () => {
    const offersOn = (...moves: readonly { readonly cwd: string; readonly project?: true }[]) => {
      const machine = new Machine({ sandbox: true, project: true });
      machine.send({ type: 'modeChosen', mode: 'restricted' });
      for (const move of moves) machine.send({ type: 'shellMoved', ...move });
      machine.send({ type: 'norrisStarted', goal: 'build it' });
      machine.says('', request());
      return machine.state.questions;
    };
    const both = [{ offers: ['project', 'unrestricted'] }];
    const one = [{ offers: ['unrestricted'] }];
    expect(offersOn({ cwd: 'web1:/srv', project: true })).toMatchObject(both);
    expect(offersOn({ cwd: 'web1:/srv' })).toMatchObject(one);
    expect(offersOn({ cwd: 'web1:/srv', project: true }, { cwd: 'web2:/srv' })).toMatchObject(one);
    expect(offersOn({ cwd: 'web1:/srv', project: true }, { cwd: 'web1:/' })).toMatchObject(one);
    expect(offersOn({ cwd: 'web1:/srv', project: true }, { cwd: '/srv' })).toMatchObject(both);
  });

  it('does not offer Project where the kernel does not support it, nor in older journals', () => {
    for (const project of [false, undefined] as const) {
      const machine = restricted(project === undefined ? {} : { project });
      if (project === undefined) {
        const { project: _, ...settings } = machine.conversation.settings;
        machine.send({ type: 'aborted' });
        machine.send({ type: 'resumed', settings });
        machine.send({ type: 'norrisStarted', goal: 'build it' });
      }
      machine.says('', request());
      expect(machine.state.questions).toMatchObject([{ offers: ['unrestricted'] }]);
      machine.answers('proceed');
      expect(machine.conversation.mode).toBe('unrestricted');
    }
  });

  it('is denied by :mode restricted, and granted by :mode project', () => {
    const denied = restricted();
    denied.says('', request());
    denied.send({ type: 'modeChosen', mode: 'restricted' });
    expect(told(denied)?.text).toContain('denied');
    const granted = restricted();
    granted.says('', request());
    granted.send({ type: 'modeChosen', mode: 'project' });
    expect(granted.conversation.mode).toBe('project');
  });
});

describe('a requested mode without a sandbox', () => {
  const none = { sandbox: false, project: false, keepsMode: true } as const;
  const acts = (machine: Machine) => machine.effects.filter(({ kind }) => kind === 'examine' || kind === 'act');

  it.each(['restricted', 'project'] as const)('stays %s, and every action of the model is refused', (mode) => {
    const machine = new Machine(none, mode);
    expect(machine.conversation.mode).toBe(mode);
    machine.send({ type: 'norrisStarted', goal: 'build it' });
    const tool = (name: string) => ({ id: name, name, arguments: '{}' });
    machine.says(
      'CMD: ls',
      bash('b', 'ls'),
      delegate('d', 'look'),
      tool('patch'),
      tool('fs__list'),
      tool(request().name),
    );
    expect(acts(machine)).toEqual([]);
    expect(machine.phase.kind).toBe('replying');
    expect(told(machine)?.text).toMatch(/^\[aish\] not run: .* mode can't be enforced here.*:mode unrestricted/);
  });

  it.each(['approving the model’s request', ':mode unrestricted'])('ends by %s', (how) => {
    const machine = new Machine(none, 'restricted');
    machine.send({ type: 'norrisStarted', goal: 'build it' });
    machine.says('', request());
    expect(machine.state.questions).toMatchObject([{ kind: 'mode', offers: ['unrestricted'] }]);
    if (how === ':mode unrestricted') machine.send({ type: 'modeChosen', mode: 'unrestricted' });
    else machine.answers('proceed');
    expect(machine.conversation.mode).toBe('unrestricted');
    machine.says('', bash('b', 'make'));
    expect(acts(machine)).toMatchObject([{ kind: 'examine', mode: 'unrestricted' }]);
  });

  it('can’t be chosen, and the mode stays', () => {
    for (const mode of ['restricted', 'unrestricted'] as const) {
      const machine = new Machine(none, mode);
      machine.send({ type: 'modeChosen', mode: 'project' });
      expect(machine.conversation.mode).toBe(mode);
      expect(machine.shown.at(-1)).toMatchObject({ kind: 'notice', level: 'error' });
    }
  });

  it('is kept by a resume without a sandbox, with a warning, and a pending request is not granted', () => {
    const machine = restricted();
    machine.says('', request());
    machine.send({ type: 'resumed', settings: { ...machine.conversation.settings, ...none } });
    expect(machine.conversation.mode).toBe('restricted');
    expect(machine.state.questions).toEqual([]);
    expect(told(machine)?.text).toContain('not run');
    expect(machine.shown).toContainEqual(expect.objectContaining({ kind: 'notice', level: 'warning' }));
  });

  it('is kept by a resume with a halted command, which is then refused', () => {
    const machine = restricted();
    machine.says('', bash('b', 'rm -rf x'));
    machine.judges(deadly);
    const before = acts(machine).length;
    machine.send({ type: 'resumed', settings: { ...machine.conversation.settings, ...none } });
    expect(machine.state.questions).toEqual([]);
    expect(acts(machine)).toHaveLength(before);
    expect(told(machine)?.text).toContain('not run');
  });

  it('narrows a resumed Unrestricted session when the command line says so', () => {
    const machine = new Machine(none);
    machine.send({ type: 'resumed', settings: machine.conversation.settings, mode: 'restricted' });
    expect(machine.conversation.mode).toBe('restricted');
  });

  it('chosen during an action is also the mode after a resume', () => {
    const machine = new Machine({ sandbox: true, keepsMode: true });
    machine.send({ type: 'norrisStarted', goal: 'build it' });
    machine.says('', bash('b', 'make'));
    machine.judges(harmless);
    machine.send({ type: 'actionStarted', op: machine.op });
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    expect(machine.conversation.mode).toBe('unrestricted');
    machine.send({ type: 'resumed', settings: machine.conversation.settings });
    expect(machine.conversation.mode).toBe('restricted');
  });

  it('became Unrestricted in older journals', () => {
    const { keepsMode: _, ...older } = none;
    const machine = new Machine(older, 'restricted');
    expect(machine.conversation.mode).toBe('unrestricted');
    const resumed = restricted();
    resumed.says('', request());
    resumed.send({ type: 'resumed', settings: { ...resumed.conversation.settings, ...older } });
    expect(resumed.conversation.mode).toBe('unrestricted');
    expect(told(resumed)?.text).toBe('Already in Unrestricted mode');
  });
});

describe('Project mode', () => {
  it('is refused with a reason where it is impossible, and becomes Restricted after a resume there', () => {
    const machine = restricted({ project: false });
    machine.send({ type: 'modeChosen', mode: 'project' });
    expect(machine.conversation.mode).toBe('restricted');
    expect(machine.shown.at(-1)).toMatchObject({ kind: 'notice', level: 'error' });
    const resumed = restricted();
    resumed.send({ type: 'modeChosen', mode: 'project' });
    resumed.send({ type: 'resumed', settings: { ...resumed.conversation.settings, project: false } });
    expect(resumed.conversation.mode).toBe('restricted');
    expect(resumed.shown.some((entry) => entry.kind === 'notice' && entry.level === 'warning')).toBe(true);
  });

  it('lets the gate judge a patch, and allows MCP tools only if the user declared or approved them', () => {
    const machine = restricted({ readOnlyTools: ['fs__read'], approvedTools: ['fs__list'] });
    machine.send({ type: 'modeChosen', mode: 'project' });
    const tool = (name: string) => ({ id: name, name, arguments: '{}' });
    machine.says('', tool('fs__write'), tool('fs__read'), tool('fs__list'), tool('patch'));
    expect(told(machine)?.text).toBe(
      'fs__write is disabled in Project mode. Use request_mode_upgrade to request write access.',
    );
    for (const name of ['fs__read', 'fs__list', 'patch']) {
      expect(machine.last).toContainEqual(
        expect.objectContaining({ kind: 'examine', mode: 'project', action: expect.objectContaining({ name }) }),
      );
      machine.judges(harmless, true);
      machine.runs('ok');
    }
  });

  it('is the mode in which sub-agents start: they follow a change to a tighter mode, and nothing widens theirs', () => {
    const machine = restricted();
    machine.send({ type: 'modeChosen', mode: 'project' });
    machine.says('', delegate('d', 'look'));
    machine.judges(harmless);
    machine.spawns();
    const [agent = ''] = machine.children;
    expect(machine.state.sessions[agent]).toMatchObject({ mode: 'project' });
    expect(machine.state.sessions[agent]?.turns[0]?.text).toContain('[aish] mode: Project.');
    machine.agentSays(agent, '', request());
    expect(machine.state.sessions[agent]?.turns.at(-1)?.text).toContain('only its parent can');
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    expect(machine.state.sessions[agent]?.mode).toBe('restricted');
    machine.send({ type: 'modeChosen', mode: 'project' });
    expect(machine.state.sessions[agent]?.mode).toBe('restricted');
  });

  it('chosen during a command in Unrestricted takes effect when the command has ended', () => {
    const machine = restricted();
    machine.send({ type: 'modeChosen', mode: 'unrestricted' });
    machine.says('', bash('b', 'make'), bash('c', 'make test'));
    machine.judges(harmless);
    machine.send({ type: 'modeChosen', mode: 'project' });
    expect(machine.conversation.mode).toBe('unrestricted');
    machine.runs('built');
    expect(machine.conversation.mode).toBe('project');
    expect(machine.last).toContainEqual(expect.objectContaining({ kind: 'examine', mode: 'project' }));
  });
});

describe('an action that can’t work in Project', () => {
  const needs: Judgement = {
    ...harmless,
    upgrade: { mode: 'unrestricted', needs: 'pip works beyond this project’s files' },
  };

  function asked(): Machine {
    const machine = restricted();
    machine.send({ type: 'modeChosen', mode: 'project' });
    machine.says('', bash('p', 'pip install x'), bash('q', 'make'));
    machine.judges(needs);
    return machine;
  }

  it('asks the user for the wider mode; after a yes it is judged again and runs', () => {
    const machine = asked();
    expect(machine.state.questions).toMatchObject([
      { kind: 'mode', from: 'project', offers: ['unrestricted'], action: { command: 'pip install x' } },
    ]);
    machine.answers('proceed');
    expect(machine.conversation.mode).toBe('unrestricted');
    expect(machine.last).toContainEqual(expect.objectContaining({ kind: 'examine', mode: 'unrestricted' }));
    machine.judges(harmless);
    expect(machine.last).toContainEqual(expect.objectContaining({ kind: 'act', mode: 'unrestricted' }));
  });

  it('does not run when it is denied, and the next one does', () => {
    const machine = asked();
    machine.answers('skip');
    expect(machine.conversation.mode).toBe('project');
    expect(told(machine)?.text).toContain('still in Project mode');
    machine.judges(harmless);
    expect(machine.last).toContainEqual(expect.objectContaining({ kind: 'act', mode: 'project' }));
  });

  it('does not run after an abort, and asks again after a restart', () => {
    const aborted = asked();
    aborted.send({ type: 'aborted' });
    expect(aborted.phase.kind).toBe('idle');
    expect(aborted.conversation.turns.filter(({ kind }) => kind === 'result')).toHaveLength(2);
    const resumed = asked();
    resumed.send({ type: 'resumed', settings: resumed.conversation.settings });
    expect(resumed.state.questions).toEqual([]);
    resumed.judges(needs);
    expect(resumed.state.questions).toMatchObject([{ kind: 'mode' }]);
  });

  it('halts when it is destructive as well, and the HALT offers the mode', () => {
    const machine = restricted();
    machine.send({ type: 'modeChosen', mode: 'project' });
    machine.says('', bash('p', 'git push --force'));
    machine.judges({ ...deadly, upgrade: { mode: 'unrestricted', needs: 'git' } });
    expect(machine.state.questions).toMatchObject([{ kind: 'halt', offers: ['unrestricted'] }]);
  });

  it('of a sub-agent is refused with a reason', () => {
    const machine = restricted();
    machine.send({ type: 'modeChosen', mode: 'project' });
    machine.says('', delegate('d', 'look'));
    machine.judges(harmless);
    machine.spawns();
    const [agent = ''] = machine.children;
    machine.agentSays(agent, '', bash('p', 'pip install x'));
    machine.judges(needs, false, agent);
    expect(machine.state.questions).toEqual([]);
    expect(machine.state.sessions[agent]?.turns.at(-1)?.text).toContain('which Project mode does not allow');
  });
});

describe('an automatic offer of a wider mode', () => {
  const here = { sandbox: true, project: true, offers: true } as const;
  const restricted = (change: Partial<Settings> = {}) => {
    const machine = new Machine({ ...here, ...change });
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    return machine;
  };
  const write = bash('c1', 'echo x > y');
  const refusedOne = (machine: Machine, refused?: 'write' | 'network') => {
    machine.says('', write);
    machine.judges(harmless);
    const { op } = machine;
    machine.send({ type: 'actionStarted', op });
    machine.send({
      type: 'actionEnded',
      op,
      outcome: { ...printed('Permission denied', 1), ...(refused ? { refused } : {}) },
    });
  };
  const offered = (machine: Machine) => machine.state.questions.map((q) => q.kind === 'mode' && [q.offered, q.offers]);

  it('follows the first refused write once, and after a yes the model is told of the mode', () => {
    const machine = restricted();
    machine.send({ type: 'norrisStarted', goal: 'g' });
    refusedOne(machine, 'write');
    expect(offered(machine)).toEqual([['action', ['project', 'unrestricted']]]);
    machine.answers('proceed');
    expect(machine.conversation.mode).toBe('project');
    expect(machine.phase.kind).toBe('replying');
    expect(machine.conversation.turns.at(-1)?.text).toContain('[aish] mode: Project.');
  });

  it('is not repeated after a no, and the run continues', () => {
    const machine = restricted();
    machine.send({ type: 'norrisStarted', goal: 'g' });
    refusedOne(machine, 'write');
    machine.answers('skip');
    refusedOne(machine, 'write');
    expect(machine.phase.kind).toBe('replying');
    expect(machine.conversation.mode).toBe('restricted');
  });

  it('is not made without a refusal, in older journals, or to a sub-agent', () => {
    for (const [change, refused] of [
      [{}, undefined],
      [{ offers: undefined }, 'write'],
    ] as const) {
      const machine = restricted(change as Partial<Settings>);
      machine.send({ type: 'norrisStarted', goal: 'g' });
      refusedOne(machine, refused);
      expect(offered(machine)).toEqual([]);
    }
  });

  it('comes before the first task of a plan, and the tasks start after either answer', () => {
    for (const kind of ['proceed', 'skip'] as const) {
      const machine = restricted({ preplanner: 'big' });
      machine.send({ type: 'norrisStarted', goal: 'g' });
      machine.says('TASK: one\nTASK: two');
      expect(offered(machine)).toEqual([['plan', ['project', 'unrestricted']]]);
      machine.answers(kind);
      expect(machine.phase).toMatchObject({ kind: 'replying', run: { step: 1, tasks: { current: 0 } } });
      expect(machine.conversation.mode).toBe(kind === 'proceed' ? 'project' : 'restricted');
    }
  });

  it('follows a patch in Restricted', () => {
    const machine = restricted();
    machine.send({ type: 'asked', line: 'l', text: 'q' });
    machine.says('', { id: 'p1', name: 'patch', arguments: '{}' });
    expect(machine.state.questions[0]).toMatchObject({ kind: 'mode', from: 'restricted' });
    expect(told(machine)?.text).toContain('Patch tool is disabled in Restricted mode.');
    machine.answers('proceed');
    expect(machine.phase.kind).toBe('replying');
  });

  const inProject = () => {
    const machine = new Machine({ ...here, semantics: 3 });
    // Leaving a mode that the user has just chosen is not offered.
    machine.send({ type: 'modeChosen', mode: 'restricted' });
    machine.send({ type: 'modeChosen', mode: 'project' });
    machine.send({ type: 'norrisStarted', goal: 'g' });
    return machine;
  };
  /** Ends the current action, and returns whether the same one is judged again. */
  const endsWith = (machine: Machine, outcome: object) => {
    const { op } = machine;
    machine.send({ type: 'actionStarted', op });
    machine.send({ type: 'actionEnded', op, outcome: { ...printed('no', 1), ...outcome } });
    return machine.last.filter(({ kind }) => kind === 'examine');
  };

  it('widens the mode for one command whose network access Project refused, and asks again about the next', () => {
    const machine = inProject();
    for (const _ of [1, 2]) {
      machine.says('', write);
      machine.judges(harmless);
      endsWith(machine, { refused: 'network', attempt: { action: 4, whole: true } });
      expect(machine.state.questions).toMatchObject([{ kind: 'mode', once: true, offers: ['unrestricted'] }]);
      machine.answers('proceed');
      expect(machine.last).toContainEqual(
        expect.objectContaining({ kind: 'examine', mode: 'unrestricted', takesBack: 4 }),
      );
      machine.judges(harmless);
      expect(machine.last).toContainEqual(expect.objectContaining({ kind: 'act', mode: 'unrestricted' }));
      endsWith(machine, {});
      expect(machine.conversation.mode).toBe('project');
      expect(machine.phase.kind).toBe('replying');
    }
  });

  it('keeps the mode that the user chooses by name while it is open', () => {
    const machine = inProject();
    machine.says('', write);
    machine.judges(harmless);
    endsWith(machine, { refused: 'network' });
    machine.send({ type: 'modeChosen', mode: 'unrestricted' });
    machine.judges(harmless);
    endsWith(machine, {});
    expect(machine.conversation.mode).toBe('unrestricted');
  });

  it('reruns once, in the same mode, a command whose connection failed before the yes', () => {
    const machine = inProject();
    machine.says('', write, bash('c2', 'echo next'));
    machine.judges(harmless);
    const again = endsWith(machine, { again: true, attempt: { action: 7, whole: true } });
    expect(again).toMatchObject([{ action: { command: 'echo x > y' }, mode: 'project', takesBack: 7 }]);
    machine.judges(harmless);
    expect(endsWith(machine, {})).toMatchObject([{ action: { command: 'echo next' } }]);
    expect(machine.state.questions).toEqual([]);
  });

  it('reruns nothing after an abort', () => {
    const machine = inProject();
    machine.says('', write);
    machine.judges(harmless);
    const { op } = machine;
    machine.send({ type: 'actionStarted', op });
    machine.send({ type: 'aborted' });
    machine.send({ type: 'actionEnded', op, outcome: { ...printed('no', 1), again: true } as never });
    expect([machine.phase.kind, machine.last.filter(({ kind }) => kind === 'examine')]).toEqual(['idle', []]);
  });

  it('is dropped by an abort, and when the program closes', () => {
    for (const end of ['aborted', 'resumed'] as const) {
      const machine = restricted();
      machine.send({ type: 'norrisStarted', goal: 'g' });
      refusedOne(machine, 'write');
      if (end === 'aborted') machine.send({ type: 'aborted' });
      else machine.send({ type: 'resumed', settings: machine.conversation.settings });
      expect([machine.phase.kind === 'idle', machine.state.questions.length]).toEqual(
        end === 'aborted' ? [true, 0] : [false, 1],
      );
    }
  });
});
