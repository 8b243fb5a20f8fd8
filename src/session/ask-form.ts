/** A server's form in the queue of questions. It belongs to no phase: only the server waits for it. */
import type { Of } from './event.ts';
import type { Question } from './question.ts';
import type { Transition } from './transition.ts';

/** Puts a form into the line. */
export function askForm(next: Transition, { form, server, message, fields }: Of<'formAsked'>) {
  next.ask({ kind: 'form', form, server, message, fields });
}

/** Takes a form off the line, or all of them, reviews and a fleet's questions: who waited for them is gone with the program that closed. */
export function dropForms(next: Transition, form?: string): void {
  const stays = (q: Question) => {
    if (q.kind === 'review' || q.kind === 'fleet') return form !== undefined;
    return q.kind !== 'form' || (form !== undefined && q.form !== form);
  };
  next.state = { ...next.state, questions: next.state.questions.filter(stays) };
}

/** Whether `id` is a form; any answer takes it off the line. Its values go to the server past the machine. */
export function answerForm(next: Transition, id: string): boolean {
  const found = next.state.questions.some((question) => question.kind === 'form' && question.id === id);
  if (found) next.unask(id);
  return found;
}
