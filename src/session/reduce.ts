/** (state, event) → [state, effects]. Pure: time, ids and randomness come in with events. */

import {
  answered,
  askFleet,
  askForm,
  askReview,
  askToSpend,
  dropFleet,
  dropForms,
  dropTrial,
  forSpenders,
  takeReviewed,
  takeTrial,
} from './answer.ts';
import { chooseMode, choosePreset, compact, resetTurns } from './choose.ts';
import { takeMeasure, takeSummary, takeUsage } from './context.ts';
import { addCall } from './cost.ts';
import { beginTask, childOf, delegationOf, subAgents } from './delegate.ts';
import type { Effect } from './effect.ts';
import type { Of, SessionEvent } from './event.ts';
import { allow, disallow } from './grants.ts';
import { forgetLeave, leaveFor, setLeave } from './leaving.ts';
import { namesOf } from './message.ts';
import { possibleMode } from './mode.ts';
import { countAction, ifNorris } from './norris.ts';
import { noteAgain, noteRefused } from './offer.ts';
import type { Outcome } from './phase.ts';
import { goToShell, hostOf } from './place.ts';
import { continueLastNorris, recordPreplan, startNorris, takePlan } from './planning.ts';
import { showStarted } from './results.ts';
import { closeShell, jobEnded, shellEnded, shellStarted } from './shell.ts';
import { endSlot, slotOf } from './slots.ts';
import type { Conversation, State } from './state.ts';
import { examineNext, finishRun, goOn, startStep, takeExamination, takeReply } from './steps.ts';
import { abort, resume, settle } from './stop.ts';
import { type OwnedTurns, Transition } from './transition.ts';

type Result = readonly [State, readonly Effect[]];

/**
 * One event. Facts of operations no longer outstanding, and events of unknown sessions, change nothing.
 * @param owned of a fold that keeps no state but the last: then its lists of turns are continued in place
 */
export function reduce(state: State, event: SessionEvent, owned?: OwnedTurns): Result {
  const conversation = conversationOf(state, event);
  if (!conversation) return [state, []];
  const transition = new Transition(state, event, conversation, owned);
  apply(transition, event);
  dropTrial(transition);
  const [next, effects] = transition.done();
  if (transition.report) return deliverReport(next, effects, transition.conversation, transition.report, event.at);
  if (event.type === 'answered' && next.allowedDollars !== state.allowedDollars) {
    return forSpenders([next, effects], event, reduce);
  }
  return forChildren([next, effects], event);
}

/** The user's own events go to their conversation; sub-agents get only what `forChildren` passes on. */
const FOR_ROOT: ReadonlySet<SessionEvent['type']> = new Set([
  'opened',
  'resumed',
  'asked',
  'lineTakenBack',
  'norrisStarted',
  'norrisContinued',
  'turnsReset',
  'compactAsked',
  'presetChosen',
  'ruleSet',
  'leaveSet',
]);

function conversationOf(state: State, event: SessionEvent): Conversation | undefined {
  const known = state.sessions[event.session];
  if (known?.parent && FOR_ROOT.has(event.type)) return undefined;
  if (event.type === 'opened') return open(event);
  if (event.type !== 'spawned') return known;
  const found = known ? undefined : delegationOf(state, event.parent, event.op);
  return found && childOf(found.parent, event.session, event.op);
}

/**
 * An abort ends a conversation's sub-agents, and they follow it into a narrower mode (MO-4); never into a wider one.
 */
function forChildren([state, effects]: Result, event: SessionEvent): Result {
  if (event.type !== 'aborted' && event.type !== 'modeChosen') return [state, effects];
  let result: Result = [state, effects];
  for (const { conversation } of subAgents(state)) {
    if (conversation.parent?.session !== event.session) continue;
    const [next, more] = reduce(result[0], { ...event, session: conversation.id });
    result = [next, [...result[1], ...more]];
  }
  return result;
}

/** A sub-agent that has ended is gone; its report is the outcome of its parent's action. */
function deliverReport(
  state: State,
  effects: readonly Effect[],
  { id, parent }: Conversation,
  report: Outcome,
  at: number,
): Result {
  const { [id]: _, ...sessions } = state.sessions;
  if (!parent) return [state, effects];
  const ended = { type: 'actionEnded', session: parent.session, at, op: parent.op, outcome: report } as const;
  const [next, more] = reduce({ ...state, sessions }, ended);
  return [next, [...effects, ...more]];
}

