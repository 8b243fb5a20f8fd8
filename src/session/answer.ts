/** The user's answers to questions and their effects, and the questions that belong to no phase. */
import { type Action, describeAction, type Judgement, plainReason } from './action.ts';
import type { Effect } from './effect.ts';
import type { Of, SessionEvent } from './event.ts';
import { formatForModel } from './exec-text.ts';
import { grantAlways } from './grants.ts';
import { isWider, type Mode } from './ids.ts';
import { rememberLeave } from './leaving.ts';
import { offersFrom, setMode } from './mode.ts';
import { countSkip, ifNorris } from './norris.ts';
import type { Decided, Phase } from './phase.ts';
import { canBeApplied, type Question, type ToApply, type Tried } from './question.ts';
import { openSlots, rememberSkipped } from './slots.ts';
import { decidesAs, type State } from './state.ts';
import { answerOutside, answerUpgrade, callModel, continueNorris, decide, examineNext } from './steps.ts';
import { abort, settle, settleHalted } from './stop.ts';
import type { Transition } from './transition.ts';

type Halted = Extract<Phase, { kind: 'halted' }>;

/** The user has answered a question of this conversation (HA-2, HA-4, HA-7, MO-3, CO-2). */
export function answered(next: Transition, event: Of<'answered'>): void {
  const { question, answer } = event;
  if (answerForm(next, question) || answerFleet(next, question) || answerReview(next, event)) return;
  const { phase } = next.conversation;
  if (!('question' in phase) || phase.question !== question) return;
  switch (phase.kind) {
    case 'escalated':
      return answerEscalation(next, phase, answer);
    case 'awaitingModeApproval':
      return answerModeRequest(next, phase, answer);
    case 'awaitingSpend':
      return answerSpend(next, phase, answer);
    case 'halted':
      return answerHalt(next, phase, event);
    default:
      return;
  }
}

type Answer = Of<'answered'>['answer'];
type PhaseOf<Kind extends Phase['kind']> = Extract<Phase, { kind: Kind }>;

function answerEscalation(next: Transition, phase: PhaseOf<'escalated'>, answer: Answer): void {
  if (answer.kind === 'abort') return settle(next, phase.run);
  if (answer.kind !== 'proceed') return;
  next.unask(phase.question);
  return continueNorris(next, { ...phase.run, skipsInARow: 0 }, phase.acted, phase.sentinel);
}

function answerModeRequest(next: Transition, phase: PhaseOf<'awaitingModeApproval'>, answer: Answer): void {
  if (answer.kind === 'abort') return abort(next);
  if (phase.outside && (answer.kind === 'proceed' || answer.kind === 'always')) {
    next.unask(phase.question);
    return answerOutside(next, phase, answer.kind === 'always' ? 'session' : 'once');
  }
  if (answer.kind !== 'proceed' && answer.kind !== 'unrestricted' && answer.kind !== 'skip') return;
  next.unask(phase.question);
  const [narrowest] = offersFrom(next);
  const approved = { proceed: narrowest, unrestricted: 'unrestricted', skip: undefined } as const;
  return answerUpgrade(next, phase, approved[answer.kind]);
}

function answerSpend(next: Transition, phase: PhaseOf<'awaitingSpend'>, answer: Answer): void {
  if (answer.kind === 'proceed') return letSpend(next, phase);
  if (answer.kind !== 'skip' && answer.kind !== 'abort') return;
  return settle(next, phase.run, undefined, 'you allowed no more spending');
}

function answerHalt(next: Transition, phase: Halted, { answer, at, unattended }: Of<'answered'>): void {
  const { question } = phase;
  const action = phase.dispatch.actions[phase.dispatch.index];
  if (!action) return;
  const byUser = unattended ? {} : { at };
  switch (answer.kind) {
    case 'abort':
      return settleHalted(next, phase, byUser);
    case 'try': {
      const asked = next.state.questions.find(({ id }) => id === question);
      return asked?.kind === 'halt' ? beginTrial(next, phase, asked) : undefined;
    }
    case 'proceed':
      next.unask(question);
      rememberLeave(next, phase.judgement, true);
      return answer.mode === undefined ? approve(next, phase, {}) : proceedIn(next, phase, answer.mode);
    case 'always':
      if (!grantAlways(next, question)) return;
      next.unask(question);
      return approve(next, phase, {});
    case 'apply': {
      const trial = toApply(phase.tried);
      if (!trial) return;
      next.unask(question);
      return approve(next, phase, { trial });
    }
    case 'skip':
      next.unask(question);
      rememberLeave(next, phase.judgement, false);
      return skip(next, phase, { ...byUser, note: answer.note?.trim(), unattended });
    case 'edit':
      if (action.kind !== 'command') return;
      next.unask(question);
      return edit(next, phase, action, answer.command);
    case 'unrestricted':
      return;
  }
}

function approve(next: Transition, phase: Halted, applies: { readonly trial?: ToApply }): void {
  const { judgedAs, judgement } = phase;
  const { cwd, mode } = next.conversation;
  const approval = { userApproved: true, approvedAt: next.event.at };
  decide(next, phase, { kind: 'approved', judgedAs, judgement, ...approval, cwd, mode, ...applies });
}

