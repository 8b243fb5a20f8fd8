/** Abort, and recovery of what a closed program left unfinished (HA-3, RE-4). Starts nothing. */
import { type Action, withoutEnd } from './action.ts';
import { lostReport } from './delegate.ts';
import type { Mode, OpId } from './ids.ts';
import {
  ALREADY_UNRESTRICTED,
  possibleMode,
  setMode,
  tighten,
  unenforced,
  upgradeDenied,
  whyNotEnforced,
} from './mode.ts';
import type { ActionSlot, ActionSlots, Outcome, Phase } from './phase.ts';
import type { ToApply } from './question.ts';
import { showOutcome } from './results.ts';
import type { Run } from './run.ts';
import { openSlots, tellResult } from './slots.ts';
import { type Conversation, decidesAs, type Settings } from './state.ts';
import { examineNext, finishRun } from './steps.ts';
import type { Transition } from './transition.ts';

const NOT_RUN = '[aish] not run: aborted by the user';
const CLOSED = 'the program closed meanwhile';
/** The outcome of actions that ran when the program closed. */
export const OUTCOME_UNKNOWN = 'outcome unknown';

type Requesting = Extract<Phase, { kind: 'awaitingModeApproval' }>;
type Acting = Extract<Phase, { kind: 'acting' | 'stoppingActions' }>;

/** When the user decided; empty if no user could. */
type ByUser = { readonly at?: number };

/** Aborts everything that is running. Outstanding operations are cancelled and awaited in `stopping`. */
export function abort(next: Transition, byUser: ByUser = { at: next.event.at }): void {
  const { phase, id: session } = next.conversation;
  switch (phase.kind) {
    case 'idle':
    case 'stopping':
    case 'stoppingActions':
      return;
    case 'halted':
      return settleHalted(next, phase, byUser);
    case 'escalated':
    case 'planReview':
    case 'awaitingSpend':
      return settle(next, phase.run);
    case 'planning': {
      const { op, run } = phase;
      next.effect({ kind: 'cancel', session, op });
      return next.phase({ kind: 'stopping', op, run, planning: true });
    }
    case 'awaitingModeApproval':
      // An abort at a mode request denies it first (MO-7).
      return settleUpgrade(next, phase, upgradeDenied(next.conversation.mode));
    case 'replying':
    case 'trying':
    case 'judging': {
      const { op, run } = phase;
      next.effect({ kind: 'cancel', session, op });
      const open = phase.kind === 'replying' ? {} : { open: openSlots(phase) };
      return next.phase({ kind: 'stopping', op, run, ...open });
    }
    case 'acting': {
      const { run, dispatch, slots } = phase;
      for (const slot of slots) {
        if (slot.kind === 'running') next.effect({ kind: 'cancel', session, op: slot.op });
      }
      return next.phase({ kind: 'stoppingActions', run, dispatch, slots });
    }
  }
}

/** Gives every open call its one result (AC-4), in order, then ends the run as aborted. */
export function settle(next: Transition, run: Run, open?: ActionSlots, reason?: string): void {
  tighten(next);
  for (const [at, action] of open?.dispatch.actions.slice(open.dispatch.index).entries() ?? []) {
    const slot = open?.slots[at];
    if (slot?.kind === 'ended' || slot?.kind === 'notRun') tellResult(next, action, slot);
    else tellNotRun(next, action);
  }
  finishRun(next, run, reason === undefined ? { status: 'aborted' } : { status: 'aborted', reason });
}

/** A line marker has no call that needs a result. Since semantics 2 the model learns about it all the same. */
function tellNotRun(next: Transition, action: Action): void {
  if (action.callId !== undefined) next.answer(action, NOT_RUN);
  else if (decidesAs(next.conversation.settings, 2)) next.answerNotRun(action, NOT_RUN);
}

/** The user aborted at a question about an action. */
export function settleHalted(next: Transition, phase: Extract<Phase, { kind: 'halted' }>, byUser: ByUser): void {
  const action = phase.dispatch.actions[phase.dispatch.index];
  if (action && decidesAs(next.conversation.settings, 2))
    next.show({ kind: 'refused', action, how: 'aborted', reason: '', ...byUser });
  settle(next, phase.run, openSlots(phase));
}

/**
 * Continues after a restart: open questions are judged and asked again, a started action never runs again, everything
 * else ends.
 * @param asked the mode to use instead of the conversation's own
 */
