/** Keys while the keyboard moves the transcript: scrolling, searching, folding, copying (UI-2). */
import type { Screen } from '../screen.ts';
import { blockHandlers } from './blocks.ts';
import type { Handlers } from './handler.ts';

/** Gives the keyboard to the transcript. */
export function enterTranscript(screen: Screen): void {
  screen.navigator.enter();
}

function leave(screen: Screen): void {
  screen.navigator.leave();
  screen.view.end();
}

/** Folds or unfolds an entry, by default the one that keys act on. */
export function fold(screen: Screen, key?: string): void {
  const problem = screen.navigator.toggleFold(key);
  if (problem !== undefined) screen.hint(problem);
}

function next(direction: -1 | 1) {
  return (screen: Screen) => {
    if (screen.navigator.query === '') screen.navigator.begin();
    else screen.navigator.next(direction);
  };
}

export const transcriptHandlers: Handlers = {
  ...blockHandlers,
  leaveTranscript: leave,
  scrollHalfUp: (screen) => screen.view.halfPage(-1),
  scrollHalfDown: (screen) => screen.view.halfPage(1),
  entryPrevious: (screen) => void screen.navigator.step(-1),
  entryNext: (screen) => void screen.navigator.step(1),
  toggleFold: (screen) => fold(screen),
  copyEntry: (screen) => screen.hint(screen.navigator.copy()),
  search: (screen) => screen.navigator.begin(),
  searchNext: next(1),
  searchPrevious: next(-1),
};
