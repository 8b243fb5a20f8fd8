/** The answers of a question as buttons: ` s skip ` has the focus, ` n ` a key and its word. Pure. */

import { textWidth } from '../../../text/display.ts';
import type { Paint } from '../../render/theme.ts';
import type { Choice } from './choice.ts';

/** A button as it stands on the screen, in cells from the top left. */
export type Button = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly choice: Choice;
  /** The words beside its key; empty where there is room for the key alone. */
  readonly words: string;
};

/** Cells between two buttons. */
const GAP = 2;
const NARROW_GAP = 1;
/** From so many columns on every button says all that it does. */
const WIDE = 84;
const NARROW = 60;
/** Answers that always have their word beside the key. */
const NAMED: ReadonlySet<Choice['answer']> = new Set(['skip', 'proceed', 'apply']);

/** The buttons side by side in as few rows as they need; `x` and `y` count from the first of them. */
export function placeButtons(choices: readonly Choice[], width: number, columns: number): readonly Button[] {
  const long = (choice: Choice) => choice.long ?? choice.label;
  const short = (choice: Choice) => choice.short ?? choice.label;
  const bare = (choice: Choice) => (NAMED.has(choice.answer) ? choice.label : '');
  const rows = columns < NARROW ? 1 : 2;
  const levels = columns >= WIDE ? [long, short] : [short];
  const placed = [...levels, bare].map((words) => place(choices, words, width, columns < NARROW ? NARROW_GAP : GAP));
  return placed.find((buttons) => (buttons.at(-1)?.y ?? 0) < rows) ?? placed.at(-1) ?? [];
}

function place(
  choices: readonly Choice[],
  words: (choice: Choice) => string,
  width: number,
  gap: number,
): readonly Button[] {
  let x = 0;
  let y = 0;
  return choices.map((choice) => {
    const text = words(choice);
    const taken = KEY + (text === '' ? 0 : textWidth(text) + 1);
    if (x > 0 && x + taken > width) {
      x = 0;
      y += 1;
    }
    const button = { x, y, width: taken, choice, words: text };
    x += taken + gap;
    return button;
  });
}

/** A key with a blank or a bracket at each side. */
const KEY = 3;

type State = { readonly focused: boolean; readonly works: boolean };

/** A button as text, as wide as it was placed. Without colours a key has brackets, and the focus too. */
export function drawButton({ choice, words }: Button, { focused, works }: State, paint: Paint): string {
  const { key, harmful = false } = choice;
  const colourless = paint('text', 'x') === 'x';
  const [open, close] = colourless ? ['(', ')'] : [' ', ' '];
  const behind = words === '' ? '' : ` ${words}`;
  if (!works) return paint('dim', `${open}${key}${close}${behind}`);
  if (focused) return paint('button', colourless ? `[${key}${behind}]` : ` ${key}${behind} `);
  return paint('cap', open + key + close) + paint(harmful ? 'error' : 'text', behind);
}
