/** (state, event) → [state, effects]. Pure: time, ids and randomness come in with events. */
import { answered } from './answer.ts';
import { askForm, dropForms } from './ask-form.ts';
import { chooseMode, choosePreset, resetTurns } from './choose.ts';
import { addCall } from './cost.ts';
import { beginTask, childOf, delegationOf, subAgents } from './delegate.ts';
import type { Effect } from './effect.ts';
import type { Of, SessionEvent } from './event.ts';
import { endLane, laneOf } from './lanes.ts';
import { takeMeasure, takeUsage } from './measured.ts';
import { countAction, ifNorris } from './norris.ts';
import type { Outcome } from './phase.ts';
import { continueLastNorris, recordPreplan, startNorris, takePlan } from './planning.ts';
import { showStarted } from './record.ts';
import { closeShell, jobEnded, shellEnded, shellStarted } from './shell.ts';
import { askToSpend, forSpenders } from './spend.ts';
import type { Conversation, State } from './state.ts';
import { finishRun, goOn, startStep, takeExamination, takeReply } from './steps.ts';
import { abort, resume, settle } from './stop.ts';
import { Work } from './work.ts';

type Result = readonly [State, readonly Effect[]];

/** One event. Facts of operations no longer outstanding, and events of unknown sessions, change nothing. */
export function reduce(state: State, event: SessionEvent): Result {
  const conversation = conversationOf(state, event);
  if (!conversation) return [state, []];
  const work = new Work(state, event, conversation);
  apply(work, event);
  const [next, effects] = work.done();
  if (work.report) return handIn(next, effects, work.conversation, work.report, event.at);
  if (event.type === 'answered' && next.allowedDollars !== state.allowedDollars) {
    return forSpenders([next, effects], event, reduce);
  }
  return forChildren([next, effects], event);
}

/** What a user says is said to their own conversation; a sub-agent hears of it only what `forChildren` passes on. */
const FOR_ROOT: ReadonlySet<SessionEvent['type']> = new Set([
  'opened',
  'resumed',
  'asked',
  'lineTakenBack',
  'norrisStarted',
  'norrisContinued',
  'turnsReset',
  'presetChosen',
]);

function conversationOf(state: State, event: SessionEvent): Conversation | undefined {
  const known = state.sessions[event.session];
  if (known?.parent && FOR_ROOT.has(event.type)) return undefined;
  if (event.type === 'opened') return open(event);
  if (event.type !== 'spawned') return known;
  const found = known ? undefined : delegationOf(state, event.parent, event.op);
  return found && childOf(found.parent, event.session, event.op);
}

/** An abort ends a conversation's sub-agents, and they follow it into Restricted (MO-4); never out of it. */
function forChildren([state, effects]: Result, event: SessionEvent): Result {
  if (event.type !== 'aborted' && !(event.type === 'modeChosen' && event.mode === 'restricted')) {
    return [state, effects];
  }
  let result: Result = [state, effects];
  for (const { conversation } of subAgents(state)) {
    if (conversation.parent?.session !== event.session) continue;
    const [next, more] = reduce(result[0], { ...event, session: conversation.id });
    result = [next, [...result[1], ...more]];
  }
  return result;
}

/** A sub-agent that has ended is gone; its report is the outcome of its parent's action. */
function handIn(
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
    mode: settings.sandbox ? mode : 'unrestricted',
    turns: [],
    inbox: [],
    phase: { kind: 'idle' },
    tightening: false,
    cwd,
    preset: settings.preset,
  };
}

function apply(work: Work, event: SessionEvent): void {
  switch (event.type) {
    case 'opened':
      work.state = { ...work.state, shell: { ...work.state.shell, cwd: event.cwd } };
      return;
    case 'spawned':
      return spawned(work, event);
    case 'resumed': {
      dropForms(work);
      closeShell(work);
      return resume(work, event.settings);
    }
    case 'asked':
      return asked(work, event);
    case 'lineTakenBack':
      return takeBack(work, event.line);
    case 'norrisStarted':
      return startNorris(work, event.goal);
    case 'norrisContinued':
      return continueLastNorris(work);
    case 'answered':
      return answered(work, event);
    case 'aborted':
      return abort(work);
    case 'turnsReset':
      return resetTurns(work);
    case 'modeChosen':
      return chooseMode(work, event.mode);
    case 'presetChosen':
      return choosePreset(work, event.preset);
    case 'shellStarted':
      return shellStarted(work, event);
    case 'shellEnded':
      return shellEnded(work, event);
    case 'shellMoved':
      work.state = { ...work.state, shell: { ...work.state.shell, cwd: event.cwd } };
      return;
    case 'measured':
      return takeMeasure(work, event);
    case 'replyEnded':
      return replyEnded(work, event);
    case 'callCounted':
      work.state = { ...work.state, costs: addCall(work.state.costs, event.call) };
      return;
    case 'spendReached':
      return askToSpend(work, event);
    case 'examined':
      return examined(work, event);
    case 'actionStarted':
      return actionStarted(work, event);
    case 'actionEnded':
      return actionEnded(work, event);
    case 'jobEnded':
      return jobEnded(work, event);
    case 'formAsked':
      return askForm(work, event);
    case 'formGone':
      return dropForms(work, event.form);
    case 'noticed':
      return work.notice(event.level, event.text);
  }
}

