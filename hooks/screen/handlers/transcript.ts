/** Keys while the keyboard moves the transcript: scrolling, searching, folding, copying (UI-2). */
import type { Count } from '../../transcript/search.ts';
import type { Screen } from '../screen.ts';
import { NO_PANEL } from '../ui.ts';
import type { Handlers } from './handler.ts';

/** Gives the keyboard to the transcript. */
export function enterTranscript(screen: Screen): void {
  screen.ui.update({ panel: { kind: 'scroll', note: '' } });
  screen.reader.enter();
}

function leave(screen: Screen): void {
  screen.ui.update({ panel: NO_PANEL });
  screen.reader.leave();
  screen.view.end();
}

/** Folds or unfolds an entry, by default the one that keys act on. */
export function fold(screen: Screen, key?: string): void {
  const problem = screen.reader.toggleFold(key);
  if (problem !== undefined) screen.hint(problem);
}

function search(screen: Screen): void {
  screen.reader.begin();
  screen.ui.update({ panel: { kind: 'find', text: '', note: '' } });
}

/** Another text was typed into the search. */
export function find(screen: Screen, text: string): void {
  screen.ui.update({ panel: { kind: 'find', text, note: counted(text, screen.reader.setQuery(text)) } });
}

/** Enter keeps the search, for the keys that go to the next match. */
export function endFind(screen: Screen): void {
  const { panel } = screen.ui.get();
  if (panel.kind === 'find') screen.ui.update({ panel: { kind: 'scroll', note: panel.note } });
}

export function cancelFind(screen: Screen): void {
  screen.reader.setQuery('');
  screen.ui.update({ panel: { kind: 'scroll', note: '' } });
}

function next(direction: -1 | 1) {
  return (screen: Screen) => {
    const { query } = screen.reader;
    if (query === '') return search(screen);
    screen.ui.update({ panel: { kind: 'scroll', note: counted(query, screen.reader.next(direction)) } });
  };
}

function counted(query: string, { index, count, more }: Count): string {
  if (query.trim() === '') return '';
  if (count === 0) return more ? `"${query}": still looking` : `"${query}": no match`;
  return `"${query}": ${index === 0 ? '?' : index} of ${count}${more ? '+' : ''}`;
}

export const transcriptHandlers: Handlers = {
  leaveTranscript: leave,
  scrollHalfUp: (screen) => screen.view.halfPage(-1),
  scrollHalfDown: (screen) => screen.view.halfPage(1),
  entryPrevious: (screen) => screen.reader.step(-1),
  entryNext: (screen) => screen.reader.step(1),
  toggleFold: (screen) => fold(screen),
  copyEntry: (screen) => screen.hint(screen.reader.copy()),
  search,
  searchNext: next(1),
  searchPrevious: next(-1),
};
