/** Short answers to a question that the model has just asked. */
import { answers } from './vocabulary.ts';

/**
 * True for `yes`, `continue`, `do it`, `no thanks` and the like. After a question of the model such a line goes to the
 * model, although `yes` and `continue` are commands too; at any other time `classify` alone decides.
 */
export function isAffirmation(line: string): boolean {
  const plain = line
    .trim()
    .toLowerCase()
    .replaceAll("'", '’')
    .replace(/[,!.\s]+/g, ' ')
    .trim();
  return answers.has(plain);
}
