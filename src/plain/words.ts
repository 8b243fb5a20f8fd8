/** Questions and running programs in plain sentences, for the mode that only writes lines. Pure. */

import { type Choice, wordsOf } from '../screen/question.ts';
import type { Question } from '../session/question.ts';
import { plainText } from '../text/sanitize.ts';

/** What can be answered here: a form has fields to fill in, for which the full screen is needed. */
function choicesOf(question: Question): readonly Choice[] {
  const { choices } = wordsOf(question);
  return question.kind === 'form' ? choices.filter(({ answer }) => answer !== 'proceed') : choices;
}

/** The whole question, one line for each fact, the answers last. */
export function questionLines(question: Question): readonly string[] {
  const { title, reasons, action, tree, claims, impact, place } = wordsOf(question);
  const answers = choicesOf(question).map(({ label }) => label);
  return [
    `Question: ${title}`,
    ...reasons,
    ...(action === '' ? [] : [`Command: ${action}`]),
    ...tree.map(({ text }) => text),
    ...claims,
    ...impact.map((line) => `At stake: ${line}`),
    ...(place === '' ? [] : [place]),
    `Answer with a whole word: ${answers.join(', ')}.`,
  ];
}

/** The answer that a typed line is; a whole word, since a letter is typed too easily. */
export function answerOf(question: Question, line: string): Choice['answer'] | undefined {
  const word = line.trim().toLowerCase();
  return choicesOf(question).find(({ label }) => label.toLowerCase() === word)?.answer;
}

/** What a program that waits is asking. */
export function askingLine(prompt: string, asker: string | undefined, hidden: boolean): string {
  const what = plainText(prompt).trim();
  const who = asker === undefined ? 'The program' : asker;
  return `${who} waits for input${what === '' ? '' : `: ${what}`}${hidden ? ' (what you type is not shown)' : ''}`;
}
