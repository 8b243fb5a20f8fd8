/** The user's answers to questions: what each leads to. */
import { describeAction, type Judgement } from './action.ts';
import { answerForm } from './ask-form.ts';
import { answerReview } from './ask-review.ts';
import type { Of } from './event.ts';
import { formatForModel } from './exec-text.ts';
import { grantTool } from './grants.ts';
import { offersFrom } from './mode.ts';
import { countSkip, ifNorris } from './norris.ts';
import type { Phase } from './phase.ts';
import { letSpend } from './spend.ts';
import { SEMANTICS } from './state.ts';
import { answerUpgrade, continueNorris, decide, examineNext } from './steps.ts';
import { abort, settle, settleHalted } from './stop.ts';
import type { Transition } from './transition.ts';
import { beginTrial } from './trial.ts';
import type { ToApply, Tried } from './tried.ts';

type Halted = Extract<Phase, { kind: 'halted' }>;

/** The user has answered a question of this conversation (HA-2, HA-4, HA-7, MO-3, CO-2). */
export function answered(next: Transition, event: Of<'answered'>): void {
  const { question, answer } = event;
  if (answerForm(next, question) || answerReview(next, event)) return;
  const { phase } = next.conversation;
  if (phase.kind === 'escalated' && phase.question === question) {
    if (answer.kind === 'abort') return settle(next, phase.run);
    if (answer.kind !== 'proceed') return;
    next.unask(question);
    return continueNorris(next, { ...phase.run, skipsInARow: 0 }, phase.acted, phase.sentinel);
  }
  if (phase.kind === 'awaitingModeApproval' && phase.question === question) {
    if (answer.kind === 'abort') return abort(next);
    if (answer.kind !== 'proceed' && answer.kind !== 'unrestricted' && answer.kind !== 'skip') return;
    next.unask(question);
    const { mode, settings } = next.conversation;
    const [narrowest] = offersFrom(mode, settings);
    const approved = { proceed: narrowest, unrestricted: 'unrestricted', skip: undefined } as const;
    return answerUpgrade(next, phase, approved[answer.kind]);
  }
  if (phase.kind === 'awaitingSpend' && phase.question === question) {
    if (answer.kind === 'proceed') return letSpend(next, phase);
    if (answer.kind !== 'skip' && answer.kind !== 'abort') return;
    return settle(next, phase.run, undefined, 'no more is to be spent');
  }
  if (phase.kind !== 'halted' || phase.question !== question) return;
  const asked = next.state.questions.find(({ id }) => id === question);
  const { run, dispatch } = phase;
  const action = dispatch.actions[dispatch.index];
  if (!action) return;
  if (answer.kind === 'abort') return settleHalted(next, phase);
  if (answer.kind === 'try') return asked?.kind === 'halt' ? beginTrial(next, phase, asked) : undefined;
  const trial = answer.kind === 'apply' ? toApply(phase.tried) : undefined;
  if (answer.kind === 'apply' && !trial) return;
  if (answer.kind === 'unrestricted' || (answer.kind === 'edit' && action.kind !== 'command')) return;
  if (answer.kind === 'always' && !grantTool(next, question)) return;
  next.unask(question);
  switch (answer.kind) {
    case 'proceed':
    case 'apply':
    case 'always': {
      const { judgedAs, judgement } = phase;
      const { cwd, mode } = next.conversation;
      const approval = { userApproved: true, approvedAt: next.event.at };
      const applies = trial ? { trial } : {};
      return decide(next, phase, { kind: 'approved', judgedAs, judgement, ...approval, cwd, mode, ...applies });
    }
    case 'skip':
      return skip(next, phase, answer.note?.trim());
    case 'edit': {
      if (action.kind !== 'command') return;
      const edited = { ...action, command: answer.command, editedFrom: action.editedFrom ?? action.command };
      const actions = dispatch.actions.with(dispatch.index, edited);
      return examineNext(next, run, { ...dispatch, actions }, 'edited', phase.decided);
    }
  }
}

/** A trial that can be applied in this mode. */
function toApply(tried: Tried | undefined): ToApply | undefined {
  if (tried?.trial.kind !== 'changes' || tried.trial.beyond !== undefined) return undefined;
  const { id, digest } = tried.trial;
  return { id, digest, result: tried.result };
}

function skip(next: Transition, { run, dispatch, decided, judgement, tried }: Halted, note: string | undefined): void {
  const action = dispatch.actions[dispatch.index];
  if (!action) return;
  const reason = reasonOfSkip(next, judgement);
  const said = note === undefined || note === '' ? {} : { note };
  next.show({ kind: 'refused', action, how: 'skipped', reason, at: next.event.at, ...said });
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
