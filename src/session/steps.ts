/**
 * One step, for chat and Norris alike: call the model, parse the reply, then for each action: examine, ask for
 * consent, act, record.
 */

import { type Action, type Examination, findsNoMore, type Judgement, whyUnfinished } from './action.ts';
import { braked, isLooping } from './brake.ts';
import { consentFor } from './consent.ts';
import { nameSurroundings } from './context.ts';
import { delegateEnding, goalOf, MAX_DELEGATE_STEPS, reportOf } from './delegate.ts';
import { withChange } from './grants.ts';
import { isWider, type Mode, type OpId, type SessionId } from './ids.ts';
import { forgetLeave, leaveAnswer, leaveFor, leaveRefused } from './leaving.ts';
import { namesOf, type Reply, turnOf } from './message.ts';
import {
  changeMode,
  modeName,
  modeNotice,
  offersFrom,
  PATCH_DISABLED,
  refusedByMode,
  setMode,
  tighten,
  UPGRADE_APPROVED,
  upgradeDenied,
  upgradeWish,
} from './mode.ts';
import {
  currentTask,
  endingOf,
  mustEscalate,
  nextStep,
  progressText,
  remainingTasks,
  replanReason,
  summaryOf,
  underTaskPreset,
} from './norris.ts';
import { nextAgain, noteOffer, noteRefused, offerMode, returnTo, withAgain } from './offer.ts';
import type { ActionSlots, Decided, Dispatch, Phase, Sentinel } from './phase.ts';
import { goToShell } from './place.ts';
import type { HaltReason } from './question.ts';
import { readReply, USELESS, uselessness } from './reply.ts';
import { noteQuestion } from './rewind.ts';
import type { Ending, NorrisRun, Run } from './run.ts';
import { canRunWithNext, concurrencyOf, flushResults, openSlots, rememberSkipped, startSlots } from './slots.ts';
import { decidesAs, type InboxItem, type Settings, type State } from './state.ts';
import type { Transition } from './transition.ts';

const INTERRUPTED = '[aish] the answer was interrupted: nothing that it asked for has run. Answer anew.';

/** The most characters of thoughts that are shown; of longer ones the end. */
const MAX_THOUGHT_CHARS = 32_000;

type Judging = Extract<Phase, { kind: 'judging' }>;
type Judged = Extract<Examination, { kind: 'judged' }>;
/** The position of the current action before its decision. */
type InHand = { readonly run: Run; readonly dispatch: Dispatch; readonly decided: readonly Decided[] };

/** Moves everything that waited into the conversation, then calls the model. */
export function startStep(next: Transition, begun: Run): void {
  const run = begun.kind === 'norris' ? underTaskPreset(begun, next.conversation.settings.taskModels) : begun;
  nameSurroundings(next);
  for (const item of next.conversation.inbox) deliver(next, item);
  next.set({ inbox: [] });
  if (run.kind === 'norris') showStep(next, run);
  else if (run.kind === 'delegate') next.show({ kind: 'norrisStep', step: run.step, maxSteps: MAX_DELEGATE_STEPS });
  callModel(next, run);
}

function showStep(next: Transition, run: NorrisRun): void {
  if (run.reporting) return next.notice('info', '[aish] all tasks are complete; asking for a report');
  const task = currentTask(run);
  next.show({ kind: 'norrisStep', step: run.step, maxSteps: run.maxSteps, ...(task ? { task } : {}) });
}

/**
 * Calls the model with the current conversation.
 * @param asked facts about an earlier call for the same step
 */
export function callModel(
  next: Transition,
  run: Run,
  asked: { readonly overflowed?: true; readonly again?: true } = {},
  longer = false,
): void {
  const op = next.id('op');
  next.phase({ kind: 'replying', op, run, ...asked });
  next.effect({
    kind: 'callModel',
    session: next.conversation.id,
    op,
    preset: run.preset,
    category: run.kind,
    ...(longer && { longer }),
  });
}

