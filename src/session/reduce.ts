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
import { nameSurroundings, takeMeasure, takeSummary, takeUsage } from './context.ts';
import { addCall } from './cost.ts';
import { beginTask, childOf, delegationOf, subAgents } from './delegate.ts';
import type { Effect } from './effect.ts';
import type { Of, SessionEvent } from './event.ts';
import { allow, disallow } from './grants.ts';
import { isWider, type Mode } from './ids.ts';
import { forgetLeave, leaveFor, setLeave } from './leaving.ts';
import { type Attachment, namesOf, type Reply, turnOf } from './message.ts';
import { modeMeaning, modeName, possibleMode, setMode, whyNotEnforced } from './mode.ts';
import {
  countAction,
  editedTasks,
  ifNorris,
  newRun,
  nextStep,
  parseTasks,
  sentBackText,
  withKnownPresets,
  withNewTasks,
} from './norris.ts';
import { noteAgain, noteOffer, noteRefused, offerForPlan } from './offer.ts';
import type { Outcome, Phase } from './phase.ts';
import { goToShell, hostOf } from './place.ts';
import { showStarted } from './results.ts';
import { noteQuestion, rewind, takeBranch } from './rewind.ts';
import type { NorrisRun } from './run.ts';
import { closeShell, jobEnded, shellEnded, shellStarted } from './shell.ts';
import { dropPending, endSlot, openSlots, rememberSkipped, slotOf } from './slots.ts';
import { type Conversation, decidesAs, type State } from './state.ts';
import {
  answerUpgrade,
  askForPlan,
  examineNext,
  finishRun,
  goOn,
  startStep,
  takeExamination,
  takeReply,
  tasksMaxOf,
} from './steps.ts';
import { abort, resume, settle } from './stop.ts';

import { type OwnedTurns, Transition } from './transition.ts';

// The start of a Norris run: with a plan if a preplanner is set, then its first step (PP-1, PP-4, NO-1).

const UNDER_WAY = '[aish] a run is under way; Ctrl-X Ctrl-C or :norris off ends it';

/** Starts a run. The goal is a turn of its own, so that the conversation still makes sense afterwards. */
function startNorris(next: Transition, { goal, attached = [], git }: Of<'norrisStarted'>): void {
  if (next.conversation.phase.kind !== 'idle') return next.notice('warning', UNDER_WAY);
  const key = next.id('e');
  const run = begin(next, goal, git, attached, key);
  noteQuestion(next, { key, text: goal, goal: true });
  next.turn(turnOf('goal', goal, attached));
  const { settings, parent } = next.conversation;
  const { preplanner: preset } = settings;
  if (preset === undefined || parent !== undefined) return startStep(next, run);
  nameSurroundings(next);
  askForPlan(next, run, preset);
}

/** Continues with the last goal and the rest of its plan, in the same context (NO-1). */
function continueLastNorris(next: Transition, { git }: Of<'norrisContinued'>): void {
  const { phase, lastGoal, lastTasks } = next.conversation;
  if (phase.kind !== 'idle') return next.notice('warning', UNDER_WAY);
  if (lastGoal === undefined) return next.notice('warning', '[aish] there is no goal to continue yet');
  const run = begin(next, lastGoal, git);
  next.turn({ kind: 'user', origin: 'aish', text: `[aish] go on with the goal: ${lastGoal}` });
  if (!lastTasks) return startStep(next, run);
  const left = lastTasks.list.length - lastTasks.current;
  next.notice('info', `[aish] continuing with ${left} of ${lastTasks.list.length} tasks`);
  startStep(next, { ...run, tasks: lastTasks });
}

function begin(
  next: Transition,
  goal: string,
  git: string | undefined,
  attached: readonly Attachment[] = [],
  key: string = next.id('e'),
): NorrisRun {
  const run = newRun(next.conversation, goal, next.event.at, next.state.costs);
  goToShell(next, git);
  next.set({ lastGoal: goal, lastTasks: undefined, repeats: undefined });
  const { preset, maxSteps } = run;
  next.show({ kind: 'norrisBegan', goal, preset, maxSteps, ...namesOf(attached) }, key);
  return run;
}

