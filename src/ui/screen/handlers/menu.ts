/** Tab completion and the search of the history: a list of choices above the prompt (IN-5, IN-6). */
import type { Completion, Completions } from '../../../contracts/lines.ts';
import type { LineFacts } from '../../../contracts/store.ts';
import { setText } from '../../editor/commands.ts';
import { fuzzySearch } from '../../editor/fuzzy.ts';
import { expand } from '../../editor/state.ts';
import type { KeyToken } from '../../terminal/token.ts';
import type { Screen } from '../screen.ts';
import { NO_PANEL, type Panel } from '../ui.ts';
import type { Handlers } from './global.ts';

// Tab (IN-6): inserts the only completion, or the common start of all, or opens a list. Typing is possible while
// completions are looked up.

/** The delay after which a hint says that a completion is awaited, and the next one says what it waits for. */
const HINTS = [
  [200, 'completing…'],
  [1000, 'the shell is still loading: it completes then, or type on'],
] as const;

const NOTHING: Completions = { start: 0, items: [] };

export async function complete(screen: Screen): Promise<void> {
  const { editor } = screen.ui.get();
  if (editor.text.slice(0, editor.cursor).trim() === '') return screen.hint('type the first letters, then Tab');
  // Another key changes the editor, and cancels the request.
  const asked = new AbortController();
  const stop = screen.ui.subscribe(() => {
    if (screen.ui.get().editor !== editor) asked.abort();
  });
  const hints = HINTS.map(([delay, text]) => screen.schedule(() => screen.hint(text), delay));
  // A failed lookup offers nothing.
  const found = await screen.app.complete(editor.text, editor.cursor, asked.signal).catch(() => NOTHING);
  stop();
  for (const end of hints) end();
  const { editor: now, panel, question } = screen.ui.get();
  if (now !== editor || panel.kind !== 'none' || question) return;
  screen.ui.update({ hint: undefined });
  const { start, items } = found;
  const [only] = items;
  if (only === undefined) return screen.hint('nothing to complete');
  if (items.length === 1) return putCompletion(screen, start, only);
  const typed = editor.text.slice(start, editor.cursor);
  const common = commonStart(items.map((item) => item.text));
  if (common.length > typed.length) replaceBack(screen, start, common);
  screen.ui.update({ panel: { kind: 'choices', of: 'completion', query: '', items, index: 0, start } });
}

/** Replaces the text from `start` on by a completion, followed by a blank if the word is complete. */
function putCompletion(screen: Screen, start: number, { text, open }: Completion): void {
  const { editor } = screen.ui.get();
  const behind = editor.text.slice(editor.cursor);
  const quote = open ? '' : openQuote(editor.text.slice(0, start));
  replaceBack(screen, start, text + quote + (open || /^\s/.test(behind) ? '' : ' '));
}