function deliver(next: Transition, item: InboxItem): void {
  if (item.kind === 'note') {
    const { origin, text, file } = item;
    next.turn({ kind: 'user', origin, text, ...(file === undefined ? {} : { file }) });
  } else {
    const { id, text, attached = [] } = item;
    noteQuestion(next, { key: id, text });
    next.turn(turnOf('user', text, attached));
    next.show({ kind: 'user', text, queued: false, ...namesOf(attached) }, id);
  }
}

/** Records the reply before its first action (AC-4). Actions of a failed or cut reply never run. */
export function takeReply(next: Transition, run: Run, op: OpId, reply: Reply, reading: boolean): void {
  const { text } = reply;
  const { phase } = next.conversation;
  if (phase.kind === 'replying' && phase.compacts) return endCompact(next, run, reply);
  const whole = reply.finish === 'stop' || reply.finish === 'tools' || reply.finish === 'length';
  recordReply(next, op, reply, whole);
  if (!whole) {
    if (askAgain(next, run, reply)) return;
    const reason = reply.failure?.message ?? 'the answer was cancelled';
    next.notice('error', reason);
    return finishRun(next, run, { status: 'failed', reason });
  }
  const { actions, sentinel, misformed } = readReply(reply);
  if (actions.length === 0 && !sentinel && askForUse(next, run, reply, misformed === true)) return;
  if (run.kind === 'norris' && run.reporting) return takeReport(next, run, actions);
  const dispatch: Dispatch = {
    actions,
    index: 0,
    reading: reading && actions.length > 1,
    ...(sentinel && run.kind !== 'chat' ? { sentinel } : {}),
  };
  if (run.kind === 'chat' && text.trim() === '' && actions.length === 0)
    next.notice('warning', 'the model returned an empty answer');
  examineNext(next, run, dispatch, 'policy');
}

function endCompact(next: Transition, run: Run, { failure }: Reply): void {
  if (failure) next.notice('error', `[aish] not summarised: ${failure.message}`);
  finishRun(next, run, { status: failure ? 'failed' : 'done' });
}

function recordReply(next: Transition, op: OpId, reply: Reply, whole: boolean): void {
  const { text, tooMany } = reply;
  const toolCalls = whole ? reply.toolCalls : [];
  const thoughts = reply.reasoning.trim().slice(-MAX_THOUGHT_CHARS);
  // A key of its own: taking a number would renumber the entries of older journals.
  if (thoughts !== '' && decidesAs(next.conversation.settings, 3))
    next.show({ kind: 'thoughts', text: thoughts }, `${op}-thoughts`);
  const spoken = text.trim() !== '';
  if (spoken) next.show({ kind: 'assistant', text, preset: reply.preset, partial: !whole }, op);
  for (const notice of reply.notices) next.notice('warning', notice);
  if (spoken || toolCalls.length > 0) next.turn({ kind: 'assistant', text, toolCalls, partial: !whole });
  if (tooMany === undefined || toolCalls.length === 0) return;
  const taken = `only the first ${toolCalls.length} calls of your answer were taken`;
  const note = `[aish] ${taken}; ${tooMany} more were not run: make fewer at once`;
  next.inbox({ kind: 'note', origin: 'aish', text: note });
}

/** Takes the final report. Its actions are not run (PP-3); each of its calls gets that as a result (AC-4). */
function takeReport(next: Transition, run: NorrisRun, actions: readonly Action[]): void {
  for (const action of actions) {
    if (action.callId !== undefined) next.answer(action, '[aish] not run: the same reply ended the run');
  }
  if (actions.length > 0)
    next.notice(
      'warning',
      `[aish] ignored ${actions.length === 1 ? '1 command' : `${actions.length} commands`} in the final report`,
    );
  finishRun(next, run, { status: 'tasks_complete' });
}

/**
 * Retries a failed step once if that may help: with a shorter request (CX-1), or with a fallback, which then stays
 * for the rest of the run (BR-4).
 */
