/** Where everything of a question stands. The whole action is reachable: what does not fit scrolls (HA-1). */

import { cut } from '../render/segments.ts';
import { textWidth } from '../text/width.ts';
import { wrapText } from '../text/wrap.ts';
import type { Choice, QuestionWords } from './question.ts';

/** A button as it stands on the screen, in cells from the top left. */
type Button = { readonly x: number; readonly y: number; readonly width: number; readonly answer: Choice['answer'] };

export type QuestionLayout = {
  /** Rows it takes, at the bottom of the main part. */
  readonly height: number;
  readonly reasons: readonly string[];
  /** The lines of action and impact, and the window of them that is shown. */
  readonly body: readonly BodyLine[];
  readonly top: number;
  readonly shown: number;
  readonly buttons: readonly Button[];
};

type BodyLine = { readonly kind: 'action' | 'tree' | 'claim' | 'impact'; readonly text: string };

/** Rule above, place, rule below; the rows of buttons come on top. */
const FIXED = 3;
const INDENT = 2;
const MAX_REASONS = 3;

/** The text of a button; its letter is the key. */
export function buttonText(label: string, key: string): string {
  return ` ${label} (${key}) `;
}

/** Lays a question out in at most `rows` rows that end at row `bottom` of the screen (exclusive). */
export function layoutQuestion(
  words: QuestionWords,
  { columns, rows, bottom, top: wantedTop }: { columns: number; rows: number; bottom: number; top: number },
): QuestionLayout {
  const width = Math.max(1, columns - INDENT);
  const body = bodyOf(words, width);
  const buttons = buttonsOf(words, columns);
  const buttonRows = (buttons.at(-1)?.y ?? 0) + 1;
  const fixed = FIXED + buttonRows - (words.place === '' ? 1 : 0);
  const needed = words.reasons.flatMap((reason) => wrapText(reason, width));
  // The action has the better claim to a small screen than the words about it.
  const most = Math.max(1, Math.min(MAX_REASONS, rows - fixed - Math.min(body.length, 3)));
  const reasons = needed.length > most ? [...needed.slice(0, most - 1), cut(`${needed[most - 1]} …`, width)] : needed;
  const shown = Math.max(0, Math.min(body.length, rows - fixed - reasons.length));
  const top = Math.max(0, Math.min(wantedTop, body.length - shown));
  const height = fixed + reasons.length + shown;
  const above = bottom - 1 - buttonRows;
  return { height, reasons, body, top, shown, buttons: buttons.map((button) => ({ ...button, y: above + button.y })) };
}

function bodyOf(words: QuestionWords, width: number): readonly BodyLine[] {
  const action = words.action === '' ? [] : wrapText(words.action, width, { mode: 'hard' });
  const tree = words.tree.flatMap(({ text, indent }) => wrapText(text, width, { mode: 'hard', indent }));
  const claims = words.claims.flatMap((line) => wrapText(line, width, { mode: 'hard', indent: '  ' }));
  const impact = words.impact.flatMap((line) => wrapText(line, width, { mode: 'hard' }));
  return [
    ...action.map((text): BodyLine => ({ kind: 'action', text })),
    ...tree.map((text): BodyLine => ({ kind: 'tree', text })),
    ...impact.map((text): BodyLine => ({ kind: 'impact', text })),
    ...claims.map((text): BodyLine => ({ kind: 'claim', text })),
  ];
}

/** The buttons side by side, in as many rows as it takes; `y` counts from the first of them. */
function buttonsOf(words: QuestionWords, columns: number): readonly Button[] {
  let x = INDENT;
  let y = 0;
  return words.choices.map(({ answer, label, key }) => {
    const width = textWidth(buttonText(label, key));
    if (x > INDENT && x + width > columns) {
      x = INDENT;
      y += 1;
    }
    const button = { x, y, width, answer };
    x += width + 1;
    return button;
  });
}
