import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/session/effect.ts';
import { isWider } from '../../src/session/ids.ts';
import { whyNotEnforced } from '../../src/session/mode.ts';
import type { Phase } from '../../src/session/phase.ts';
import { reduce } from '../../src/session/reduce.ts';
import type { Conversation, State } from '../../src/session/state.ts';
import { Machine, opsOf, printed } from '../support/machine.ts';
import { property, propertyOfEnd } from '../support/moves.ts';

const childrenOf = (state: State) => Object.values(state.sessions).filter((each) => each.parent);

/** An action of its own runs, so that a change of mode waits for its end (MO-4). */
const isActing = ({ phase }: Conversation) => phase.kind === 'acting' || phase.kind === 'stoppingActions';

describe('sub-agents, over random runs', () => {
  it('never outlive the parent’s action that waits for them, and have no sub-agents', () => {
    property(({ state }) => {
      for (const child of childrenOf(state)) {
        expect(child.parent?.session).toBe('main');
        expect(opsOf(state, 'main')).toContain(child.parent?.op);
        expect(child.phase.kind).not.toBe('idle');
      }
      expect(childrenOf(state).length).toBeLessThanOrEqual(8);
    });
  });

  it('start in their parent’s mode, and are never in a looser one or in one that the user left', () => {
    property(({ state, events }, before) => {
      const last = events.at(-1);
      const parent = before.sessions.main;
      for (const child of childrenOf(state)) {
        const earlier = before.sessions[child.id];
        if (earlier) expect(isWider(child.mode, earlier.mode)).toBe(false);
        if (!earlier) expect(child.mode).toBe(parent?.tightening ?? parent?.mode);
      }
      if (last?.type !== 'modeChosen' || last.session !== 'main' || !parent) return;
      if (whyNotEnforced(last.mode, parent.settings) !== undefined) return;
      for (const child of childrenOf(state)) {
        const soon = isActing(child) ? (child.tightening ?? child.mode) : child.mode;
        expect(isWider(soon, last.mode)).toBe(false);
      }
    });
  });

  it('never ask for a mode, never delegate, and never take more than twelve steps', () => {
    property(({ state, last }) => {
      for (const effect of last) {
        if (effect.kind !== 'examine' || effect.session === 'main') continue;
        expect(effect.action.kind).not.toBe('delegate');
        expect(effect.action.kind === 'tool' && effect.action.name === 'request_mode_upgrade').toBe(false);
      }
      for (const { phase } of childrenOf(state)) {
        expect(phase.kind).not.toBe('awaitingModeApproval');
        if (phase.kind !== 'idle' && phase.run.kind === 'delegate') expect(phase.run.step).toBeLessThanOrEqual(12);
      }
    });
  });

  it('are named in each of their questions', () => {
    property(({ state }) => {
      for (const question of state.questions) expect(question.asker === undefined).toBe(question.session === 'main');
    });
  });

  it('are gone after a restart, which starts nothing in them', () => {
    property((machine) => {
      const copy = new Machine();
      copy.state = machine.state;
      copy.send({ type: 'resumed', settings: machine.conversation.settings });
      expect(Object.keys(copy.state.sessions)).toEqual(['main']);
      expect(copy.state.questions.every((question) => question.session === 'main')).toBe(true);
      expect(copy.last.some((effect) => effect.kind === 'act' || effect.kind === 'callModel')).toBe(false);
    });
  });
});

describe('actions side by side, over random runs', () => {
  it('are all delegated tasks, or all read-only', () => {
    property(({ state, effects }) => {
      for (const session of Object.keys(state.sessions)) {
        const ops = opsOf(state, session);
        if (ops.length < 2) continue;
        const acts = ops.map((op) =>
          effects.find((effect): effect is Act => effect.kind === 'act' && effect.op === op),
        );
        const delegates = acts.every((act) => act?.action.kind === 'delegate');
        expect(delegates || acts.every((act) => act?.judgement.readOnly === true)).toBe(true);
        expect(ops.length).toBeLessThanOrEqual(8);
      }
    });
  });

  it('never change the agent’s directory', () => {
    property((machine, before) => {
      const last = machine.events.at(-1);
      if (last?.type !== 'actionEnded') return;
      const phase: Phase | undefined = before.sessions[last.session]?.phase;
      if (phase?.kind !== 'acting' || phase.concurrency === 1) return;
      const now = machine.state.sessions[last.session];
      // A queued question of the user starts in the shell's directory.
      if (now) expect([before.sessions[last.session]?.cwd, machine.state.shell.cwd]).toContain(now.cwd);
    });
  });

  it('do not start once the run is being stopped', () => {
    property(({ last, events }, before) => {
      const at = events.at(-1)?.session ?? 'main';
      if (!before.sessions[at]?.phase.kind.startsWith('stopping')) return;
      expect(last.some((effect) => effect.kind === 'act' && effect.session === at)).toBe(false);
    });
  });
});

describe('late events, over random runs', () => {
  it('change nothing once their operation is over', () => {
    propertyOfEnd(({ state, events }) => {
      const open = new Set(Object.keys(state.sessions).flatMap((session) => opsOf(state, session)));
      for (const event of events) {
        if (!('op' in event) || event.type === 'shellStarted' || event.type === 'shellEnded' || open.has(event.op))
          continue;
        const late = { ...event, at: event.at + 1 };
        expect(reduce(state, late)).toEqual([state, []]);
        expect(reduce(state, { ...late, type: 'actionEnded', outcome: printed('late') })).toEqual([state, []]);
      }
    });
  });
});

type Act = Extract<Effect, { kind: 'act' }>;
