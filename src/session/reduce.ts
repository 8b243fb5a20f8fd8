/** (state, event) → [state, effects]. Pure: time, ids and randomness come in with events. */
import { addCall } from './cost.ts';
import type { Effect } from './effect.ts';
import type { SessionEvent } from './event.ts';
import { fileOf, formatForModel } from './exec-text.ts';
import { grantTool } from './grants.ts';
import { takeMeasure, takeUsage } from './measured.ts';
import { NO_SANDBOX, setMode } from './mode.ts';
import { countAction, countSkip } from './norris.ts';
import { continueLastNorris, recordPreplan, startNorris, takePlan } from './planning.ts';
import { askToSpend, letSpend } from './spend.ts';
import type { Conversation, Mode, NorrisRun, Phase, Run, State } from './state.ts';
import {
  act,
  answerUpgrade,
  continueNorris,
  examineNext,
  recordOutcome,
  showStarted,
  startStep,
  takeExamination,
  takeReply,
} from './steps.ts';
import { abort, outcomeUnknown, resume, settle } from './stop.ts';
import { Work } from './work.ts';

type Of<T extends SessionEvent['type']> = Extract<SessionEvent, { type: T }>;
type Halted = Extract<Phase, { kind: 'halted' }>;

/** One event. Facts of operations no longer outstanding, and events of unknown sessions, change nothing. */
export function reduce(state: State, event: SessionEvent): readonly [State, readonly Effect[]] {
  const conversation = conversationOf(state, event);
  if (!conversation) return [state, []];
  const work = new Work(state, event, conversation);
  apply(work, event);
  return event.type === 'modeChosen' && event.mode === 'restricted' ? tightenChildren(work, event) : work.done();
}

function conversationOf(state: State, event: SessionEvent): Conversation | undefined {
  const known = state.sessions[event.session];
  if (event.type === 'opened') return open(event);
  if (event.type !== 'spawned') return known;
  const parent = state.sessions[event.parent];
  return known || !parent ? undefined : spawn(parent, event.session);
}

/** A running sub-agent follows its parent into Restricted (MO-4); it never follows it out. */
function tightenChildren(work: Work, event: Of<'modeChosen'>): readonly [State, readonly Effect[]] {
  let [state, effects] = work.done();
  for (const child of Object.values(state.sessions)) {
    if (child.parent !== event.session) continue;
    const [next, more] = reduce(state, { ...event, session: child.id });
    state = next;
    effects = [...effects, ...more];
  }
  return [state, effects];
}

