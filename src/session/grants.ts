/**
 * Consent that lasts for a session: given for one tool as it was defined then, and never for a destructive call
 * (SF-10).
 */
import type { Action, Judgement, ToolFacts } from './action.ts';
import { isWider, type Mode, type QuestionId } from './ids.ts';
import type { Question } from './question.ts';
import type { Transition } from './transition.ts';

/** Whether a question may be answered with `always`, and for what that would be. */
export function grantOf(question: Question): 'tool' | 'reads' | undefined {
  if (question.kind !== 'halt' || question.judgement.destructive) return undefined;
  if (question.action.kind === 'command') return isRead(question.judgement, question.mode) ? 'reads' : undefined;
  return question.action.kind === 'tool' && question.tool !== undefined ? 'tool' : undefined;
}

/** Remembers the user's consent to the tool of a question, or to what only reads; false where it can't be given. */
export function grantAlways(next: Transition, id: QuestionId): boolean {
  const question = next.state.questions.find((one) => one.id === id);
  const grant = question && grantOf(question);
  if (question?.kind !== 'halt' || grant === undefined) return false;
  if (grant === 'reads') {
    next.state = { ...next.state, readsGranted: next.conversation.mode };
    next.notice('info', '[aish] commands that only read are not asked about again in this session');
    return true;
  }
  const { action, tool } = question;
  if (action.kind !== 'tool' || !tool) return false;
  next.state = { ...next.state, grants: { ...next.state.grants, [action.name]: tool.definition } };
  next.notice(
    'info',
    `[aish] ${action.name} is not asked about again in this session, as long as its definition stays the same`,
  );
  return true;
}

/** Whether a command only reads, in this mode. */
export function isRead({ looks }: Judgement, mode: Mode): boolean {
  return looks === true || (looks === 'held' && mode !== 'unrestricted');
}

/** A command that only reads needs no consent: the user has given it, or the kernel lets it do nothing else (AC-3). */
export function readsFreely(
  { state, conversation: { settings, mode } }: Pick<Transition, 'state' | 'conversation'>,
  judgement: Judgement,
): boolean {
  if (!isRead(judgement, mode)) return false;
  const { readsGranted: given } = state;
  // What was said where the kernel bounds it says nothing of a mode where it doesn't.
  if (given !== undefined && !isWider(mode, given)) return true;
  return settings.confirmCmd === 'acts' && mode !== 'unrestricted';
}

/** Whether the user has consented to this tool, defined just so. */
export function isGranted(within: Pick<Transition, 'state'>, action: Action, tool: ToolFacts | undefined): boolean {
  return action.kind === 'tool' && tool !== undefined && grantFor(within, action.name) === tool.definition;
}

/** The tool's facts, marked where the user had consented to another definition. */
export function withChange(next: Transition, action: Action, tool: ToolFacts): ToolFacts {
  const granted = action.kind === 'tool' ? grantFor(next, action.name) : undefined;
  return granted === undefined || granted === tool.definition ? tool : { ...tool, changed: true };
}

function grantFor({ state: { grants = {} } }: Pick<Transition, 'state'>, name: string): string | undefined {
  return Object.hasOwn(grants, name) ? grants[name] : undefined;
}
