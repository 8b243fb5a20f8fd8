/** One step, for chat and Norris alike: call the model, parse, then each action in turn: examine, consent, act, record. */
import type { Action, Examination, Judgement } from './action.ts';
import { DELEGATE_STEPS, delegateEnding, goalOf, reportOf } from './delegate.ts';
import { isGranted, withChange } from './grants.ts';
import type { OpId } from './ids.ts';
import { atOnceOf, joinsNext, startLanes, tellFront } from './lanes.ts';
import type { Reply } from './message.ts';
import {
  changeMode,
  modeNotice,
  refusedByMode,
  setMode,
  UPGRADE_APPROVED,
  UPGRADE_DENIED,
  upgradeReason,
} from './mode.ts';
import { type Ending, endingOf, mustEscalate, summaryOf } from './norris.ts';
import type { Dispatch, Held, Lanes, Phase, Sentinel } from './phase.ts';
import { currentTask, leftOver, nextStep } from './plan.ts';
import { parseReply } from './reply.ts';
import type { NorrisRun, Run } from './run.ts';
import type { InboxItem } from './state.ts';
import type { Work } from './work.ts';

const INTERRUPTED = '[aish] the answer was interrupted: nothing that it asked for has run. Answer anew.';

type Judging = Extract<Phase, { kind: 'judging' }>;
/** The action in hand has been decided. */
type Decided = { readonly run: Run; readonly dispatch: Dispatch; readonly held: readonly Held[] };

/** Everything that waited joins the conversation, then the model is called. */
export function startStep(work: Work, run: Run): void {
  for (const item of work.conversation.inbox) deliver(work, item);
  work.set({ inbox: [] });
  if (run.kind === 'norris') showStep(work, run);
  else if (run.kind === 'delegate') work.show({ kind: 'norrisStep', step: run.step, maxSteps: DELEGATE_STEPS });
  callModel(work, run);
}

function showStep(work: Work, run: NorrisRun): void {
  if (run.reporting) return work.notice('info', '[aish] all tasks are through; asking for a report');
  const task = currentTask(run);
  work.show({ kind: 'norrisStep', step: run.step, maxSteps: run.maxSteps, ...(task ? { task } : {}) });
}

/**
 * Asks the model with the conversation as it stands.
 * @param asked what is known of an earlier call for the same step
 */
export function callModel(work: Work, run: Run, asked: { readonly overflowed?: true } = {}): void {
  const op = work.id('op');
  work.phase({ kind: 'replying', op, run, ...asked });
  work.effect({ kind: 'callModel', session: work.conversation.id, op, preset: run.preset, category: run.kind });
}

function deliver(work: Work, item: InboxItem): void {
  if (item.kind === 'note') {
    const { origin, text, file } = item;
    work.turn({ kind: 'user', origin, text, ...(file === undefined ? {} : { file }) });
  } else {
    work.turn({ kind: 'user', origin: 'user', text: item.text });
    work.show({ kind: 'user', text: item.text, queued: false }, item.id);
  }
}

/** The reply is recorded before its first action (AC-4). What a failed or cut reply asked for is never run. */
export function takeReply(work: Work, run: Run, op: OpId, reply: Reply, reading: boolean): void {
  const { text } = reply;
  const whole = reply.finish === 'stop' || reply.finish === 'tools' || reply.finish === 'length';
  if (text.trim() !== '') {
    work.show({ kind: 'assistant', text, preset: reply.preset, partial: !whole }, op);
  }
  for (const notice of reply.notices) work.notice('warning', notice);
  const toolCalls = whole ? reply.toolCalls : [];
  if (text.trim() !== '' || toolCalls.length > 0) work.turn({ kind: 'assistant', text, toolCalls, partial: !whole });
  if (!whole) {
    if (askAgain(work, run, reply)) return;
    const reason = reply.failure?.message ?? 'the answer was cancelled';
    work.notice('error', reason);
    return finishRun(work, run, { status: 'failed', reason });
  }
  const { actions, sentinel } = parseReply(text, toolCalls, reply.finish !== 'length' && reply.truncated !== true);
  if (run.kind === 'norris' && run.reporting) return takeReport(work, run, actions);
  const dispatch: Dispatch = {
    actions,
    index: 0,
    reading: reading && actions.length > 1,
    ...(sentinel && run.kind !== 'chat' ? { sentinel } : {}),
  };
  if (run.kind === 'chat' && text.trim() === '' && actions.length === 0)
    work.notice('warning', 'the model answered nothing');
  examineNext(work, run, dispatch, 'policy');
}

/** The report has come; what it asks for is not done (PP-3), and each of its calls is told so (AC-4). */
function takeReport(work: Work, run: NorrisRun, actions: readonly Action[]): void {
  for (const action of actions) {
    if (action.callId !== undefined) work.answer(action, '[aish] not run: this was the report on the goal');
  }
  if (actions.length > 0) work.notice('warning', `[aish] not run: ${actions.length} of the report's own actions`);
  finishRun(work, run, { status: 'tasks_complete' });
}