type Planning = Extract<Phase, { kind: 'planning' }>;

/** The preplanner has replied. Without a usable plan the run goes on with one model (PP-4). */
function takePlan(next: Transition, phase: Planning, reply: Reply): void {
  const { run, replans, hold } = phase;
  for (const notice of reply.notices) next.notice('warning', notice);
  const name = replans ? 'replan' : 'preplan';
  const failed = reply.finish === 'failed' || reply.finish === 'cancelled';
  if (failed)
    return withoutPlan(next, phase, reply, `[aish] ${name} failed: ${reply.failure?.message ?? 'it was cancelled'}`);
  const { settings } = next.conversation;
  const { approvesPlan, taskModels = [] } = settings;
  const tasksMax = tasksMaxOf(settings, run, phase);
  const whole = reply.finish !== 'length' && reply.truncated !== true;
  const { list: all, more } = parseTasks(reply.text, whole, tasksMax);
  if (all.length === 0) return withoutPlan(next, phase, reply, `[aish] ${name} produced no TASK lines`);
  if (more) next.notice('warning', `[aish] ${name} emitted >${tasksMax} tasks; truncated`);
  const list = knownTasks(next, all, taskModels);
  const planner = reply.preset;
  recordPreplan(next, run.goal, reply, `[aish] ${name}ned ${list.length} tasks via ${planner}`);
  next.show({ kind: 'plan', preset: planner, tasks: list, ...(replans && { how: 'anew' }) });
  if (replans) return startStep(next, withNewTasks(run, list, planner));
  const planned = { ...run, tasks: { list, current: 0, planner } };
  if (approvesPlan || hold) reviewPlan(next, planned, list, planner);
  else beginPlan(next, planned);
}

/** Removes presets that are not known from the tasks, and reports them. */
function knownTasks(next: Transition, all: readonly string[], known: readonly string[]): readonly string[] {
  const { list, unknown } = withKnownPresets(all, known);
  const names = unknown.map((name) => `@${name}`).join(', ');
  if (names !== '') next.notice('warning', `[aish] ${names}: not one of norris.task_models; the usual model does it`);
  return list;
}

function beginPlan(next: Transition, run: NorrisRun): void {
  if (!offerForPlan(next, run, run.tasks?.list.length ?? 0)) startStep(next, run);
}

/** Shows a plan to the user before its first step (PP-6). */
function reviewPlan(next: Transition, run: NorrisRun, tasks: readonly string[], planner: string): void {
  const question = next.ask({ kind: 'plan', planner, tasks });
  next.phase({ kind: 'planReview', question, run });
}

/** The user pressed the key for a review before the plan's first step. */
function holdPlan(next: Transition): void {
  const { phase, id: session } = next.conversation;
  if (phase.kind === 'planning' && !phase.replans) {
    next.notice('info', '[aish] the plan will wait for you');
    return next.phase({ ...phase, hold: true });
  }
  const run = phase.kind === 'replying' && phase.run.kind === 'norris' ? phase.run : undefined;
  if (phase.kind !== 'replying' || !run?.tasks || run.step > 1 || run.tasks.current > 0 || phase.again)
    return next.notice('warning', '[aish] no plan waits for its first step');
  next.effect({ kind: 'cancel', session, op: phase.op });
  reviewPlan(next, run, run.tasks.list, run.tasks.planner);
}

/** The user has answered a plan review. A plan that they edited is shown again. */
function answerPlan(next: Transition, { question, answer }: Of<'answered'>): boolean {
  const { phase, settings } = next.conversation;
  if (phase.kind !== 'planReview' || phase.question !== question) return false;
  const { run } = phase;
  const { planner = '' } = run.tasks ?? {};
  if (answer.kind === 'abort') settle(next, run);
  if (answer.kind === 'proceed') {
    next.unask(question);
    beginPlan(next, run);
  }
  if (answer.kind === 'skip') {
    next.unask(question);
    askForPlan(next, run, planner, { hold: true }, sentBackText(run, answer.note?.trim() ?? ''));
  }
  if (answer.kind === 'edit') {
    const { taskModels = [] } = settings;
    const list = knownTasks(next, editedTasks(answer.command, tasksMaxOf(settings, run, {})), taskModels);
    if (list.length === 0) return true;
    next.unask(question);
    next.show({ kind: 'plan', preset: planner, tasks: list, how: 'edited' });
    reviewPlan(next, { ...run, tasks: { list, current: 0, planner } }, list, planner);
  }
  return true;
}