function askAgain(next: Transition, run: Run, { failure, text, fallback }: Reply): boolean {
  const { phase } = next.conversation;
  if (!failure || phase.kind !== 'replying') return false;
  const [other, ...fallbacks] = run.fallbacks ?? fallback ?? [];
  const smaller = failure.kind === 'overflow' && !phase.overflowed;
  if (!smaller && (failure.kind === 'overflow' || fallback === undefined || other === undefined)) return false;
  const how = smaller ? 'retrying with a shorter request' : `continuing with ${other} for this run`;
  next.notice('warning', `[aish] ${failure.message}; ${how}`);
  if (text.trim() !== '') next.turn({ kind: 'user', origin: 'aish', text: INTERRUPTED });
  if (smaller) callModel(next, run, { overflowed: true });
  else if (other !== undefined) callModel(next, { ...run, preset: other, fallbacks });
  return true;
}

/** Asks once more after a useless reply, without using up a step. Returns false to accept the reply. */
function askForUse(next: Transition, run: Run, reply: Reply, misformed: boolean): boolean {
  const { phase, settings } = next.conversation;
  if (!decidesAs(settings, 3) || phase.kind !== 'replying' || phase.again) return false;
  const why = uselessness(run, reply, misformed);
  if (why === undefined) return false;
  const [shown, told] = USELESS[why];
  next.notice('info', `[aish] ${shown}; asking once more`);
  next.turn({ kind: 'user', origin: 'aish', text: `[aish] ${told}` });
  callModel(next, run, { again: true }, why === 'thought');
  return true;
}

/** Examines the current action, or closes the step when there is none left. */
export function examineNext(
  next: Transition,
  run: Run,
  dispatch: Dispatch,
  consent: Judging['consent'],
  decided: readonly Decided[] = [],
  seen?: Judgement,
): void {
  const action = dispatch.actions[dispatch.index];
  tighten(next);
  const again = decided.length === 0 ? nextAgain(dispatch) : undefined;
  if (again) return examineNext(next, run, again, 'edited');
  if (decided.length === 0 && offerMode(next, run, dispatch)) return;
  if (!action) return afterDispatch(next, run, dispatch);
  const skipped = dispatch.skipped?.[dispatch.index];
  if (skipped) return decide(next, { run, dispatch, decided }, skipped, consent);
  const refusal = action.unfinished ? whyUnfinished(action.unfinished) : refusedByMode(next, action);
  const repeated = refusal === undefined && consent === 'policy' ? braked(next, action) : undefined;
  if (repeated !== undefined) return refuse(next, { run, dispatch, decided }, action, repeated);
  if (refusal === PATCH_DISABLED) noteRefused(next, 'write', action);
  if (refusal !== undefined) return refuse(next, { run, dispatch, decided }, action, refusal);
  const { id: session, cwd, mode, settings } = next.conversation;
  const wanted = upgradeWish(action, settings);
  if (wanted) return askForMode(next, run, dispatch, wanted);
  const op = next.id('op');
  next.phase({ kind: 'judging', op, run, dispatch, consent, decided, ...(seen ? { seen } : {}) });
  const { takesBack } = dispatch;
  const before = takesBack?.index === dispatch.index && consent === 'edited' ? { takesBack: takesBack.action } : {};
  next.effect({ kind: 'examine', session, op, action, cwd, mode, goal: goalOf(next.conversation), ...before });
}

function askForMode(
  next: Transition,
  run: Run,
  dispatch: Dispatch,
  wanted: NonNullable<ReturnType<typeof upgradeWish>>,
) {
  const { cwd, mode, settings } = next.conversation;
  const missing = settings.projectMissing === undefined ? {} : { missing: settings.projectMissing };
  const offers = offersFrom(next);
  noteOffer(next);
  const question = next.ask({ kind: 'mode', ...wanted, from: mode, offers, cwd, ...missing });
  next.phase({ kind: 'awaitingModeApproval', question, run, dispatch });
}

function refuse(next: Transition, inHand: InHand, action: Action, text: string): void {
  next.show({ kind: 'refused', action, how: 'invalid', reason: text });
  decide(next, inHand, { kind: 'notRun', text });
}