function open({ session, cwd, mode, settings }: Of<'opened'>): Conversation {
  return {
    id: session,
    settings,
    mode: possibleMode(mode, settings),
    turns: [],
    inbox: [],
    phase: { kind: 'idle' },
    cwd,
    preset: settings.preset,
  };
}

/** What each event changes. */
const CHANGES: { readonly [Type in SessionEvent['type']]: (next: Transition, event: Of<Type>) => void } = {
  opened: goTo,
  spawned,
  resumed(next, event) {
    // A key that takes no number: what comes after it in a journal is called as it was.
    if (!event.again) next.show({ kind: 'resumed', at: event.at }, `resumed${event.at}`);
    dropForms(next);
    closeShell(next);
    resume(next, event.settings, event.mode);
  },
  asked,
  lineTakenBack: (next, event) => takeBack(next, event.line),
  norrisStarted: startNorris,
  norrisContinued: continueLastNorris,
  answered,
  aborted: (next, { at, unattended }) => abort(next, unattended ? {} : { at }),
  turnsReset: resetTurns,
  compactAsked: compact,
  modeChosen: (next, event) => chooseMode(next, event.mode),
  presetChosen: (next, event) => choosePreset(next, event.preset),
  ruleSet: (next, event) => (event.allowed ? allow(next, [event.rule]) : disallow(next, event.rule)),
  leaveSet: (next, event) => setLeave(next, event.to, event.allowed),
  shellStarted,
  shellEnded,
  shellMoved,
  measured: takeMeasure,
  summarized: takeSummary,
  replyEnded,
  callCounted(next, event) {
    next.state = { ...next.state, costs: addCall(next.state.costs, event.call) };
  },
  spendReached: askToSpend,
  examined,
  actionStarted,
  actionVoided,
  actionEnded,
  tried: takeTrial,
  applied,
  discarded() {},
  jobEnded,
  formAsked: askForm,
  formGone: (next, event) => dropForms(next, event.form),
  reviewAsked: askReview,
  reviewed: takeReviewed,
  fleetBegan() {},
  fleetAsked: askFleet,
  fleetGone: dropFleet,
  undone: (next, event) =>
    next.inbox({ kind: 'note', origin: 'aish', text: `[aish] the user took back changes of yours: ${event.text}` }),
  noticed: (next, event) => next.notice(event.level, event.text),
};

function apply(next: Transition, event: SessionEvent): void {
  const change = CHANGES[event.type] as (next: Transition, event: SessionEvent) => void;
  change(next, event);
}

function goTo(next: Transition, { cwd }: { readonly cwd: string }): void {
  next.state = { ...next.state, shell: { ...next.state.shell, cwd } };
}

function shellMoved(next: Transition, { cwd, project }: Of<'shellMoved'>): void {
  goTo(next, { cwd });
  const host = hostOf(cwd);
  if (host === undefined) return;
  const others = next.state.projectHosts?.filter((other) => other !== host) ?? [];
  next.state = { ...next.state, projectHosts: project ? [...others, host] : others };
}

function spawned(next: Transition, event: Of<'spawned'>): void {
  const found = delegationOf(next.state, event.parent, event.op);
  if (!found) return;
  const run = beginTask(next, found);
  if (found.parent.phase.kind === 'acting') startStep(next, run);
  else finishRun(next, run, { status: 'aborted' });
}

/** A question starts the sub-loop at once, or waits in line for the next step (IN-7). */
function asked(next: Transition, { line, text, attached = [], git }: Of<'asked'>): void {
  const idle = next.conversation.phase.kind === 'idle';
  if (leaveFor(next) === 'session') forgetLeave(next, 'no');
  const comes = attached.length > 0 && { attached };
  next.show({ kind: 'user', text, queued: !idle, ...namesOf(attached) }, line);
  if (idle) goToShell(next, git);
  next.inbox({ kind: 'line', id: line, text, ...comes });
  next.set({ repeats: undefined });
  if (!idle) return;
  startStep(next, { kind: 'chat', preset: next.conversation.preset, round: 1 });
}

function takeBack(next: Transition, line: string): void {
  const item = next.conversation.inbox.find((i) => i.kind === 'line' && i.id === line);
  if (item?.kind !== 'line') return;
  next.set({ inbox: next.conversation.inbox.filter((i) => i !== item) });
  next.effect({ kind: 'hide', key: line });
  next.effect({ kind: 'giveBack', text: item.text });
}