/** The planning failed: without a first plan one model goes on alone, without a new plan the old one stays. */
function withoutPlan(next: Transition, { run, replans, hold }: Planning, reply: Reply, problem: string): void {
  const old = run.tasks;
  const how = replans?.ending ? 'the run ends' : old ? 'the plan stays' : 'running single-model';
  const outcome = `${problem}; ${how}`;
  recordPreplan(next, run.goal, reply, outcome);
  next.notice('warning', outcome);
  if (replans?.ending) return finishRun(next, run, replans.ending);
  if (replans) return startStep(next, nextStep(run));
  if (old && hold) return reviewPlan(next, run, old.list, old.planner);
  startStep(next, run);
}

/** Stored for `:history`, outside the turns. */
function recordPreplan(next: Transition, goal: string, { preset, text }: Reply, outcome: string): void {
  const { preplans = [], turns } = next.conversation;
  next.set({ preplans: [...preplans, { after: turns.length, preset, goal, text, outcome }] });
}

type Result = readonly [State, readonly Effect[]];

/**
 * Applies one event. Facts about ended operations, and events of unknown sessions, change nothing.
 * @param owned for a fold that uses only the final state: its lists of turns are changed in place
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

/** Events of the user go to the user's conversation; sub-agents get only what `forChildren` passes on. */
const FOR_ROOT: ReadonlySet<SessionEvent['type']> = new Set([
  'opened',
  'resumed',
  'asked',
  'lineTakenBack',
  'norrisStarted',
  'norrisContinued',
  'planHeld',
  'turnsReset',
  'rewound',
  'branchTaken',
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
 * An abort also ends a conversation's sub-agents. They follow it into a narrower mode (MO-4), never into a wider one.
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

/** Removes an ended sub-agent; its report is the outcome of its parent's action. */
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

/** How each event changes the state. */
const CHANGES: { readonly [Type in SessionEvent['type']]: (next: Transition, event: Of<Type>) => void } = {
  opened: goTo,
  spawned,
  resumed(next, event) {
    // This entry must not use up an entry number: older journals would otherwise renumber what follows.
    if (!event.again) next.show({ kind: 'resumed', at: event.at }, `resumed${event.at}`);
    dropForms(next);
    closeShell(next);
    resume(next, event.settings, event.mode);
  },
  asked,
  lineTakenBack: (next, event) => takeBack(next, event.line),
  norrisStarted: startNorris,
  norrisContinued: continueLastNorris,
  planHeld: holdPlan,
  answered(next, event) {
    if (!answerPlan(next, event)) answered(next, event);
  },
  aborted: (next, { at, unattended }) => abort(next, unattended ? {} : { at }),
  turnsReset: resetTurns,
  rewound: rewind,
  branchTaken: takeBranch,
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

/** A question starts the sub-loop at once, or waits for the next step (IN-7). */
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
  if (phase.kind === 'planning' && phase.op === op) return takePlan(next, phase, reply);
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

/** A file changed after the user's answer: they are asked again (SF-13). Other voided actions count as ended. */
function actionVoided(next: Transition, { op, outcome, ...event }: Of<'actionVoided'>): void {
  const { phase } = next.conversation;
  const asked = phase.kind === 'acting' && phase.slots.length === 1 && slotOf(phase, op)?.slot.userApproved;
  if (!asked) return actionEnded(next, { ...event, type: 'actionEnded', op, outcome });
  next.effect({ kind: 'hide', key: op });
  examineNext(next, phase.run, phase.dispatch, 'changed');
}

/** The trial was applied or refused; either way it no longer exists. */
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
  // A delegation ends only with its sub-agent.
  const alive = subAgents(next.state).some(({ conversation }) => conversation.parent?.op === op);
  const slots = alive ? undefined : endSlot(next, phase, op, outcome);
  if (!slots) return;
  const run = ifNorris(phase.run, (r) => countAction(r, approved));
  // Of several parallel actions none may change the agent's directory.
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

// Settings the user changes by hand: the mode, the preset, a new conversation.

/** Performs `:reset` (CX-3). */
function resetTurns(next: Transition): void {
  if (next.conversation.phase.kind !== 'idle') {
    return next.notice('warning', '[aish] not during a run; Ctrl-X Ctrl-C ends it');
  }
  next.set({
    turns: [],
    inbox: [],
    preplans: [],
    asked: [],
    branches: [],
    lastTasks: undefined,
    evictedTurns: 0,
    summary: undefined,
    named: undefined,
    toldCwd: undefined,
  });
  next.notice('info', '[aish] a new conversation starts');
}

/** `:compact`: a summary replaces all turns (CX-8). */
function compact(next: Transition): void {
  const { id: session, phase, preset, turns, evictedTurns = 0 } = next.conversation;
  if (phase.kind !== 'idle') return next.notice('warning', '[aish] not during a run; Ctrl-X Ctrl-C ends it');
  if (turns.length - evictedTurns < 2) return next.notice('info', '[aish] there is nothing to summarise');
  const op = next.id('op');
  next.phase({ kind: 'replying', op, run: { kind: 'chat', preset, round: 1 }, compacts: true });
  next.effect({ kind: 'compact', session, op, preset });
}

/** The user chooses a mode (MO-4). Pending judgements from the old mode are repeated. */
function chooseMode(next: Transition, mode: Mode): void {
  const { phase, settings, parent, tightening, mode: now } = next.conversation;
  const why = whyNotEnforced(mode, settings);
  if (why !== undefined) return next.notice('error', why);
  if (phase.kind === 'awaitingModeApproval') {
    next.unask(phase.question);
    if (!isWider(mode, now)) setMode(next, mode);
    // A mode that the user chooses here stays for more than one action.
    const { once: _, ...asked } = phase;
    return answerUpgrade(next, asked, isWider(mode, now) ? mode : undefined);
  }
  // A sub-agent never widens (MO-6).
  if (parent && isWider(mode, tightening ?? now)) return;
  if (mode === now) {
    if (tightening === undefined) return;
    next.set({ tightening: undefined });
    return next.notice('info', modeMeaning(mode));
  }
  if (isWider(now, mode) && (phase.kind === 'acting' || phase.kind === 'stoppingActions')) {
    next.set({ tightening: mode });
    // Pending actions are judged again in the new mode.
    if (phase.kind === 'acting') next.phase({ ...phase, ...dropPending(phase) });
    return next.notice('info', `[aish] ${modeName(mode)} takes effect when the running action ends`);
  }
  setMode(next, mode);
  // A user who has just narrowed the mode is not asked to widen it.
  if (isWider(now, mode) && decidesAs(next.conversation.settings, 3)) noteOffer(next);
  judgeAgain(next);
}

function judgeAgain(next: Transition): void {
  const { phase, id } = next.conversation;
  if (phase.kind !== 'judging' && phase.kind !== 'halted' && phase.kind !== 'trying') return;
  if (phase.kind === 'trying') next.effect({ kind: 'cancel', session: id, op: phase.op });
  next.unask();
  const { run, decided } = phase;
  const { slots, ...rest } = openSlots(phase);
  const dispatch = rememberSkipped(rest.dispatch, slots);
  const before = phase.kind === 'judging' ? phase.consent : 'asked';
  examineNext(next, run, dispatch, decided.length > 0 && before === 'edited' ? 'policy' : before);
}

/** Performs `:model NAME` (BR-3). */
function choosePreset(next: Transition, preset: string): void {
  next.set({ preset });
  const later = next.conversation.phase.kind === 'idle' ? '' : ' (for later runs)';
  next.notice('info', `[aish] model: ${preset}${later}`);
}