/** Acts on the gate's judgement: refuse, ask, or run. */
export function takeExamination(next: Transition, phase: Judging, examination: Examination): void {
  const { run, dispatch, decided } = phase;
  const action = dispatch.actions[dispatch.index];
  if (!action) return;
  if (examination.kind === 'refused') return refuse(next, phase, action, examination.text);
  const { judgement } = examination;
  // The judgement found that the action does not only read: run the actions before it first, one by one.
  if (dispatch.reading && (!judgement.readOnly || judgement.upgrade)) {
    const alone = { ...dispatch, reading: false };
    if (decided.length > 0) return begin(next, run, { ...alone, index: dispatch.index - decided.length }, decided);
    return takeExamination(next, { ...phase, dispatch: alone }, examination);
  }
  const { mode: now } = next.conversation;
  if (judgement.upgrade && isWider(judgement.upgrade.mode, now) && !judgement.destructive)
    return needMode(next, phase, action, judgement.upgrade.needs);
  const { leaves } = judgement;
  if (leaves && !judgement.destructive && leaveAnswer(next.state, leaves) === false)
    return refuse(next, phase, action, leaveRefused(leaves));
  const why = reasonToAsk(next, phase, action, examination);
  if (why) return halt(next, phase, action, examination, why);
  const { cwd, mode } = next.conversation;
  const approval =
    phase.consent === 'edited' || phase.consent === 'approved'
      ? { userApproved: true, approvedAt: next.event.at }
      : { userApproved: false };
  decide(next, phase, { kind: 'approved', judgedAs: phase.op, judgement, ...approval, cwd, mode });
}

/** The action can't work in this mode: asks the user to widen it, then judges again (MO-9). */
function needMode(next: Transition, phase: Judging, action: Action, needs: string): void {
  const { mode, parent, cwd } = next.conversation;
  const { run, dispatch, decided } = phase;
  // Only the parent can ask the user.
  if (parent)
    return refuse(next, phase, action, `[aish] not run: ${needs}, which ${modeName(mode)} mode does not allow`);
  const offers = offersFrom(next);
  noteOffer(next);
  const question = next.ask({ kind: 'mode', reason: needs, from: mode, offers, cwd, action });
  next.phase({ kind: 'awaitingModeApproval', question, run, dispatch, raised: { decided } });
}

/** Puts the action to the user (HA-1). */
function halt(next: Transition, phase: Judging, action: Action, examined: Judged, why: HaltReason): void {
  const { judgement, tool, canTry, noTry, diff } = examined;
  const { op: judgedAs, run, dispatch, decided } = phase;
  const { cwd, mode, parent } = next.conversation;
  const facts = tool ? { tool: withChange(next, action, tool) } : {};
  // A sub-agent stays in its mode, so it gets no offers.
  const fails = mode === 'restricted' || (judgement.upgrade && isWider(judgement.upgrade.mode, mode));
  const offers = fails && !parent ? { offers: offersFrom(next) } : {};
  const question = next.ask({
    kind: 'halt',
    action,
    judgement,
    why,
    cwd,
    mode,
    ...counterOf(run),
    ...facts,
    ...offers,
    ...(canTry ? { canTry } : {}),
    ...(noTry === undefined ? {} : { noTry }),
    ...(diff === undefined ? {} : { diff }),
    ...(judgement.leaves ? { leaveFor: leaveFor(next) } : {}),
    ...(action.kind === 'delegate' ? otherTasks(dispatch) : {}),
  });
  next.phase({ kind: 'halted', question, run, dispatch, decided, judgedAs, judgement });
}

function otherTasks({ actions, index }: Dispatch) {
  const others = actions.slice(index + 1).flatMap((one) => (one.kind === 'delegate' ? [one.task] : []));
  return others.length === 0 ? {} : { others };
}

/** The step counter of a HALT (HA-1), and the plan's task. */
function counterOf(run: Run) {
  if (run.kind === 'chat') return {};
  if (run.kind === 'delegate') return { step: { k: run.step, n: MAX_DELEGATE_STEPS } };
  const task = currentTask(run);
  return { step: { k: run.step, n: run.maxSteps }, ...(task ? { task } : {}) };
}