function spawn(parent: Conversation, id: string): Conversation {
  const { settings, mode, cwd, preset } = parent;
  const phase = { kind: 'idle' } as const;
  return { id, parent: parent.id, settings, mode, tightening: false, turns: [], inbox: [], phase, cwd, preset };
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
      return;
    case 'resumed': {
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
    case 'noticed':
      return work.notice(event.level, event.text);
  }
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

function answered(work: Work, { question, answer }: Of<'answered'>): void {
  const { phase } = work.conversation;
  if (phase.kind === 'escalated' && phase.question === question) {
    if (answer.kind === 'abort') return settle(work, phase.run);
    if (answer.kind !== 'proceed') return;
    work.unask(question);
    return continueNorris(work, { ...phase.run, skipsInARow: 0 }, phase.acted, phase.sentinel);
  }
  if (phase.kind === 'awaitingModeApproval' && phase.question === question) {
    if (answer.kind === 'abort') return abort(work);
    if (answer.kind === 'edit' || answer.kind === 'always') return;
    work.unask(question);
    return answerUpgrade(work, phase.run, phase.dispatch, answer.kind === 'proceed');
  }
  if (phase.kind === 'awaitingSpend' && phase.question === question) {
    if (answer.kind === 'proceed') return letSpend(work, phase);
    return answer.kind === 'edit' ? undefined : settle(work, phase.run, undefined, 'no more is to be spent');
  }
  if (phase.kind !== 'halted' || phase.question !== question) return;
  const { run, dispatch } = phase;
  const action = dispatch.actions[dispatch.index];
  if (!action) return;
  if (answer.kind === 'abort') return settle(work, run, dispatch);
  if (answer.kind === 'edit' && action.kind !== 'command') return;
  if (answer.kind === 'always' && !grantTool(work, question)) return;
  work.unask(question);
  switch (answer.kind) {
    case 'proceed':
    case 'always':
      return act(work, run, dispatch, phase.judgedAs, phase.judgement, true);
    case 'skip':
      return skip(work, phase);
    case 'edit': {
      if (action.kind !== 'command') return;
      const edited = { ...action, command: answer.command, editedFrom: action.editedFrom ?? action.command };
      const actions = dispatch.actions.with(dispatch.index, edited);
      return examineNext(work, run, { ...dispatch, actions }, 'edited');
    }
  }
}

function skip(work: Work, { run, dispatch, judgement }: Halted): void {
  const action = dispatch.actions[dispatch.index];
  if (!action) return;
  work.answerUnrun(action, `[aish] action skipped by user: ${judgement.reason}`);
  work.show({ kind: 'refused', action, how: 'skipped', reason: judgement.reason });
  const counted = ifNorris(run, countSkip);
  examineNext(work, counted, { ...dispatch, index: dispatch.index + 1 }, 'policy');
}

function ifNorris(run: Run, change: (run: NorrisRun) => NorrisRun): Run {
  return run.kind === 'norris' ? change(run) : run;
}

function resetTurns(work: Work): void {
  if (work.conversation.phase.kind !== 'idle') {
    return work.notice('warning', '[aish] not while a run is under way; Ctrl-X Ctrl-C ends it');
  }
  work.set({ turns: [], inbox: [], preplans: [], gone: 0 });
  work.notice('info', '[aish] the conversation starts anew');
}

/** The user's own choice of mode (MO-4). What was judged under the old mode is judged anew. */
function chooseMode(work: Work, mode: Mode): void {
  const { phase, settings } = work.conversation;
  if (!settings.sandbox) {
    if (mode === 'restricted') work.notice('error', NO_SANDBOX);
    return;
  }
  if (phase.kind === 'awaitingModeApproval') {
    work.unask(phase.question);
    return answerUpgrade(work, phase.run, phase.dispatch, mode === 'unrestricted');
  }
  if (mode === 'restricted' && (phase.kind === 'acting' || (phase.kind === 'stopping' && phase.acting))) {
    work.set({ tightening: true });
    return work.notice('info', '[aish] Restricted takes effect when the running action ends');
  }
  if (mode === work.conversation.mode) return;
  setMode(work, mode);
  if (phase.kind !== 'judging' && phase.kind !== 'halted') return;
  work.unask();
  examineNext(work, phase.run, phase.dispatch, phase.kind === 'judging' ? phase.consent : 'asked');
}

function choosePreset(work: Work, preset: string): void {
  work.set({ preset });
  const later = work.conversation.phase.kind === 'idle' ? '' : ' (for later runs)';
  work.notice('info', `[aish] model: ${preset}${later}`);
}

function shellStarted(work: Work, { op, line, private: hidden }: Of<'shellStarted'>): void {
  const { cwd } = work.state.shell;
  work.state = { ...work.state, shell: { cwd, running: { op, line, private: hidden } } };
  work.show({ kind: 'exec', op, by: 'user', command: line, cwd, private: hidden }, op);
}

/** What the user's command printed waits for the next model call (EX-7), unless it was private. */
function shellEnded(work: Work, { op, result }: Of<'shellEnded'>): void {
  const { cwd, running } = work.state.shell;
  if (running?.op !== op) return;
  work.state = { ...work.state, shell: { cwd: result.cwd } };
  work.show({ kind: 'exec', op, by: 'user', command: running.line, cwd, private: running.private, result }, op);
  if (running.private) return;
  const text = `[aish] the user ran:\n${formatForModel(result, running.line)}`;
  work.inbox({ kind: 'note', origin: 'exec', text, ...fileOf(result) });
}

/** What the user's shell ran when the program closed: how it ended is not known. */
function closeShell(work: Work): void {
  const { cwd, running } = work.state.shell;
  if (!running) return;
  work.state = { ...work.state, shell: { cwd } };
  const { op, line, private: hidden } = running;
  work.show({ kind: 'exec', op, by: 'user', command: line, cwd, private: hidden, result: outcomeUnknown(cwd) }, op);
}

function replyEnded(work: Work, { op, reply }: Of<'replyEnded'>): void {
  const { phase } = work.conversation;
  if ('op' in phase && phase.op === op) takeUsage(work, reply);
  if (phase.kind === 'replying' && phase.op === op) return takeReply(work, phase.run, op, reply);
  if (phase.kind === 'planning' && phase.op === op) return takePlan(work, phase.run, reply);
  if (phase.kind !== 'stopping' || phase.op !== op) return;
  if (phase.planning) recordPreplan(work, phase.run.kind === 'norris' ? phase.run.goal : '', reply, 'aborted');
  else if (reply.text.trim() !== '') {
    work.show({ kind: 'assistant', text: reply.text, preset: reply.preset, partial: true }, op);
    work.turn({ kind: 'assistant', text: reply.text, toolCalls: [], partial: true });
  }
  settle(work, phase.run, phase.dispatch);
}

function examined(work: Work, { op, examination }: Of<'examined'>): void {
  const { phase } = work.conversation;
  if (phase.kind === 'judging' && phase.op === op) return takeExamination(work, phase, examination);
  if (phase.kind === 'stopping' && phase.op === op) settle(work, phase.run, phase.dispatch);
}

function actionStarted(work: Work, { op }: Of<'actionStarted'>): void {
  const { phase } = work.conversation;
  if (phase.kind !== 'acting' && phase.kind !== 'stopping') return;
  const action = phase.dispatch?.actions[phase.dispatch.index];
  if (phase.op !== op || !action) return;
  showStarted(work, op, action);
  if (phase.kind === 'acting') work.phase({ ...phase, started: true });
  else if (phase.acting) work.phase({ ...phase, acting: { ...phase.acting, started: true } });
}

function actionEnded(work: Work, { op, outcome }: Of<'actionEnded'>): void {
  const { phase } = work.conversation;
  if (phase.kind !== 'acting' && phase.kind !== 'stopping') return;
  const { dispatch } = phase;
  const action = dispatch?.actions[dispatch.index];
  if (phase.op !== op || !dispatch || !action) return;
  const approved = phase.kind === 'acting' ? phase.approved : (phase.acting?.approved ?? false);
  recordOutcome(work, op, action, approved, outcome);
  const run = ifNorris(phase.run, (r) => countAction(r, approved));
  const rest = { ...dispatch, index: dispatch.index + 1 };
  if (phase.kind === 'acting') examineNext(work, run, rest, 'policy');
  else settle(work, run, rest);
}

function jobEnded(work: Work, { job, command, result, by }: Of<'jobEnded'>): void {
  const exit = result.exit === null ? 'end unknown' : `exit ${result.exit}`;
  work.notice(result.exit === 0 ? 'info' : 'warning', `[aish] job ${job} ended (${exit}): ${command}`);
  if (by === 'model') {
    const text = `[aish] job ${job} ended:\n${formatForModel(result, command)}`;
    work.inbox({ kind: 'note', origin: 'aish', text, ...fileOf(result) });
  }
}
