/** Reviews in the queue of questions. They belong to no phase: the command's end waits for the answer. */
import type { Of } from './event.ts';
import { abort } from './stop.ts';
import type { Transition } from './transition.ts';

export function askReview(next: Transition, { review, about, command, items, diff }: Of<'reviewAsked'>): void {
  next.ask({ kind: 'review', review, about, command, items, diff });
}

/** It is carried out: the model and the transcript are told, and the question goes where nobody has answered it. */
export function takeReviewed(next: Transition, { review, text }: Of<'reviewed'>): void {
  const goes = next.state.questions.find((question) => question.kind === 'review' && question.review === review);
  if (goes) next.unask(goes.id);
  next.notice('info', `[aish] ${text}`);
  next.inbox({ kind: 'note', origin: 'aish', text: `[aish] ${text}` });
}

/** Whether `id` is a review; any answer takes it off the line, and an abort ends the run as well. */
export function answerReview(next: Transition, { question: id, answer }: Of<'answered'>): boolean {
  const found = next.state.questions.some((question) => question.kind === 'review' && question.id === id);
  if (!found) return false;
  next.unask(id);
  if (answer.kind === 'abort') abort(next);
  return true;
}