/** The user widens the mode and runs the action in it. The action is judged again, and asks only if more is found. */
function proceedIn(next: Transition, phase: Halted, mode: Mode): void {
  const { run, dispatch, decided, judgement } = phase;
  if (isWider(mode, next.conversation.mode) && offersFrom(next).includes(mode)) setMode(next, mode);
  const { slots, dispatch: from } = openSlots({ dispatch, decided });
  if (slots.length > 0) return examineNext(next, run, rememberSkipped(from, slots), 'asked');
  examineNext(next, run, dispatch, 'approved', [], judgement);
}

function edit(next: Transition, phase: Halted, action: Extract<Action, { kind: 'command' }>, command: string): void {
  const { run, dispatch } = phase;
  const edited = { ...action, command, editedFrom: action.editedFrom ?? action.command };
  const actions = dispatch.actions.with(dispatch.index, edited);
  examineNext(next, run, { ...dispatch, actions }, 'edited', phase.decided);
}

/** Returns the trial if it can be applied in this mode. */
function toApply(tried: Tried | undefined): ToApply | undefined {
  if (!tried || !canBeApplied(tried.trial)) return undefined;
  const { id, digest } = tried.trial;
  return { id, digest, result: tried.result };
}

function skip(
  next: Transition,
  { run, dispatch, decided, judgement, tried }: Halted,
  {
    at,
    note,
    unattended,
  }: { readonly at?: number; readonly note: string | undefined; readonly unattended: true | undefined },
): void {
  const action = dispatch.actions[dispatch.index];
  if (!action) return;
  const reason = reasonOfSkip(next, judgement);
  const said = note === undefined || note === '' ? {} : { note };
  const when = at === undefined ? {} : { at };
  const shown = reason === '' ? '' : plainReason(judgement);
  next.show({ kind: 'refused', action, how: 'skipped', reason: shown, ...when, ...said });
  const why = [reason, ...('note' in said ? [`the user says: ${said.note}`] : [])].filter((part) => part !== '');
  const end = why.length === 0 ? '' : `: ${why.join('; ')}`;
  const skipped = ifNorris(run, countSkip);
  if (tried) {
    const output = formatForModel(tried.result, describeAction(action));
    const text = `[aish] action tried, then discarded by user${end}\n${output}`;
    return decide(next, { run: skipped, dispatch, decided }, { kind: 'notRun', text, skipped: true, tried: true });
  }
  const alone = unattended && decidesAs(next.conversation.settings, 3);
  const text = `[aish] action ${alone ? 'not run: nobody is there to approve it' : 'skipped by user'}${end}`;
  decide(next, { run: skipped, dispatch, decided }, { kind: 'notRun', text, skipped: true });
}

/**
 * Returns the gate's reason only if it warned: for a skipped harmless action a harmless verdict would mislead the
 * model.
 */
function reasonOfSkip({ conversation: { settings } }: Transition, { destructive, reason }: Judgement): string {
  return destructive || !decidesAs(settings, 2) ? reason : '';
}

// Adds a fleet's question. The fleet works at the same time as the conversation.

export function askFleet(next: Transition, event: Of<'fleetAsked'>): void {
  const { type: _type, session: _session, at: _at, ...question } = event;
  next.ask({ kind: 'fleet', ...question });
}

/** The question's subject has changed, or the fleet has ended. */
export function dropFleet(next: Transition, { fleet }: Of<'fleetGone'>): void {
  const goes = next.state.questions.find((question) => question.kind === 'fleet' && question.fleet === fleet);
  if (goes) next.unask(goes.id);
}

/** Returns whether `id` is a fleet's question. Any answer removes it; the engine passes the answer to the fleet. */
function answerFleet(next: Transition, id: string): boolean {
  const isIt = (question: Question) => question.kind === 'fleet' && question.id === id;
  if (!next.state.questions.some(isIt)) return false;
  next.unask(id);
  return true;
}

// Adds a server's form; only the server waits for it.

export function askForm(next: Transition, { form, server, message, fields }: Of<'formAsked'>) {
  next.ask({ kind: 'form', form, server, message, fields });
}

/**
 * Removes one form; without `form` all forms, reviews and questions of fleets, because their senders ended with the
 * program.
 */
export function dropForms(next: Transition, form?: string): void {
  const stays = (q: Question) => {
    if (q.kind === 'review' || q.kind === 'fleet') return form !== undefined;
    return q.kind !== 'form' || (form !== undefined && q.form !== form);
  };
  next.state = { ...next.state, questions: next.state.questions.filter(stays) };
}

/** Returns whether `id` is a form. Any answer removes it; the engine passes its values to the server. */
function answerForm(next: Transition, id: string): boolean {
  const found = next.state.questions.some((question) => question.kind === 'form' && question.id === id);
  if (found) next.unask(id);
  return found;
}

// Adds a review; the command's end waits for its answer.

