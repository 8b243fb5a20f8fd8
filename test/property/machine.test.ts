import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeMessages } from '../../src/session/context.ts';
import type { Effect } from '../../src/session/effect.ts';
import type { ToolCall } from '../../src/session/message.ts';
import { reduce } from '../../src/session/reduce.ts';
import { emptyState, rootOf, type State } from '../../src/session/state.ts';
import { bash, deadly, harmless, judged, Machine, reply } from '../support/machine.ts';

/** One random move of the user or of the world; what does not fit the phase is a stray fact and must change nothing. */
type Move =
  | {
      readonly do:
        | 'ask'
        | 'norris'
        | 'continue'
        | 'spend'
        | 'count'
        | 'abort'
        | 'resume'
        | 'reset'
        | 'shell'
        | 'start'
        | 'end'
        | 'stale'
        | 'tighten'
        | 'loosen'
        | 'spawn';
    }
  | {
      readonly do: 'reply';
      readonly text: string;
      readonly calls: number;
      readonly finish: 'whole' | 'failed' | 'cancelled';
    }
  | { readonly do: 'examine'; readonly destructive: boolean; readonly refused: boolean; readonly autoApproved: boolean }
  | { readonly do: 'answer'; readonly kind: 'proceed' | 'skip' | 'abort' | 'edit' };

const PLAN = 'TASK: a\nTASK: b';

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Move>({ do: 'ask' }, { do: 'norris' }, { do: 'continue' }) },
  { weight: 1, arbitrary: fc.constantFrom<Move>({ do: 'spend' }, { do: 'count' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Move>(
      { do: 'abort' },
      { do: 'resume' },
      { do: 'reset' },
      { do: 'shell' },
      { do: 'stale' },
      { do: 'tighten' },
      { do: 'loosen' },
      { do: 'spawn' },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('reply' as const),
      text: fc.constantFrom(
        '',
        'ok',
        'CMD: ls',
        'CMD: rm -rf x\nCMD&: b',
        'GOAL: complete',
        'CMD: a\nGOAL: blocked',
        PLAN,
      ),
      calls: fc.nat(3),
      finish: fc.constantFrom(
        'whole' as const,
        'whole' as const,
        'whole' as const,
        'failed' as const,
        'cancelled' as const,
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('examine' as const),
      destructive: fc.boolean(),
      refused: fc.boolean(),
      autoApproved: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.constantFrom<Move>({ do: 'start' }, { do: 'end' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      kind: fc.constantFrom('proceed' as const, 'skip' as const, 'abort' as const, 'edit' as const),
    }),
  },
);

let serial = 0;

function callsOf(count: number): ToolCall[] {
  return Array.from({ length: count }, (_, index) => {
    serial += 1;
    if (index === 1) return { id: `c${serial}`, name: 'patch', arguments: '{}' };
    if (index === 2) return { id: `c${serial}`, name: 'request_mode_upgrade', arguments: '{"reason":"to write"}' };
    return bash(`c${serial}`, `echo ${serial}`);
  });
}

function play(machine: Machine, step: Move): void {
  const { phase } = machine;
  const op = 'op' in phase ? phase.op : 'none';
  serial += 1;
  switch (step.do) {
    case 'ask':
      return void machine.send({ type: 'asked', line: `l${serial}`, text: `question ${serial}` });
    case 'norris':
      return void machine.send({ type: 'norrisStarted', goal: 'tidy' });
    case 'continue':
      return void machine.send({ type: 'norrisContinued' });
    case 'spend':
      return void machine.send({ type: 'spendReached', op, preset: 'fast', spent: 1, limit: 1, allowance: 1 });
    case 'count': {
      const tokens = { promptTokens: 10, completionTokens: 1, dollars: 0.01 };
      const call = { preset: 'fast', model: 'm', category: 'norris', local: false, ...tokens } as const;
      return void machine.send({ type: 'callCounted', call });
    }
    case 'abort':
      return void machine.send({ type: 'aborted' });
    case 'resume':
      return void machine.send({ type: 'resumed', settings: machine.conversation.settings });
    case 'reset':
      return void machine.send({ type: 'turnsReset' });
    case 'spawn':
      return void machine.send({ type: 'spawned', parent: 'main' }, `child${serial}`);
    case 'tighten':
      return void machine.send({ type: 'modeChosen', mode: 'restricted' });
    case 'loosen':
      return void machine.send({ type: 'modeChosen', mode: 'unrestricted' });
    case 'stale':
      return void machine.send({
        type: 'actionEnded',
        op: 'op0',
        outcome: { kind: 'tool', text: 'late', failed: false },
      });
    case 'shell':
      return void machine.send({ type: 'shellMoved', cwd: `/d${serial}` });
    case 'reply': {
      if (step.finish === 'whole') {
        return void machine.send({ type: 'replyEnded', op, reply: reply(step.text, callsOf(step.calls)) });
      }
      const failure = { failure: { kind: 'cut', message: 'cut' } } as const;
      const cut = reply(step.text, callsOf(step.calls), { finish: step.finish, ...failure });
      return void machine.send({ type: 'replyEnded', op, reply: cut });
    }
    case 'examine': {
      const verdict = judged(step.destructive ? deadly : harmless, step.autoApproved);
      const examination = step.refused ? ({ kind: 'refused', text: 'no such tool' } as const) : verdict;
      return void machine.send({ type: 'examined', op, examination });
    }
    case 'start':
      return void machine.send({ type: 'actionStarted', op });
    case 'end': {
      const result = { exit: 0, cwd: '/e', head: 'x', tail: '', omittedLines: 0, bytes: 1, milliseconds: 1 };
      return void machine.send({ type: 'actionEnded', op, outcome: { kind: 'command', result } });
    }
    case 'answer': {
      const question = machine.state.questions[0]?.id ?? 'none';
      const answer = step.kind === 'edit' ? ({ kind: 'edit', command: 'ls' } as const) : { kind: step.kind };
      return void machine.send({ type: 'answered', question, answer });
    }
  }
}

/** Random runs; `look` sees the machine after every move. */
function property(look: (machine: Machine, before: State) => void): void {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), fc.boolean(), fc.boolean(), (moves, sandbox, plans) => {
      const machine = new Machine({ sandbox, ...(plans ? { preplanner: 'cloud', tasksMax: 3 } : {}) });
      if (sandbox) machine.send({ type: 'modeChosen', mode: 'restricted' });
      for (const step of moves) {
        const before = machine.state;
        play(machine, step);
        look(machine, before);
      }
    }),
    { numRuns: 10000 },
  );
}

