/** The wheel scrolls; a click presses a button of a question. */
import type { MouseToken } from '../../terminal/token.ts';
import type { Screen } from '../screen.ts';
import { give } from './dialogs.ts';

export function pressMouse(screen: Screen, mouse: MouseToken): void {
  if (mouse.action === 'wheel') {
    if (mouse.direction === 'up') screen.wheel(-1);
    else if (mouse.direction === 'down') screen.wheel(1);
    return;
  }
  if (mouse.action !== 'press' || mouse.button !== 'left' || screen.ui.get().question?.edit !== undefined) return;
  const button = screen.questionLayout?.buttons.find(
    ({ x, y, width }) => mouse.y === y && mouse.x >= x && mouse.x < x + width,
  );
  if (button) give(screen, button.answer);
}