type Requesting = Extract<Phase, { kind: 'awaitingModeApproval' }>;

/** The user has decided about running outside the light sandbox: once, or for the session. A no stays. */
export function answerOutside(
  next: Transition,
  { run, dispatch, again, attempt }: Requesting,
  answer: 'once' | 'session' | 'no',
): void {
  if (answer === 'session') next.state = { ...next.state, outside: true };
  if (answer !== 'no' && again?.kind === 'command')
    return examineNext(next, run, withAgain(dispatch, { ...again, outside: true }, attempt), 'edited');
  noteOffer(next);
  next.notice('info', '[aish] commands stay in the light sandbox');
  examineNext(next, run, dispatch, 'policy');
}

/** The user has answered a mode request; the agent continues either way (MO-3). */
export function answerUpgrade(next: Transition, phase: Requesting, approved: Mode | undefined): void {
  const { run, dispatch, raised, offered, again, attempt, outside, once } = phase;
  if (outside) return answerOutside(next, phase, 'no');
  const { mode } = next.conversation;
  const denied = upgradeDenied(mode);
  if (offered) {
    if (approved) setMode(next, approved);
    else next.notice('info', denied);
    if (offered === 'plan') return startStep(next, run);
    // The yes covers the mode and the action: only a destructive finding asks again.
    if (approved && again) {
      examineNext(next, run, withAgain(dispatch, again, attempt), 'edited');
      if (once) returnTo(next, mode);
      return;
    }
    return examineNext(next, run, dispatch, 'policy');
  }
  const action = dispatch.actions[dispatch.index];
  if (!action) return;
  if (raised && approved) {
    setMode(next, approved);
    // Actions decided in the narrower mode are judged again.
    const { slots, dispatch: from } = openSlots({ dispatch, decided: raised.decided });
    return examineNext(next, run, rememberSkipped(from, slots), 'policy');
  }
  if (raised) {
    next.show({ kind: 'refused', action, how: 'skipped', reason: '', at: next.event.at });
    return decide(next, { run, dispatch, ...raised }, { kind: 'notRun', text: denied, skipped: true });
  }
  if (approved) changeMode(next, approved);
  else next.notice('info', denied);
  next.answer(action, approved ? `${UPGRADE_APPROVED}\n${modeNotice(approved)}` : denied);
  examineNext(next, run, { ...dispatch, index: dispatch.index + 1 }, 'policy');
}

/** Returns whether the user would be asked if the current action were judged now. Unknown counts as yes. */
export function wouldAsk(state: State, session: SessionId, op: OpId, examination: Examination): boolean {
  if (examination.kind === 'refused') return false;
  const conversation = state.sessions[session];
  const phase = conversation?.phase;
  if (!conversation || phase?.kind !== 'judging' || phase.op !== op || examination.judgement.upgrade) return true;
  const action = phase.dispatch.actions[phase.dispatch.index];
  return !action || reasonToAsk({ state, conversation }, phase, action, examination) !== undefined;
}

/** Returns why the user is asked before the action runs; undefined if it runs without (AC-3, NO-5). */
function reasonToAsk(
  next: Pick<Transition, 'state' | 'conversation'>,
  { consent, seen, run }: Judging,
  action: Action,
  examined: Judged,
) {
  if (consent === 'changed') return 'changed';
  if (consent === 'approved' && seen && findsNoMore(seen, examined.judgement)) return undefined;
  if (examined.judgement.destructive) return 'destructive';
  if (consent === 'asked') return 'resumed';
  // A yes to a wider mode does not cover data that leaves the machine. A user who edited the command has seen the data.
  const { leaves = [] } = examined.judgement;
  const isOpen = next.conversation.mode !== 'restricted' && leaveAnswer(next.state, leaves) === undefined;
  if (consent === 'edited' && !(isOpen && action.kind === 'command' && action.editedFrom === undefined))
    return undefined;
  return consentFor(next, run, action, examined);
}

