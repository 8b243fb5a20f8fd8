/** Consent that lasts for a session: given for one tool as it was defined then, and never for a destructive call (SF-10). */
import type { Action, ToolFacts } from './action.ts';
import type { QuestionId } from './ids.ts';
import type { Question } from './question.ts';
import type { Transition } from './transition.ts';

/** Whether a question may be answered with `always`. */
export function isGrantable(question: Question): boolean {
  return (
    question.kind === 'halt' &&
    question.action.kind === 'tool' &&
    question.tool !== undefined &&
    !question.judgement.destructive
  );
}

/** Remembers the user's consent to the tool of a question; false where it can't be given. */
export function grantTool(next: Transition, id: QuestionId): boolean {
  const question = next.state.questions.find((one) => one.id === id);
  if (question?.kind !== 'halt' || !isGrantable(question)) return false;
  const { action, tool } = question;
  if (action.kind !== 'tool' || !tool) return false;
  next.state = { ...next.state, grants: { ...next.state.grants, [action.name]: tool.definition } };
  next.notice(
    'info',
    `[aish] ${action.name} is not asked about again in this session, as long as its definition stays the same`,
  );
  return true;
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