function replyEnded(next: Transition, { op, reply, reading }: Of<'replyEnded'>): void {
  const { phase } = next.conversation;
  if ('op' in phase && phase.op === op) takeUsage(next, reply);
  if (phase.kind === 'replying' && phase.op === op) return takeReply(next, phase.run, op, reply, reading === true);
  if (phase.kind === 'planning' && phase.op === op) return takePlan(next, phase.run, reply);
  if (phase.kind !== 'stopping' || phase.op !== op || phase.open) return;
  if (phase.planning) recordPreplan(next, phase.run.kind === 'norris' ? phase.run.goal : '', reply, 'aborted');
  else if (reply.text.trim() !== '') {
    next.show({ kind: 'assistant', text: reply.text, preset: reply.preset, partial: true }, op);
    next.turn({ kind: 'assistant', text: reply.text, toolCalls: [], partial: true });
  }
  settle(next, phase.run);
}

function examined(next: Transition, { op, examination }: Of<'examined'>): void {
  const { phase } = next.conversation;
  if (phase.kind === 'judging' && phase.op === op) return takeExamination(next, phase, examination);
  if (phase.kind === 'stopping' && phase.op === op && phase.open) settle(next, phase.run, phase.open);
}

function actionStarted(next: Transition, { op }: Of<'actionStarted'>): void {
  const { phase } = next.conversation;
  if (phase.kind !== 'acting' && phase.kind !== 'stoppingActions') return;
  const found = slotOf(phase, op);
  if (!found) return;
  showStarted(next, op, found.action, found.slot);
  next.phase({ ...phase, slots: phase.slots.with(found.at, { ...found.slot, started: true }) });
}

/**
 * The world has moved under the user's answer: they are asked again (SF-13). Anything else that was voided counts as
 * ended.
 */
function actionVoided(next: Transition, { op, outcome, ...event }: Of<'actionVoided'>): void {
  const { phase } = next.conversation;
  const asked = phase.kind === 'acting' && phase.slots.length === 1 && slotOf(phase, op)?.slot.userApproved;
  if (!asked) return actionEnded(next, { ...event, type: 'actionEnded', op, outcome });
  next.effect({ kind: 'hide', key: op });
  examineNext(next, phase.run, phase.dispatch, 'changed');
}

/** The trial is gone, whatever came of it. */
function applied(next: Transition, { op, ok, text, number, ...event }: Of<'applied'>): void {
  const { phase } = next.conversation;
  const trial = 'slots' in phase ? slotOf(phase, op)?.slot.trial : undefined;
  if (!trial) return;
  next.set({ trial: undefined });
  const undo = number === undefined ? '' : ` · :undo ${number}`;
  const outcome: Outcome = { kind: 'applied', ok, text: `${text}${undo}`, result: trial.result };
  actionEnded(next, { ...event, type: 'actionEnded', op, outcome });
}

function actionEnded(next: Transition, { op, outcome }: Of<'actionEnded'>): void {
  const { phase } = next.conversation;
  if (phase.kind !== 'acting' && phase.kind !== 'stoppingActions') return;
  const { dispatch } = phase;
  const approved = slotOf(phase, op)?.slot.userApproved ?? false;
  // A delegation ends with its sub-agent, not before.
  const alive = subAgents(next.state).some(({ conversation }) => conversation.parent?.op === op);
  const slots = alive ? undefined : endSlot(next, phase, op, outcome);
  if (!slots) return;
  const run = ifNorris(phase.run, (r) => countAction(r, approved));
  // Of several at once none moves the agent for the others.
  const alone = phase.kind === 'acting' ? phase.concurrency === 1 : slots.length === 1;
  const moves = outcome.kind === 'command' || (outcome.kind === 'applied' && outcome.ok);
  if (alone && moves) next.set({ cwd: outcome.result.cwd });
  const ended = slotOf(phase, op)?.action;
  if (outcome.kind === 'command' && ended) noteRefused(next, outcome.refused, ended, outcome.attempt);
  if (phase.kind === 'acting')
    goOn(next, run, { dispatch: noteAgain(dispatch, ended, outcome), slots }, phase.concurrency);
  else if (slots.some((slot) => slot.kind === 'running')) next.phase({ ...phase, run, slots });
  else settle(next, run, { dispatch, slots });
}