/**
 * After a failure the same step is asked once more where that may help: with less where it did not fit (CX-1), or at a
 * fallback, which then stays for the rest of the run (BR-4).
 */
function askAgain(work: Work, run: Run, { failure, text, fallback }: Reply): boolean {
  const { phase } = work.conversation;
  if (!failure || phase.kind !== 'replying') return false;
  const [next, ...fallbacks] = run.fallbacks ?? fallback ?? [];
  const smaller = failure.kind === 'overflow' && !phase.overflowed;
  if (!smaller && (failure.kind === 'overflow' || fallback === undefined || next === undefined)) return false;
  const how = smaller ? 'asking once more with less' : `going on with ${next} for this run`;
  work.notice('warning', `[aish] ${failure.message}; ${how}`);
  if (text.trim() !== '') work.turn({ kind: 'user', origin: 'aish', text: INTERRUPTED });
  if (smaller) callModel(work, run, { overflowed: true });
  else if (next !== undefined) callModel(work, { ...run, preset: next, fallbacks });
  return true;
}

/** Looks at the action in hand, or closes the step when there is none left. */
export function examineNext(
  work: Work,
  run: Run,
  dispatch: Dispatch,
  consent: Judging['consent'],
  held: readonly Held[] = [],
): void {
  const action = dispatch.actions[dispatch.index];
  if (work.conversation.tightening) setMode(work, 'restricted');
  if (!action) return afterDispatch(work, run, dispatch);
  const skipped = dispatch.skipped?.[dispatch.index];
  if (skipped) return decide(work, { run, dispatch, held }, skipped, consent);
  const refusal = refusedByMode(work, action);
  if (refusal !== undefined) return refuse(work, { run, dispatch, held }, action, refusal);
  const reason = upgradeReason(action);
  if (reason !== undefined) {
    const question = work.ask({ kind: 'mode', reason });
    return work.phase({ kind: 'awaitingModeApproval', question, run, dispatch });
  }
  const op = work.id('op');
  const { id: session, cwd, mode } = work.conversation;
  work.phase({ kind: 'judging', op, run, dispatch, consent, held });
  work.effect({ kind: 'examine', session, op, action, cwd, mode, goal: goalOf(work.conversation) });
}

function refuse(work: Work, decided: Decided, action: Action, text: string): void {
  work.show({ kind: 'refused', action, how: 'invalid', reason: text });
  decide(work, decided, { kind: 'unrun', text });
}

/** The gate has spoken: refuse, ask, or run. */
export function takeExamination(work: Work, phase: Judging, examination: Examination): void {
  const { run, dispatch, held } = phase;
  const action = dispatch.actions[dispatch.index];
  if (!action) return;
  if (examination.kind === 'refused') {
    return refuse(work, phase, action, examination.text);
  }
  const { judgement } = examination;
  // It was to run beside others and does not only read after all: those go first, one by one.
  if (dispatch.reading && !judgement.readOnly) {
    const alone = { ...dispatch, reading: false };
    if (held.length > 0) return begin(work, run, { ...alone, index: dispatch.index - held.length }, held);
    return takeExamination(work, { ...phase, dispatch: alone }, examination);
  }
  const { tool } = examination;
  const why = reasonToAsk(work, phase, action, judgement, examination.autoApproved || isGranted(work, action, tool));
  const { cwd, mode } = work.conversation;
  const judged = { judgedAs: phase.op, judgement };
  if (!why) return decide(work, phase, { kind: 'cleared', ...judged, approved: phase.consent === 'edited', cwd, mode });
  const facts = tool ? { tool: withChange(work, action, tool) } : {};
  const question = work.ask({ kind: 'halt', action, judgement, why, cwd, mode, ...counterOf(run), ...facts });
  work.phase({ kind: 'halted', question, run, dispatch, held, ...judged });
}

/** The counter of a HALT (HA-1), and the task of a plan. */
function counterOf(run: Run) {
  if (run.kind === 'chat') return {};
  if (run.kind === 'delegate') return { step: { k: run.step, n: DELEGATE_STEPS } };
  const task = currentTask(run);
  return { step: { k: run.step, n: run.maxSteps }, ...(task ? { task } : {}) };
}

/** The user has spoken on a mode request; the agent goes on either way (MO-3). */
export function answerUpgrade(work: Work, run: Run, dispatch: Dispatch, approved: boolean): void {
  const action = dispatch.actions[dispatch.index];
  if (!action) return;
  if (approved) changeMode(work, 'unrestricted');
  work.answer(action, approved ? `${UPGRADE_APPROVED}\n${modeNotice('unrestricted')}` : UPGRADE_DENIED);
  if (!approved) work.notice('info', UPGRADE_DENIED);
  examineNext(work, run, { ...dispatch, index: dispatch.index + 1 }, 'policy');
}

