/**
 * What lies between the transcript and the prompt, and the rows it takes: for the picture, and for clicks and
 * scrolling.
 */

import type { Question } from '../../session/question.ts';
import { textWidth } from '../../text/display.ts';
import type { Pending } from '../keymap/resolver.ts';
import { innerWidth, layoutQuestion, type QuestionLayout } from './halt/layout.ts';
import { type QuestionWords, wordsOf } from './halt/words.ts';
import type { Panel, QuestionUi, Ui } from './ui.ts';

export type Overlay =
  | { readonly kind: 'none'; readonly rows: 0 }
  | {
      readonly kind: 'question';
      readonly rows: number;
      readonly words: QuestionWords;
      readonly question: QuestionUi;
      readonly layout: QuestionLayout;
    }
  | { readonly kind: 'which'; readonly rows: number; readonly pending: Pending }
  /** `ending`: the lowest of its rows, for how a session ended. */
  | { readonly kind: 'panel'; readonly rows: number; readonly panel: Panel; readonly ending: number };

/** Stands before the text of a field. */
export const FIELD_MARK = '› ';
/** Cells of one entry of the list of keys at most; on a narrow screen there is one column. */
const WHICH_COLUMN = 40;
const CONFIRM_ROWS = 3;

/**
 * A question comes before everything else.
 * @param head the question on screen
 * @param main the rows of the screen above the prompt
 */
export function overlayOf(
  head: Question | undefined,
  { question, panel, which }: Pick<Ui, 'question' | 'panel' | 'which'>,
  columns: number,
  main: number,
): Overlay {
  if (head && question?.id === head.id) {
    const words = wordsOf(head, question);
    const edit = question.edit === undefined ? 0 : fieldRows(question.edit, innerWidth(columns));
    // A note is about what is asked, which stays in sight; a command that is edited stands in the field itself.
    const beside = question.noting ? edit : 0;
    const layout = layoutQuestion(words, { columns, rows: main - beside, bottom: main, top: question.top });
    const rows = layout.height + (edit === 0 || question.noting ? edit : edit - layout.shown);
    return { kind: 'question', rows: Math.min(main, rows), words, question, layout };
  }
  if (which) {
    const rows = 1 + Math.ceil(which.follows.length / whichColumns(columns));
    return { kind: 'which', rows: Math.min(main, rows), pending: which };
  }
  const rows = panelRows(panel, columns, main);
  return rows === 0
    ? { kind: 'none', rows: 0 }
    : { kind: 'panel', rows, panel, ending: panel.kind === 'choices' ? endingRows(panel, main) : 0 };
}

/** Columns of the list of keys that may follow. */
export function whichColumns(columns: number): number {
  return Math.max(1, Math.floor(columns / WHICH_COLUMN));
}

function panelRows(panel: Panel, columns: number, main: number): number {
  switch (panel.kind) {
    case 'none':
    case 'scroll':
      return 0;
    case 'find':
      return Math.min(main, 1 + fieldRows(panel.text, columns));
    case 'help':
      return main;
    case 'goal':
      return Math.min(main, 2 + fieldRows(panel.text, columns));
    case 'confirmAbort':
      return Math.min(main, CONFIRM_ROWS);
    case 'choices':
      return listRows(panel, main) + endingRows(panel, main);
  }
}

type Choices = Extract<Panel, { kind: 'choices' }>;

/** Its title and what there is room for. */
function listRows(panel: Choices, main: number): number {
  const most = panel.of === 'everything' ? 16 : 10;
  return 1 + Math.min(Math.max(1, panel.items.length), Math.max(1, Math.min(most, main - 2 - endingRows(panel, main))));
}

/** From so many rows on there is room for how a session ended. */
const ENDING_MAIN = 20;
const MAX_ENDING = 16;

/** The rows below a list of sessions that show how the chosen one ended. */
function endingRows({ of, items }: Choices, main: number): number {
  if (of !== 'sessions' || main < ENDING_MAIN || items.length === 0) return 0;
  return Math.min(MAX_ENDING, Math.floor(main / 2) - 1);
}

/** Its mark, the text and the cursor behind it, wrapped. */
export function fieldRows(value: string, columns: number): number {
  const width = Math.max(1, columns - FIELD_MARK.length);
  return value.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil((textWidth(line) + 1) / width)), 0);
}
