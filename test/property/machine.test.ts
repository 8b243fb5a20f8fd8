import { describe, expect, it } from 'vitest';
import { composeMessages } from '../../src/session/context.ts';
import type { Effect } from '../../src/session/effect.ts';
import { isWider } from '../../src/session/ids.ts';
import { offersFrom, whyNotEnforced } from '../../src/session/mode.ts';
import { reduce } from '../../src/session/reduce.ts';
import { type Conversation, emptyState, rootOf } from '../../src/session/state.ts';
import { Machine } from '../support/machine.ts';
import { letEnd, property, propertyOfEnd } from '../support/moves.ts';

function resultsPerCall({ turns }: Conversation): Map<string, number> {
  const counts = new Map<string, number>();
  for (const turn of turns) {
    if (turn.kind === 'assistant') for (const call of turn.toolCalls) counts.set(call.id, 0);
    if (turn.kind === 'result') counts.set(turn.callId, (counts.get(turn.callId) ?? Number.NaN) + 1);
  }
  return counts;
}

describe('the machine, over random runs', () => {
  it('gives every tool call exactly one result, after its call, in every conversation', () => {
    property((machine) => {
      for (const conversation of Object.values(machine.state.sessions)) {
        for (const count of resultsPerCall(conversation).values()) {
          expect(count).toBeLessThanOrEqual(1);
          if (conversation.phase.kind === 'idle') expect(count).toBe(1);
        }
      }
    });
  });

  it('sends the model no tool call without a result, and exactly one system message, which comes first', () => {
    property((machine) => {
      for (const effect of machine.last) {
        const conversation = effect.kind === 'callModel' ? machine.state.sessions[effect.session] : undefined;
        if (conversation) expectLegal(conversation);
      }
    });
  });

  it('runs an action only with its own verdict, and a destructive one only after proceed', () => {
    const approved = new Set<string>();
    property((machine, before) => {
      if (machine.events.length <= 3) approved.clear();
      const last = machine.events.at(-1);
      if (last?.type === 'answered' && (last.answer.kind === 'proceed' || last.answer.kind === 'apply')) {
        const phase = before.sessions[last.session]?.phase;
        if (phase?.kind === 'halted' && phase.question === last.question) approved.add(phase.judgedAs);
      }
      for (const effect of machine.last) {
        if (effect.kind === 'act') expect(allowed(machine, effect, approved)).toBe(true);
      }
    });
  });

  it('applies a trial only if the user approved that very trial, and discards every other', () => {
    const kept = new Map<string, string>();
    const meant = new Set<string>();
    property((machine, before) => {
      if (machine.events.length <= 3) for (const each of [kept, meant]) each.clear();
      const last = machine.events.at(-1);
      const was = last && before.sessions[last.session]?.phase;
      const waits =
        (was?.kind === 'trying' || was?.kind === 'stopping') && last?.type === 'tried' && was.op === last.op;
      if (waits && last.trial.kind === 'changes') kept.set(last.trial.id, last.session);
      if (last?.type === 'answered' && last.answer.kind === 'apply' && was?.kind === 'halted') {
        if (was.question === last.question && was.tried?.trial.kind === 'changes') meant.add(was.tried.trial.id);
      }
      for (const effect of machine.last) {
        if (effect.kind === 'discardTrial') expect(kept.delete(effect.trial)).toBe(true);
        if (effect.kind !== 'act' || !effect.trial) continue;
        expect(meant.delete(effect.trial.id)).toBe(true);
        expect(effect.trial.digest).toBe(`digest of ${effect.trial.id}`);
      }
      if (last?.type === 'applied') {
        const done = before.sessions[last.session]?.trial;
        if (done !== undefined && machine.state.sessions[last.session]?.trial === undefined) kept.delete(done);
      }
      // A shown trial that is neither applied nor discarded is still open or being applied.
      for (const [id, session] of kept) {
        const conversation = machine.state.sessions[session];
        if (conversation) expect(conversation.trial).toBe(id);
      }
    });
  });

  it('judges an undeclared MCP tool in Unrestricted only, and gives no lasting consent for a destructive call', () => {
    property((machine, before) => {
      for (const effect of machine.last) {
        if (effect.kind !== 'examine' || effect.action.kind !== 'tool' || !effect.action.name.includes('__')) continue;
        expect(effect.mode).toBe('unrestricted');
      }
      const last = machine.events.at(-1);
      if (last?.type !== 'answered' || last.answer.kind !== 'always') return;
      const question = before.questions.find(({ id }) => id === last.question);
      const granted = machine.state.grants !== before.grants;
      if (granted) expect(question).toMatchObject({ kind: 'halt', judgement: { destructive: false } });
    });
  });

  it('becomes idle from any phase after an abort, with complete turns and no sub-agent', () => {
    property((machine) => {
      const copy = new Machine();
      copy.state = machine.state;
      const { turns } = copy.conversation;
      copy.send({ type: 'aborted' });
      letEnd(copy);
      expect(copy.phase.kind).toBe('idle');
      expect(copy.conversation.turns.slice(0, turns.length)).toEqual(turns);
      expect(copy.state.questions).toEqual([]);
      expect(Object.keys(copy.state.sessions)).toEqual(['main']);
      expect(copy.effects.some((effect) => effect.kind === 'act' || effect.kind === 'callModel')).toBe(false);
      for (const count of resultsPerCall(copy.conversation).values()) expect(count).toBe(1);
    });
  });

  it('has every question and every outstanding operation in exactly one phase', () => {
    property((machine) => {
      const asked = Object.values(machine.state.sessions).flatMap(({ phase }) =>
        'question' in phase ? [phase.question] : [],
      );
      expect(machine.state.questions.map((question) => question.id).toSorted()).toEqual(asked.toSorted());
    });
  });

  it('widens the mode only when the user says so, and no further than they said', () => {
    property((machine, before) => {
      const { mode, settings } = machine.conversation;
      const was = rootOf(before);
      const last = machine.events.at(-1);
      if (settings.sandbox && !settings.project) expect(mode).not.toBe('project');
      if (!isWider(mode, was.mode)) return;
      if (last?.type === 'modeChosen') return expect(mode).toBe(last.mode);
      expect(was.phase.kind).toBe('awaitingModeApproval');
      const [narrowest] = offersFrom({ conversation: was, state: before });
      const said = last?.type === 'answered' ? last.answer.kind : undefined;
      expect(said === 'unrestricted' ? 'unrestricted' : said === 'proceed' ? narrowest : said).toBe(mode);
    });
  });

  it('judges and runs nothing outside Unrestricted without a sandbox', () => {
    property((machine) => {
      for (const effect of machine.last) {
        if (effect.kind !== 'examine' && effect.kind !== 'act') continue;
        const { settings } = machine.state.sessions[effect.session] ?? machine.conversation;
        if (!settings.sandbox) expect(effect.mode).toBe('unrestricted');
      }
    });
  });

  it('ends a mode request only by approve, deny, abort or the end of the sandbox', () => {
    property((machine, before) => {
      const { phase } = rootOf(before);
      if (phase.kind !== 'awaitingModeApproval') return;
      const now = machine.phase;
      if (now.kind === 'awaitingModeApproval' && now.question === phase.question) return;
      // A question raised by an action that needs a mode is judged again at a resume.
      const byResume = phase.raised || !machine.conversation.settings.sandbox ? ['resumed'] : [];
      expect(['answered', 'modeChosen', 'aborted', ...byResume]).toContain(machine.events.at(-1)?.type);
    });
  });

  it('answers a patch in Restricted with the mode error, whatever its arguments, and narrows the mode at once when idle', () => {
    property((machine, before) => {
      for (const effect of machine.last) {
        if (effect.kind === 'examine' && effect.action.kind === 'tool' && effect.action.name === 'patch') {
          expect(effect.mode).not.toBe('restricted');
        }
      }
      const last = machine.events.at(-1);
      const { phase, mode, settings } = rootOf(before);
      if (last?.type !== 'modeChosen' || last.session !== 'main' || phase.kind !== 'idle') return;
      const possible = whyNotEnforced(last.mode, settings) === undefined;
      expect(machine.conversation.mode).toBe(possible ? last.mode : mode);
    });
  });

  it.each(['copying', 'continuing'])('replays to the same state and transcript, %s its turns', (how) => {
    propertyOfEnd((machine) => {
      const shown: Effect[] = [];
      let state = emptyState('main');
      const owned = how === 'copying' ? undefined : new Map();
      for (const event of machine.events) {
        const [next, effects] = reduce(state, JSON.parse(JSON.stringify(event)), owned);
        state = next;
        shown.push(...effects);
      }
      expect(state).toEqual(machine.state);
      expect(shown).toEqual(machine.effects);
    });
  });
});

