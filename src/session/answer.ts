/** The user's answers to questions: what each leads to. */
import { answerForm } from './ask-form.ts';
import type { Of } from './event.ts';
import { grantTool } from './grants.ts';
import { countSkip, ifNorris } from './norris.ts';
import type { Phase } from './phase.ts';
import { letSpend } from './spend.ts';
import { answerUpgrade, continueNorris, decide, examineNext } from './steps.ts';
import { abort, settle, undecided } from './stop.ts';
import type { Work } from './work.ts';

type Halted = Extract<Phase, { kind: 'halted' }>;

/** The user has answered a question of this conversation (HA-2, HA-4, HA-7, MO-3, CO-2). */
export function answered(work: Work, { question, answer }: Of<'answered'>): void {
  if (answerForm(work, question)) return;
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
    if (answer.kind === 'edit' || answer.kind === 'always') return;
    return settle(work, phase.run, undefined, 'no more is to be spent');
  }
  if (phase.kind !== 'halted' || phase.question !== question) return;
  const { run, dispatch } = phase;
  const action = dispatch.actions[dispatch.index];
  if (!action) return;
  if (answer.kind === 'abort') return settle(work, run, undecided(phase));
  if (answer.kind === 'edit' && action.kind !== 'command') return;
  if (answer.kind === 'always' && !grantTool(work, question)) return;
  work.unask(question);
  switch (answer.kind) {
    case 'proceed':
    case 'always': {
      const { judgedAs, judgement } = phase;
      const { cwd, mode } = work.conversation;
      return decide(work, phase, { kind: 'cleared', judgedAs, judgement, approved: true, cwd, mode });
    }
    case 'skip':
      return skip(work, phase);
    case 'edit': {
      if (action.kind !== 'command') return;
      const edited = { ...action, command: answer.command, editedFrom: action.editedFrom ?? action.command };
      const actions = dispatch.actions.with(dispatch.index, edited);
      return examineNext(work, run, { ...dispatch, actions }, 'edited', phase.held);
    }
  }
}

function skip(work: Work, { run, dispatch, held, judgement }: Halted): void {
  const action = dispatch.actions[dispatch.index];
  if (!action) return;
  work.show({ kind: 'refused', action, how: 'skipped', reason: judgement.reason });
  const text = `[aish] action skipped by user: ${judgement.reason}`;
  decide(work, { run: ifNorris(run, countSkip), dispatch, held }, { kind: 'unrun', text, skipped: true });
}