/** Decides one action. The next one joins it, or all decided ones start. */
export function decide(
  next: Transition,
  { run, dispatch, decided }: InHand,
  decision: Decided,
  consent: Judging['consent'] = 'policy',
): void {
  const all = [...decided, decision];
  // Apply a trial before looking at the next action, because that may be tried too and only one trial is kept.
  const applies = decision.kind === 'approved' && decision.trial !== undefined;
  if (!applies && canRunWithNext(dispatch))
    return examineNext(next, run, { ...dispatch, index: dispatch.index + 1 }, consent, all);
  begin(next, run, { ...dispatch, index: dispatch.index + 1 - all.length }, all);
}

function begin(next: Transition, run: Run, dispatch: Dispatch, decided: readonly Decided[]): void {
  goOn(next, run, { dispatch, slots: decided }, concurrencyOf(dispatch, decided));
}

/** Reports finished results in order, starts what may start, and after the last one examines the next action. */
export function goOn(next: Transition, run: Run, current: ActionSlots, concurrency: number): void {
  const { dispatch, slots } = flushResults(next, current);
  if (slots.length === 0) return examineNext(next, run, dispatch, 'policy');
  const started = startSlots(next, { dispatch, slots }, concurrency);
  next.phase({ kind: 'acting', run, dispatch, slots: started, concurrency });
}

/** All actions of the reply are done: decides how to continue. */
function afterDispatch(next: Transition, run: Run, dispatch: Dispatch): void {
  if (isLooping(next)) {
    const reason = 'the model repeats a call that gives the same result each time';
    if (run.kind === 'chat') next.notice('warning', `[aish] stopped: ${reason}`);
    if (run.kind === 'norris' && replan(next, run, { status: 'stalled', reason })) return;
    return finishRun(next, run, { status: 'stalled', reason });
  }
  if (run.kind === 'norris') return afterNorrisStep(next, run, dispatch);
  if (run.kind === 'delegate') {
    const ending = delegateEnding(run, dispatch);
    return ending ? finishRun(next, run, ending) : startStep(next, { ...run, step: run.step + 1 });
  }
  const asked = next.conversation.inbox.some((item) => item.kind === 'line');
  if (dispatch.actions.length === 0 && !asked) return finishRun(next, run, { status: 'done' });
  const { maxToolRounds } = next.conversation.settings;
  if (run.round >= maxToolRounds) {
    next.notice(
      'warning',
      `[aish] stopped after ${maxToolRounds} rounds of actions (max_tool_rounds); ask again to continue`,
    );
    return finishRun(next, run, { status: 'budget_exhausted' });
  }
  startStep(next, { ...run, round: dispatch.actions.length === 0 ? 1 : run.round + 1 });
}

function afterNorrisStep(next: Transition, run: NorrisRun, dispatch: Dispatch): void {
  const { sentinel } = dispatch;
  const acted = dispatch.actions.length > 0 || answersTask(next, run);
  if (!mustEscalate(run)) return continueNorris(next, run, acted, sentinel);
  const question = next.ask({ kind: 'escalation', skips: run.skipsInARow });
  next.phase({ kind: 'escalated', question, run, acted, ...(sentinel ? { sentinel } : {}) });
}

/** A planned task answered in words, such as a report, is done (NO-3). */
function answersTask({ conversation: { settings, turns } }: Transition, run: NorrisRun): boolean {
  const last = turns.at(-1);
  return run.tasks !== undefined && decidesAs(settings, 2) && last?.kind === 'assistant' && last.text.trim() !== '';
}

/** Starts the next step of a Norris run, or ends it. */
export function continueNorris(next: Transition, run: NorrisRun, acted: boolean, sentinel: Sentinel | undefined): void {
  const ending = endingOf(run, acted, sentinel);
  if (ending?.status === 'done' && tellOfJobs(next, run)) return;
  if (replan(next, run, ending)) return;
  if (ending) finishRun(next, run, ending);
  else startStep(next, nextStep(run));
}

/**
 * Replaces the rest of a failed plan (PP-7).
 * @param ending how the run ends otherwise
 */