function resultsPerCall(machine: Machine): Map<string, number> {
  const counts = new Map<string, number>();
  for (const turn of machine.conversation.turns) {
    if (turn.kind === 'assistant') for (const call of turn.toolCalls) counts.set(call.id, 0);
    if (turn.kind === 'result') counts.set(turn.callId, (counts.get(turn.callId) ?? Number.NaN) + 1);
  }
  return counts;
}

describe('the machine, over random runs', () => {
  it('gives every tool call exactly one result, none before its call', () => {
    property((machine) => {
      for (const count of resultsPerCall(machine).values()) {
        expect(count).toBeLessThanOrEqual(1);
        if (machine.phase.kind === 'idle') expect(count).toBe(1);
      }
    });
  });

  it('lets no call to the model leave with an open tool call, and sends one system message, first', () => {
    property((machine) => {
      if (!machine.last.some((effect) => effect.kind === 'callModel')) return;
      for (const count of resultsPerCall(machine).values()) expect(count).toBe(1);
      const messages = composeMessages(machine.conversation, 'You are aish.');
      expect(messages.map((message) => message.role === 'system').indexOf(true, 1)).toBe(-1);
      for (const [index, message] of messages.entries()) {
        if (index > 0) expect([message.role, messages[index - 1]?.role]).not.toEqual(['user', 'user']);
        if (message.role === 'tool') expect(['assistant', 'tool']).toContain(messages[index - 1]?.role);
      }
    });
  });

  it('runs an action only under its own verdict, and a destructive one only after proceed', () => {
    property((machine) => {
      for (const effect of machine.last) if (effect.kind === 'act') expect(allowed(machine, effect)).toBe(true);
    });
  });

  it('reaches idle from any phase after an abort, turns intact', () => {
    property((machine, before) => {
      const copy = new Machine();
      copy.state = machine.state;
      const turns = copy.conversation.turns;
      copy.send({ type: 'aborted' });
      if (copy.phase.kind === 'stopping') {
        const { op } = copy.phase;
        const result = { exit: 130, cwd: '/', head: '', tail: '', omittedLines: 0, bytes: 0, milliseconds: 1 };
        copy.send({ type: 'replyEnded', op, reply: reply('', [], { finish: 'cancelled' }) });
        if (copy.phase.kind === 'stopping' && copy.phase.acting) {
          copy.send({ type: 'actionEnded', op, outcome: { kind: 'command', result } });
        } else copy.send({ type: 'examined', op, examination: judged(harmless) });
      }
      expect(copy.phase.kind).toBe('idle');
      expect(copy.conversation.turns.slice(0, turns.length)).toEqual(turns);
      expect(copy.state.questions).toEqual([]);
      expect(before).toBeDefined();
    });
  });

  it('names every question and every outstanding operation in exactly one phase', () => {
    property((machine) => {
      const { phase } = machine;
      const asked = 'question' in phase ? [phase.question] : [];
      expect(machine.state.questions.map((question) => question.id)).toEqual(asked);
    });
  });

  it('leaves Restricted only by the user, and is always Unrestricted without a sandbox', () => {
    property((machine, before) => {
      const last = machine.events.at(-1);
      const { mode, settings } = machine.conversation;
      if (!settings.sandbox) expect(mode).toBe('unrestricted');
      if (rootOf(before).mode !== 'restricted' || mode !== 'unrestricted') return;
      const approved =
        last?.type === 'answered' &&
        last.answer.kind === 'proceed' &&
        rootOf(before).phase.kind === 'awaitingModeApproval';
      expect(approved || (last?.type === 'modeChosen' && last.mode === 'unrestricted')).toBe(true);
    });
  });

  it('gives a sub-agent its parent’s mode at spawn, and never a looser one later', () => {
    property((machine, before) => {
      const last = machine.events.at(-1);
      for (const child of Object.values(machine.state.sessions)) {
        if (child.parent === undefined) continue;
        const earlier = before.sessions[child.id];
        if (last?.type === 'spawned' && last.session === child.id) expect(child.mode).toBe(machine.conversation.mode);
        if (earlier?.mode === 'restricted') expect(child.mode).toBe('restricted');
      }
      if (last?.type !== 'modeChosen' || last.mode !== 'restricted' || !machine.conversation.settings.sandbox) return;
      for (const child of Object.values(machine.state.sessions)) {
        if (child.parent !== undefined) expect(child.mode).toBe('restricted');
      }
    });
  });

  it('leaves a mode request only by approve, deny, abort or the end of the sandbox', () => {
    property((machine, before) => {
      const { phase } = rootOf(before);
      if (phase.kind !== 'awaitingModeApproval') return;
      const now = machine.phase;
      if (now.kind === 'awaitingModeApproval' && now.question === phase.question) return;
      expect(['answered', 'modeChosen', 'aborted']).toContain(machine.events.at(-1)?.type);
    });
  });

  it('answers patch with the mode error in Restricted, whatever its arguments, and tightens from idle at once', () => {
    property((machine, before) => {
      for (const effect of machine.last) {
        if (effect.kind === 'examine' && effect.action.kind === 'tool' && effect.action.name === 'patch') {
          expect(effect.mode).toBe('unrestricted');
        }
      }
      const last = machine.events.at(-1);
      if (last?.type === 'modeChosen' && last.mode === 'restricted' && rootOf(before).phase.kind === 'idle') {
        expect(machine.conversation.mode).toBe(machine.conversation.settings.sandbox ? 'restricted' : 'unrestricted');
      }
    });
  });

  it('plans at most once a run, goes through the tasks in order, and keeps them out of the turns', () => {
    property((machine, before) => {
      const { phase, turns } = machine.conversation;
      const was = rootOf(before).phase;
      expect(JSON.stringify(turns)).not.toContain('Current step');
      if (machine.last.some((effect) => effect.kind === 'preplan')) expect(was.kind).toBe('idle');
      if (phase.kind === 'idle' || phase.run.kind !== 'norris' || was.kind === 'idle' || was.run.kind !== 'norris')
        return;
      const [now, then] = [phase.run.tasks, was.run.tasks];
      if (!now || !then) return;
      expect(now.list).toBe(then.list);
      expect(now.current - then.current).toBeGreaterThanOrEqual(0);
      expect(now.current - then.current).toBeLessThanOrEqual(1);
      expect(phase.run.reporting === true).toBe(now.current === now.list.length);
    });
  });

  it('runs nothing that a plan or a report asks for', () => {
    property((machine, before) => {
      const { phase } = rootOf(before);
      const unheard = phase.kind === 'planning' || (phase.kind === 'replying' && 'reporting' in phase.run);
      if (!unheard || machine.events.at(-1)?.type !== 'replyEnded') return;
      expect(machine.last.filter(({ kind }) => kind === 'examine' || kind === 'act')).toEqual([]);
    });
  });

  it('makes no call past a spending question but by a yes', () => {
    property((machine, before) => {
      const { phase } = rootOf(before);
      if (phase.kind !== 'awaitingSpend' || !machine.last.some(({ kind }) => kind === 'callModel')) return;
      const last = machine.events.at(-1);
      expect(last).toMatchObject({ type: 'answered', question: phase.question, answer: { kind: 'proceed' } });
      expect(machine.state.allowedDollars).toBeGreaterThanOrEqual(phase.upTo);
    });
  });

  it('replays to the same state and the same transcript', () => {
    property((machine) => {
      const shown: Effect[] = [];
      let state = emptyState('main');
      for (const event of machine.events) {
        const [next, effects] = reduce(state, JSON.parse(JSON.stringify(event)));
        state = next;
        shown.push(...effects);
      }
      expect(state).toEqual(machine.state);
      expect(shown).toEqual(machine.effects);
    });
  });
});

/** Looks for the judgement that this `act` names among all events, independently of the machine. */
function allowed(machine: Machine, act: Extract<Effect, { kind: 'act' }>): boolean {
  const examine = machine.effects.find((effect) => effect.kind === 'examine' && effect.op === act.judgedAs);
  const verdict = machine.events.find((event) => event.type === 'examined' && event.op === act.judgedAs);
  if (examine?.kind !== 'examine' || verdict?.type !== 'examined') return false;
  const bound = (of: { action: unknown; cwd: string; mode: string }) => JSON.stringify([of.action, of.cwd, of.mode]);
  if (bound(examine) !== bound(act) || verdict.examination.kind !== 'judged') return false;
  const used = machine.effects.filter((effect) => effect.kind === 'act' && effect.judgedAs === act.judgedAs);
  if (used.length !== 1) return false;
  if (!verdict.examination.judgement.destructive) return true;
  const last = machine.events.at(-1);
  return last?.type === 'answered' && last.answer.kind === 'proceed';
}