/** Returns the quote directly before the word, if the quote opens there. */
function openQuote(before: string): string {
  return /(?:^|[\s=:])(["'])$/.exec(before)?.[1] ?? '';
}

function replaceBack(screen: Screen, start: number, text: string): void {
  const { editor } = screen.ui.get();
  const whole = editor.text.slice(0, start) + text + editor.text.slice(editor.cursor);
  screen.setEditor(setText(editor, whole, start + text.length));
}

/** Returns the common start of all texts, in whole characters. */
function commonStart(texts: readonly string[]): string {
  let common = texts[0] ?? '';
  for (const text of texts) while (!text.startsWith(common)) common = common.slice(0, -1);
  // Half a surrogate pair, and a backslash without the character it escapes, are cut off.
  return common.toWellFormed() === common ? common.replace(/(^|[^\\])((?:\\\\)*)\\$/, '$1$2') : common.slice(0, -1);
}

type Choices = Extract<Panel, { kind: 'choices' }>;

/** The most matches that a search shows. */
const MAX_MATCHES = 200;

function open(screen: Screen): Choices | undefined {
  const { panel } = screen.ui.get();
  return panel.kind === 'choices' ? panel : undefined;
}

/** Ctrl-R: opens the search that the user's shell binds to it, else ours. */
export function searchHistory(screen: Screen): void {
  const query = expand(screen.ui.get().editor).trim();
  const { editor, size } = screen.ui.get();
  const own = screen.fullScreen.search((onData) => screen.app.ownSearch(query, size, onData));
  if (own) {
    void own.then((line) => {
      if (line !== undefined) screen.setEditor(setText(editor, line));
    });
    return;
  }
  const items = search(screen, query);
  screen.ui.update({ panel: { kind: 'choices', of: 'history', query, items, index: 0, start: 0 } });
}

function search(screen: Screen, query: string): readonly Completion[] {
  const { history, engine } = screen.app;
  const now = engine.services.now();
  return fuzzySearch(screen.recall.history.lines(), query, MAX_MATCHES).map(({ text }) => {
    const note = history.isAgents(text) ? 'the model ran it' : factsNote(history.factsOf(text), now);
    return note === '' ? { text } : { text, note };
  });
}

/** Returns `3 d · ~/src · ✗ 1`: when a line ran, where, and its exit code, as far as known. */
function factsNote({ at, cwd, exit }: LineFacts = {}, now: number): string {
  const home = process.env.HOME ?? '';
  const place = home !== '' && cwd?.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd;
  const parts = [at === undefined ? '' : ageOf(now - at), place ?? '', exit ? `✗ ${exit}` : ''];
  return parts.filter((part) => part !== '').join(' · ');
}

function ageOf(milliseconds: number): string {
  const minutes = Math.max(0, Math.round(milliseconds / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} d`;
}

function take(screen: Screen): void {
  const panel = open(screen);
  const item = panel?.items[panel.index];
  screen.ui.update({ panel: NO_PANEL });
  if (!panel || item === undefined) return;
  const { editor } = screen.ui.get();
  if (item.run) return item.run();
  if (panel.of === 'history') return screen.setEditor(setText(editor, item.text));
  putCompletion(screen, panel.start, item);
}

function move(by: number) {
  return (screen: Screen) => {
    const panel = open(screen);
    if (!panel || panel.items.length === 0) return;
    const last = panel.items.length - 1;
    // One step past an end wraps around; a page stops at the end.
    const next = panel.index + by;
    const index = Math.abs(by) > 1 ? Math.max(0, Math.min(last, next)) : (next + last + 1) % (last + 1);
    screen.ui.update({ panel: { ...panel, index } });
  };
}

function setQuery(screen: Screen, query: string): void {
  const panel = open(screen);
  if (panel)
    screen.ui.update({ panel: { ...panel, query, items: panel.find?.(query) ?? search(screen, query), index: 0 } });
}

/** Whether the list is about the line as typed; otherwise it is a search of its own. */
function belongsToLine({ of }: Choices): boolean {
  return of === 'completion' || of === 'commands';
}

/** Handles a typed key: a search takes it; a completion is closed, and the key goes to the prompt. */
export function typeIntoMenu(screen: Screen, key: KeyToken): void {
  const panel = open(screen);
  if (!panel || key.text === undefined) return;
  if (!belongsToLine(panel)) return setQuery(screen, panel.query + key.text);
  screen.ui.update({ panel: NO_PANEL });
  screen.type(key.text);
}

export const menuHandlers: Handlers = {
  next: move(1),
  previous: move(-1),
  pageNext: move(8),
  pagePrevious: move(-8),
  choose: take,
  edit: take,
  deleteBack(screen) {
    const panel = open(screen);
    if (panel && !belongsToLine(panel)) return setQuery(screen, [...panel.query].slice(0, -1).join(''));
    screen.ui.update({ panel: NO_PANEL });
    screen.edit('deleteBack');
  },
  clear: (screen) => setQuery(screen, ''),
  cancel: (screen) => screen.ui.update({ panel: NO_PANEL }),
};
