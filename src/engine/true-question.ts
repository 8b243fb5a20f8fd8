/** The question as its user has to see it. */

import type { Services } from '../contracts/services.ts';
import type { Question } from '../session/question.ts';
import type { Written } from './written.ts';

type Known = { readonly services: Pick<Services, 'secrets'>; readonly written: Written };

/** A question never changes, nor does what its handles stand for. */
const shown = new WeakMap<Question, Question>();

/**
 * The question in the true words. Of an action it is the very text that was judged and that runs: with the quotes around a
 * secret, and with handles where handles are what goes out.
 */
export function revealQuestion(known: Known, question: Question): Question {
  const before = shown.get(question);
  if (before) return before;
  const made = withJudged(known, question, known.services.secrets.reveal(question));
  shown.set(question, made);
  return made;
}

function withJudged({ services, written }: Known, question: Question, revealed: Question): Question {
  if (question.kind !== 'halt' || revealed.kind !== 'halt') return revealed;
  const restored = services.secrets.restore(question.action, written.of(question.session, question.action));
  return restored.kind === 'ready' ? { ...revealed, action: restored.judged } : revealed;
}
