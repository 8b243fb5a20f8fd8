/** The wheel scrolls; a click presses a button of a question. */
import type { MouseToken } from '../../terminal/token.ts';
import type { Screen } from '../screen.ts';

/** Lines for one report of the wheel; terminals send one to nine of them for a notch. */
const WHEEL_LINES = 2;

export function pressMouse(screen: Screen, mouse: MouseToken): void {
  if (mouse.action === 'wheel') {
    if (mouse.direction === 'up') screen.view.by(-WHEEL_LINES);
    else if (mouse.direction === 'down') screen.view.by(WHEEL_LINES);
    return;
  }
  if (mouse.action !== 'press' || mouse.button !== 'left' || screen.ui.get().question?.edit !== undefined) return;
  const button = screen.buttons.find(({ x, y, width }) => mouse.y === y && mouse.x >= x && mouse.x < x + width);
  if (button) screen.questions.answer({ kind: button.answer });
}
