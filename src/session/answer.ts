/** The user's answers to questions: what each leads to. */
import { type Action, describeAction, type Judgement, plainReason } from './action.ts';
import { answerFleet } from './ask-fleet.ts';
import { answerForm } from './ask-form.ts';
import { answerReview } from './ask-review.ts';
import type { Of } from './event.ts';
import { formatForModel } from './exec-text.ts';
import { grantAlways } from './grants.ts';
import { offersFrom } from './mode.ts';
import { countSkip, ifNorris } from './norris.ts';
import type { Phase } from './phase.ts';
import { letSpend } from './spend.ts';
import { SEMANTICS } from './state.ts';
import { answerUpgrade, continueNorris, decide, examineNext } from './steps.ts';
import { abort, settle, settleHalted } from './stop.ts';
import type { Transition } from './transition.ts';
import { beginTrial } from './trial.ts';
import { canBeApplied, type ToApply, type Tried } from './tried.ts';

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
  if (answer.kind !== 'proceed' && answer.kind !== 'unrestricted' && answer.kind !== 'skip') return;
  next.unask(phase.question);
  const [narrowest] = offersFrom(next);
  const approved = { proceed: narrowest, unrestricted: 'unrestricted', skip: undefined } as const;
  return answerUpgrade(next, phase, approved[answer.kind]);
}

function answerSpend(next: Transition, phase: PhaseOf<'awaitingSpend'>, answer: Answer): void {
  if (answer.kind === 'proceed') return letSpend(next, phase);
  if (answer.kind !== 'skip' && answer.kind !== 'abort') return;
  return settle(next, phase.run, undefined, 'no more is to be spent');
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
      return approve(next, phase, {});
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
      return skip(next, phase, { ...byUser, note: answer.note?.trim() });
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

function edit(next: Transition, phase: Halted, action: Extract<Action, { kind: 'command' }>, command: string): void {
  const { run, dispatch } = phase;
  const edited = { ...action, command, editedFrom: action.editedFrom ?? action.command };
  const actions = dispatch.actions.with(dispatch.index, edited);
  examineNext(next, run, { ...dispatch, actions }, 'edited', phase.decided);
}

/** A trial that can be applied in this mode. */
function toApply(tried: Tried | undefined): ToApply | undefined {
  if (!tried || !canBeApplied(tried.trial)) return undefined;
  const { id, digest } = tried.trial;
  return { id, digest, result: tried.result };
}

function skip(
  next: Transition,
  { run, dispatch, decided, judgement, tried }: Halted,
  { at, note }: { readonly at?: number; readonly note: string | undefined },
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
  const text = `[aish] action skipped by user${end}`;
  decide(next, { run: skipped, dispatch, decided }, { kind: 'notRun', text, skipped: true });
}

/** The gate's reason is given only where it warned: a harmless verdict on a skipped action would mislead the model. */
function reasonOfSkip({ conversation: { settings } }: Transition, { destructive, reason }: Judgement): string {
  return destructive || settings.semantics !== SEMANTICS ? reason : '';
}