function spawned(work: Work, event: Of<'spawned'>): void {
  const found = delegationOf(work.state, event.parent, event.op);
  if (!found) return;
  const run = beginTask(work, found);
  if (found.parent.phase.kind === 'acting') startStep(work, run);
  else finishRun(work, run, { status: 'aborted' });
}

/** A question starts the sub-loop at once, or waits in line for the next step (IN-7). */
function asked(work: Work, { line, text }: Of<'asked'>): void {
  const idle = work.conversation.phase.kind === 'idle';
  work.show({ kind: 'user', text, queued: !idle }, line);
  work.inbox({ kind: 'line', id: line, text });
  if (!idle) return;
  work.set({ cwd: work.state.shell.cwd });
  startStep(work, { kind: 'chat', preset: work.conversation.preset, round: 1 });
}

function takeBack(work: Work, line: string): void {
  const item = work.conversation.inbox.find((i) => i.kind === 'line' && i.id === line);
  if (item?.kind !== 'line') return;
  work.set({ inbox: work.conversation.inbox.filter((i) => i !== item) });
  work.effect({ kind: 'hide', key: line });
  work.effect({ kind: 'giveBack', text: item.text });
}

function replyEnded(work: Work, { op, reply, reading }: Of<'replyEnded'>): void {
  const { phase } = work.conversation;
  if ('op' in phase && phase.op === op) takeUsage(work, reply);
  if (phase.kind === 'replying' && phase.op === op) return takeReply(work, phase.run, op, reply, reading === true);
  if (phase.kind === 'planning' && phase.op === op) return takePlan(work, phase.run, reply);
  if (phase.kind !== 'stopping' || phase.op !== op || phase.open) return;
  if (phase.planning) recordPreplan(work, phase.run.kind === 'norris' ? phase.run.goal : '', reply, 'aborted');
  else if (reply.text.trim() !== '') {
    work.show({ kind: 'assistant', text: reply.text, preset: reply.preset, partial: true }, op);
    work.turn({ kind: 'assistant', text: reply.text, toolCalls: [], partial: true });
  }
  settle(work, phase.run);
}

function examined(work: Work, { op, examination }: Of<'examined'>): void {
  const { phase } = work.conversation;
  if (phase.kind === 'judging' && phase.op === op) return takeExamination(work, phase, examination);
  if (phase.kind === 'stopping' && phase.op === op && phase.open) settle(work, phase.run, phase.open);
}

function actionStarted(work: Work, { op }: Of<'actionStarted'>): void {
  const { phase } = work.conversation;
  if (phase.kind !== 'acting' && phase.kind !== 'stoppingActions') return;
  const found = laneOf(phase, op);
  if (!found) return;
  showStarted(work, op, found.action);
  work.phase({ ...phase, lanes: phase.lanes.with(found.at, { ...found.lane, started: true }) });
}

function actionEnded(work: Work, { op, outcome }: Of<'actionEnded'>): void {
  const { phase } = work.conversation;
  if (phase.kind !== 'acting' && phase.kind !== 'stoppingActions') return;
  const { dispatch } = phase;
  const approved = laneOf(phase, op)?.lane.approved ?? false;
  // A delegation ends with its sub-agent, not before.
  const alive = subAgents(work.state).some(({ conversation }) => conversation.parent?.op === op);
  const lanes = alive ? undefined : endLane(work, phase, op, outcome);
  if (!lanes) return;
  const run = ifNorris(phase.run, (r) => countAction(r, approved));
  // Of several at once none moves the agent for the others.
  const alone = phase.kind === 'acting' ? phase.atOnce === 1 : lanes.length === 1;
  if (alone && outcome.kind === 'command') work.set({ cwd: outcome.result.cwd });
  if (phase.kind === 'acting') goOn(work, run, { dispatch, lanes }, phase.atOnce);
  else if (lanes.some((lane) => lane.kind === 'running')) work.phase({ ...phase, run, lanes });
  else settle(work, run, { dispatch, lanes });
}