/** AC-3 and NO-5: a destructive action always asks; a harmless one by who asked for it and how. */
function reasonToAsk(work: Work, phase: Judging, action: Action, judgement: Judgement, autoApproved: boolean) {
  if (judgement.destructive) return 'destructive';
  if (phase.consent === 'asked') return 'resumed';
  if (phase.consent === 'edited') return undefined;
  if (action.kind !== 'tool' && phase.run.kind !== 'chat') return undefined;
  if (action.kind !== 'tool' && action.callId === undefined) {
    return work.conversation.settings.confirmCmd ? 'consent' : undefined;
  }
  return autoApproved ? undefined : 'consent';
}

/** One action is decided: the next one joins it, or it starts with those that were held for it. */
export function decide(
  work: Work,
  { run, dispatch, held }: Decided,
  decision: Held,
  consent: Judging['consent'] = 'policy',
): void {
  const all = [...held, decision];
  if (joinsNext(dispatch)) return examineNext(work, run, { ...dispatch, index: dispatch.index + 1 }, consent, all);
  begin(work, run, { ...dispatch, index: dispatch.index + 1 - all.length }, all);
}

function begin(work: Work, run: Run, dispatch: Dispatch, held: readonly Held[]): void {
  goOn(work, run, { dispatch, lanes: held }, atOnceOf(dispatch, held));
}

/** Results from the front on are told, what may start is started; behind the last one the next action is looked at. */
export function goOn(work: Work, run: Run, current: Lanes, atOnce: number): void {
  const { dispatch, lanes } = tellFront(work, current);
  if (lanes.length === 0) return examineNext(work, run, dispatch, 'policy');
  work.phase({ kind: 'acting', run, dispatch, lanes: startLanes(work, { dispatch, lanes }, atOnce), atOnce });
}

/** All actions of the reply are through: what next? */
function afterDispatch(work: Work, run: Run, dispatch: Dispatch): void {
  if (run.kind === 'norris') return afterNorrisStep(work, run, dispatch);
  if (run.kind === 'delegate') {
    const ending = delegateEnding(run, dispatch);
    return ending ? finishRun(work, run, ending) : startStep(work, { ...run, step: run.step + 1 });
  }
  const asked = work.conversation.inbox.some((item) => item.kind === 'line');
  if (dispatch.actions.length === 0 && !asked) return finishRun(work, run, { status: 'done' });
  const { maxToolRounds } = work.conversation.settings;
  if (run.round >= maxToolRounds) {
    work.notice(
      'warning',
      `[aish] stopped after ${maxToolRounds} rounds of actions (max_tool_rounds); ask again to go on`,
    );
    return finishRun(work, run, { status: 'budget_exhausted' });
  }
  startStep(work, { ...run, round: dispatch.actions.length === 0 ? 1 : run.round + 1 });
}

function afterNorrisStep(work: Work, run: NorrisRun, dispatch: Dispatch): void {
  const { sentinel } = dispatch;
  const acted = dispatch.actions.length > 0;
  if (!mustEscalate(run)) return continueNorris(work, run, acted, sentinel);
  const question = work.ask({ kind: 'escalation', skips: run.skipsInARow });
  work.phase({ kind: 'escalated', question, run, acted, ...(sentinel ? { sentinel } : {}) });
}

/** The next step of a Norris run, or its end. */
export function continueNorris(work: Work, run: NorrisRun, acted: boolean, sentinel: Sentinel | undefined): void {
  const ending = endingOf(run, acted, sentinel);
  if (ending) finishRun(work, run, ending);
  else startStep(work, nextStep(run));
}

/** Ends a run; the conversation stays, but a sub-agent's goes with its report. Queued lines go on to the model, or back to the prompt after an abort or failure. */
export function finishRun(work: Work, run: Run, ending: Ending): void {
  work.unask();
  if (run.kind === 'delegate') {
    work.report = reportOf(work.conversation, run, ending);
    return;
  }
  work.phase({ kind: 'idle' });
  if (run.kind === 'norris') {
    work.set({ lastTasks: leftOver(run, ending) });
    work.show(summaryOf(run, ending, work.event.at, work.state.costs));
  } else if (ending.status === 'aborted')
    work.notice('info', `[aish] stopped${ending.reason ? `: ${ending.reason}` : ''}`);
  const lines = work.conversation.inbox.filter((item) => item.kind === 'line');
  if (lines.length === 0) return;
  if (ending.status === 'aborted' || ending.status === 'failed') {
    for (const line of lines) work.effect({ kind: 'hide', key: line.id });
    work.set({ inbox: work.conversation.inbox.filter((item) => item.kind !== 'line') });
    work.effect({ kind: 'giveBack', text: lines.map((line) => line.text).join('\n') });
  } else {
    work.set({ cwd: work.state.shell.cwd });
    startStep(work, { kind: 'chat', preset: work.conversation.preset, round: 1 });
  }
}