export function askReview(next: Transition, event: Of<'reviewAsked'>): void {
  const { type: _, at: __, session: ___, ...asked } = event;
  next.ask({ kind: 'review', ...asked });
}

/** Reports the carried-out answer to the model and the transcript, and removes a question that nobody has answered. */
export function takeReviewed(next: Transition, { review, text }: Of<'reviewed'>): void {
  const goes = next.state.questions.find((question) => question.kind === 'review' && question.review === review);
  if (goes) next.unask(goes.id);
  next.notice('info', `[aish] ${text}`);
  next.inbox({ kind: 'note', origin: 'aish', text: `[aish] ${text}` });
}

/** Returns whether `id` is a review. Any answer removes it; an abort also ends the run. */
function answerReview(next: Transition, { question: id, answer }: Of<'answered'>): boolean {
  const found = next.state.questions.some((question) => question.kind === 'review' && question.id === id);
  if (!found) return false;
  next.unask(id);
  if (answer.kind === 'abort') abort(next);
  return true;
}

// Past `cost.stop_at_dollars` the user is asked before each call that costs money (CO-2). Only the services know
// prices.

type Result = readonly [State, readonly Effect[]];
type Awaiting = Extract<Phase, { kind: 'awaitingSpend' }>;

/** The planned model call waits for the user's answer. */
export function askToSpend(next: Transition, { op, preset, spent, limit, ...more }: Of<'spendReached'>): void {
  const { allowance, estimate } = more;
  const { phase } = next.conversation;
  // The user aborted at the same moment: the call was never made, so no other event will end this phase.
  if (phase.kind === 'stopping' && phase.op === op) return settle(next, phase.run, phase.open);
  if (phase.kind !== 'replying' || phase.op !== op) return;
  const question = next.ask({
    kind: 'spend',
    preset,
    spent,
    limit,
    allowance,
    ...(estimate !== undefined && { estimate }),
  });
  next.phase({ kind: 'awaitingSpend', question, run: phase.run, upTo: spent + allowance });
}

/** A yes raises the limit by one allowance and makes the call. */
function letSpend(next: Transition, { question, run, upTo }: Awaiting): void {
  next.unask(question);
  next.state = { ...next.state, allowedDollars: Math.max(upTo, next.state.allowedDollars ?? 0) };
  callModel(next, run);
}

/** A yes holds for the session, so it answers all open spending questions. */
export function forSpenders(
  [state, effects]: Result,
  event: Of<'answered'>,
  reduce: (state: State, event: SessionEvent) => Result,
): Result {
  let result: Result = [state, effects];
  for (const { kind, id: question, session } of state.questions) {
    if (kind !== 'spend') continue;
    const [next, more] = reduce(result[0], { ...event, question, session });
    result = [next, [...result[1], ...more]];
  }
  return result;
}

// Trying a halted command before the user decides (HA-10, EF-4): a trial's start, result and end.

type HaltQuestion = Extract<Question, { kind: 'halt' }>;

/** Starts a trial: the command runs without lasting effects, to show what it would change. */
function beginTrial(next: Transition, phase: Halted, question: HaltQuestion): void {
  const { run, dispatch, judgement, judgedAs, decided } = phase;
  const action = dispatch.actions[dispatch.index];
  if (!action || question.canTry !== true) return;
  next.unask(question.id);
  const op = next.id('op');
  const { id: session, cwd, mode } = next.conversation;
  const { id: _, session: __, asker: ___, trial: ____, ...asked } = question;
  next.phase({ kind: 'trying', op, run, dispatch, judgement, judgedAs, decided, asked });
  next.effect({ kind: 'try', session, op, judgedAs, action, cwd, mode });
}

/** The trial has ended: asks the same question again, with the changes. After an abort the trial is discarded. */
export function takeTrial(next: Transition, { op, trial, result }: Of<'tried'>): void {
  const { phase } = next.conversation;
  if ((phase.kind !== 'trying' && phase.kind !== 'stopping') || phase.op !== op) return;
  if (trial.kind === 'changes') next.set({ trial: trial.id });
  if (phase.kind === 'stopping') return phase.open ? settle(next, phase.run, phase.open) : undefined;
  const { run, dispatch, judgement, judgedAs, decided, asked } = phase;
  const question = next.ask({ ...asked, trial });
  next.phase({ kind: 'halted', question, run, dispatch, judgement, judgedAs, decided, tried: { trial, result } });
}

/** Discards the trial if no question and no apply refers to it any more. */
export function dropTrial(next: Transition): void {
  const { trial, phase, id: session } = next.conversation;
  if (trial === undefined || (next.report === undefined && usesTrial(phase, trial))) return;
  next.set({ trial: undefined });
  next.effect({ kind: 'discardTrial', session, trial });
}

function usesTrial(phase: Phase, id: string): boolean {
  if (phase.kind === 'halted' && phase.tried?.trial.kind === 'changes' && phase.tried.trial.id === id) return true;
  const decided: readonly Decided[] = 'decided' in phase ? phase.decided : [];
  const slots = 'slots' in phase ? phase.slots : decided;
  return slots.some((slot) => 'trial' in slot && slot.trial?.id === id);
}