export function resume(next: Transition, settings: Settings, asked?: Mode): void {
  const lost = dropChildren(next);
  const { phase, tightening, mode: now } = next.conversation;
  const mode = asked ?? tightened(settings, tightening) ?? now;
  next.set({ settings, tightening: undefined, jobs: undefined, named: undefined, toldCwd: undefined });
  const why = whyNotEnforced(mode, settings);
  if (why !== undefined) next.notice('warning', why);
  const possible = possibleMode(mode, settings);
  setMode(next, possible);
  switch (phase.kind) {
    case 'idle':
    case 'escalated':
    case 'planReview':
    case 'awaitingSpend':
      return;
    case 'awaitingModeApproval':
      return resumeRequest(next, phase, settings, possible);
    case 'planning':
    case 'replying':
      return settle(next, phase.run, undefined, CLOSED);
    case 'halted':
    case 'trying':
    case 'judging':
      next.unask();
      return examineNext(next, phase.run, openSlots(phase).dispatch, 'asked');
    case 'acting':
      if (!phase.slots.some(hasStarted)) return examineNext(next, phase.run, phase.dispatch, 'asked');
      return settleUnknown(next, phase, lost);
    case 'stopping':
      return settle(next, phase.run, phase.open, CLOSED);
    case 'stoppingActions':
      return settleUnknown(next, phase, lost);
  }
}

/** The modes that the question offers may no longer be possible (MO-5, MO-13). */
function resumeRequest(next: Transition, phase: Requesting, settings: Settings, possible: Mode): void {
  if (phase.raised) {
    next.unask(phase.question);
    return examineNext(next, phase.run, openSlots({ dispatch: phase.dispatch, ...phase.raised }).dispatch, 'asked');
  }
  if (settings.sandbox) return;
  const answer = possible === 'unrestricted' ? ALREADY_UNRESTRICTED : unenforced(possible, settings);
  return settleUpgrade(next, phase, answer, CLOSED);
}

/** Answers a mode request, then settles the actions after it. */
function settleUpgrade(
  next: Transition,
  { run, dispatch, raised, offered }: Requesting,
  answer: string,
  reason?: string,
): void {
  if (offered) return settle(next, run, { dispatch, slots: [] }, reason);
  if (raised) return settle(next, run, openSlots({ dispatch, ...raised }), reason);
  const action = dispatch.actions[dispatch.index];
  if (action) next.answer(action, answer);
  settle(next, run, { dispatch: { ...dispatch, index: dispatch.index + 1 }, slots: [] }, reason);
}

function hasStarted(slot: ActionSlot): boolean {
  return slot.kind === 'ended' || (slot.kind === 'running' && slot.started);
}

/** Ends all sub-agents, which never outlive the program. Returns them by the operation that waited for each. */
function dropChildren(next: Transition): ReadonlyMap<OpId, Conversation> {
  const { sessions, questions } = next.state;
  const children = Object.values(sessions).filter((each) => each.parent?.session === next.conversation.id);
  const gone = new Set(children.map((child) => child.id));
  next.state = {
    ...next.state,
    sessions: Object.fromEntries(Object.entries(sessions).filter(([id]) => !gone.has(id))),
    questions: questions.filter((question) => !gone.has(question.session)),
  };
  return new Map(children.flatMap((child) => (child.parent ? [[child.parent.op, child]] : [])));
}

function settleUnknown(next: Transition, phase: Acting, lost: ReadonlyMap<OpId, Conversation>): void {
  const { run, dispatch, slots } = phase;
  const settled = slots.map((slot, at): ActionSlot => {
    const action = dispatch.actions[dispatch.index + at];
    if (slot.kind !== 'running' || !slot.started || !action) return slot;
    const { cwd } = next.conversation;
    const outcome = slot.trial ? appliedUnknown(slot.trial) : unknownOf(action, cwd, lost.get(slot.op));
    showOutcome(next, slot.op, action, outcome);
    return { kind: 'ended', userApproved: slot.userApproved, outcome };
  });
  settle(next, run, { dispatch, slots: settled }, CLOSED);
}

/** A crash during an apply was rolled back; whether the apply had finished is not recorded. */
function appliedUnknown({ result }: ToApply): Outcome {
  const text = `${OUTCOME_UNKNOWN}: it was applied as a whole or not at all`;
  return { kind: 'applied', ok: false, text, result };
}

function unknownOf(action: Action, cwd: string, child: Conversation | undefined): Outcome {
  switch (action.kind) {
    case 'command':
      return { kind: 'command', result: withoutEnd(cwd, OUTCOME_UNKNOWN) };
    case 'delegate':
      return lostReport(child);
    case 'tool':
      return { kind: 'tool', text: OUTCOME_UNKNOWN, failed: true };
  }
}

/** The narrower mode the user chose while an action ran: that action ended with the program. */
function tightened({ keepsMode }: Settings, tightening: Mode | undefined): Mode | undefined {
  return keepsMode ? tightening : undefined;
}
