/** Questions of a fleet in the queue of questions. They belong to no phase: the fleet goes on beside the conversation. */
import type { Of } from './event.ts';
import type { Question } from './question.ts';
import type { Transition } from './transition.ts';

export function askFleet(next: Transition, event: Of<'fleetAsked'>): void {
  const { type: _type, session: _session, at: _at, ...question } = event;
  next.ask({ kind: 'fleet', ...question });
}

/** What it was about has changed, or the fleet is over. */
export function dropFleet(next: Transition, { fleet }: Of<'fleetGone'>): void {
  const goes = next.state.questions.find((question) => question.kind === 'fleet' && question.fleet === fleet);
  if (goes) next.unask(goes.id);
}

/** Whether `id` is one; any answer takes it off the line, and goes to the fleet past the machine. */
export function answerFleet(next: Transition, id: string): boolean {
  const isIt = (question: Question) => question.kind === 'fleet' && question.id === id;
  if (!next.state.questions.some(isIt)) return false;
  next.unask(id);
  return true;
}