/**
 * Checks what a strict server requires: one system message, user turns and results in their places, results in the
 * order of the calls.
 */
function expectLegal(conversation: Conversation): void {
  for (const count of resultsPerCall(conversation).values()) expect(count).toBe(1);
  const messages = composeMessages(conversation, 'You are aish.');
  expect(messages.map((message) => message.role === 'system').indexOf(true, 1)).toBe(-1);
  let open: readonly string[] = [];
  for (const [index, message] of messages.entries()) {
    if (index > 0) expect([message.role, messages[index - 1]?.role]).not.toEqual(['user', 'user']);
    if (message.role === 'tool') {
      expect(message.callId).toBe(open[0]);
      open = open.slice(1);
    } else if (message.role === 'assistant') {
      expect(open).toEqual([]);
      open = message.toolCalls.map((call) => call.id);
    }
  }
  expect(open).toEqual([]);
}

/** Finds the judgement for this `act` among all events, independently of the machine’s code. */
function allowed(machine: Machine, act: Extract<Effect, { kind: 'act' }>, approved: ReadonlySet<string>): boolean {
  const examine = machine.effects.find((effect) => effect.kind === 'examine' && effect.op === act.judgedAs);
  const verdict = machine.events.find((event) => event.type === 'examined' && event.op === act.judgedAs);
  if (examine?.kind !== 'examine' || verdict?.type !== 'examined') return false;
  const bound = (of: Bound) => JSON.stringify([of.session, of.action, of.cwd, of.mode]);
  if (bound(examine) !== bound(act) || verdict.examination.kind !== 'judged') return false;
  const used = machine.effects.filter((effect) => effect.kind === 'act' && effect.judgedAs === act.judgedAs);
  if (used.length !== 1) return false;
  return !verdict.examination.judgement.destructive || approved.has(act.judgedAs);
}

type Bound = Pick<Extract<Effect, { kind: 'act' }>, 'session' | 'action' | 'cwd' | 'mode'>;
