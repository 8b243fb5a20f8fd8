/** The panel between the transcript and the prompt, and the rows it takes, for drawing, clicks and scrolling. */

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
  /** `ending`: the lowest rows, which show how a session ended. */
  | {
      readonly kind: 'panel';
      readonly rows: number;
      readonly panel: Panel;
      readonly ending: number;
      readonly closed: boolean;
    };

/** Precedes the text of a field. */
export const FIELD_MARK = '› ';
/** The most cells of one entry in the list of keys; a narrow screen has one column. */
const WHICH_COLUMN = 40;
const CONFIRM_ROWS = 3;

/**
 * Chooses the panel; a question comes before everything else.
 * @param head the open question
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
    // A note is about the question, which stays in sight; a command being edited is in the field itself.
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
    : {
        ...{ kind: 'panel', rows, panel },
        ending: panel.kind === 'choices' ? endingRows(panel, main) : 0,
        closed: panel.kind === 'choices' && isClosed(panel, main),
      };
}

/** Returns the number of columns for the list of keys that may follow. */
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

/** Returns the rows for the title and as many items as fit. */
function listRows(panel: Choices, main: number): number {
  const most = panel.of === 'everything' ? 16 : 10;
  const room = main - 2 - (isClosed(panel, main) ? 1 : 0) - endingRows(panel, main);
  const rules = isClosed(panel, main) ? 2 : 1;
  return rules + Math.min(Math.max(1, panel.items.length), Math.max(1, Math.min(most, room)));
}

/** Returns whether a rule with the keys ends the list: not on few rows, nor above the end of a session. */
function isClosed(panel: Choices, main: number): boolean {
  return panel.of !== 'completion' && main >= CLOSED_MAIN && endingRows(panel, main) === 0;
}

const CLOSED_MAIN = 12;
/** The fewest rows with which the end of a session is shown. */
const ENDING_MAIN = 20;
const MAX_ENDING = 16;

/** Returns the rows below a list of sessions that show the end of the selected one. */
function endingRows({ of, items }: Choices, main: number): number {
  if (of !== 'sessions' || main < ENDING_MAIN || items.length === 0) return 0;
  return Math.min(MAX_ENDING, Math.floor(main / 2) - 1);
}

/** Returns the rows of a text field: mark, wrapped text, and the cursor after it. */
export function fieldRows(value: string, columns: number): number {
  const width = Math.max(1, columns - FIELD_MARK.length);
  return value.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil((textWidth(line) + 1) / width)), 0);
}