function replan(next: Transition, run: NorrisRun, ending: Ending | undefined): boolean {
  const { settings, turns } = next.conversation;
  const why = replanReason(run, ending);
  const { preplanner: preset } = settings;
  if (why === undefined || preset === undefined || !decidesAs(settings, 3)) return false;
  next.notice('info', `[aish] asking ${preset} for a new plan of what is left: ${why}`);
  next.set({ repeats: undefined });
  const replans = { count: (run.replans?.count ?? 0) + 1, skips: run.skips };
  askForPlan(next, { ...run, replans }, preset, { replans: ending ? { ending } : {} }, progressText(run, turns, why));
  return true;
}

/** Calls the preplanner. A new plan for the rest has at most as many tasks as steps are left. */
export function askForPlan(
  next: Transition,
  run: NorrisRun,
  preset: string,
  how: Pick<Extract<Phase, { kind: 'planning' }>, 'hold' | 'replans'> = {},
  more?: string,
): void {
  const { id: session, settings } = next.conversation;
  const { taskModels = [] } = settings;
  const op = next.id('op');
  next.phase({ kind: 'planning', op, run, ...how });
  next.effect({
    ...{ kind: 'preplan', session, op, preset, goal: run.goal, tasksMax: tasksMaxOf(settings, run, how) },
    category: how.replans ? 'norris-replan' : 'norris-preplan',
    ...(more === undefined ? {} : { more }),
    ...(taskModels.length > 0 ? { taskModels } : {}),
  });
}

const MAX_TASKS = 16;

/** The maximum number of tasks; in the middle of a run, at most the steps left. */
export function tasksMaxOf(
  { tasksMax = MAX_TASKS }: Settings,
  { step, maxSteps }: NorrisRun,
  { replans }: { readonly replans?: unknown },
): number {
  return replans === undefined ? tasksMax : Math.min(tasksMax, maxSteps - step);
}

/** Without a user, jobs end with the program: tells a model that calls its goal complete once about running jobs. */
function tellOfJobs(next: Transition, run: NorrisRun): boolean {
  const { settings, jobs = [] } = next.conversation;
  if (!settings.alone || jobs.length === 0 || run.toldOfJobs || run.step >= run.maxSteps) return false;
  const names = jobs.map(({ job, command }) => `job ${job} (${command.split('\n')[0]})`).join(', ');
  const text = `[aish] not ended yet, still running: ${names}. What runs stops with this program. Wait for it with sleep, stop it with the jobs tool, or write GOAL: complete again.`;
  next.inbox({ kind: 'note', origin: 'aish', text });
  startStep(next, { ...run, step: run.step + 1, toldOfJobs: true });
  return true;
}

/**
 * Ends a run. The conversation stays, but a sub-agent's is removed with its report. Queued lines go to the model, or
 * back to the prompt after an abort or failure.
 */
export function finishRun(next: Transition, run: Run, ending: Ending): void {
  next.unask();
  if (run.kind === 'delegate') {
    next.report = reportOf(next.conversation, run, ending);
    return;
  }
  next.phase({ kind: 'idle' });
  if (run.kind === 'norris') {
    forgetLeave(next, 'run');
    next.set({ lastTasks: remainingTasks(run, ending) });
    next.show(summaryOf(run, ending, next.event.at, next.state.costs));
  } else if (ending.status === 'aborted')
    next.notice('info', `[aish] stopped${ending.reason ? `: ${ending.reason}` : ''}`);
  const lines = next.conversation.inbox.filter((item) => item.kind === 'line');
  if (lines.length === 0) return;
  if (ending.status === 'aborted' || ending.status === 'failed') {
    for (const line of lines) next.effect({ kind: 'hide', key: line.id });
    next.set({ inbox: next.conversation.inbox.filter((item) => item.kind !== 'line') });
    next.effect({ kind: 'giveBack', text: lines.map((line) => line.text).join('\n') });
  } else {
    goToShell(next, next.conversation.git);
    startStep(next, { kind: 'chat', preset: next.conversation.preset, round: 1 });
  }
}
