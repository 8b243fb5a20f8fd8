/**
 * The list of earlier sessions, searched while typing, with the end of the selected one (RE-7). Enter resumes it, as a
 * copy where it is open elsewhere.
 */
import type { App, ScreenPort } from '../../commands/app.ts';
import { submitLine } from '../../commands/submit.ts';
import type { SessionMoment, SessionSummary } from '../../contracts/store.ts';
import { graphemes, shortPath, textWidth } from '../../text/display.ts';
import { plainText, visible } from '../../text/sanitize.ts';
import { stripStyles } from '../../text/style.ts';

import { wrapText } from '../../text/wrap.ts';
import { fuzzySearch } from '../editor/fuzzy.ts';
import { cut } from '../render/segments.ts';
import { onGround, type RenderContext, type Role } from '../render/theme.ts';
import { GUTTER, headingLines, withGutter } from './entries/frame.ts';
import { proseLines } from './entries/prose.ts';
import { NO_PANEL, type PanelItem, type Store, type Ui } from './ui.ts';

/** The parts of the screen that the list needs. */
type Face = { readonly app: App; readonly ui: Store<Ui>; hint(text: string): void };

const MAX_MATCHES = 50;
const DAY_MS = 24 * 3600 * 1000;
/** Widths in cells: the time, and the first question (least and most). */
const [TIME, MIN_TITLE, MAX_TITLE] = [12, 12, 70];
/** The most cells of a directory and of a branch. */
const [MAX_PLACE, MAX_BRANCH] = [24, 16];

/** Opens the list: sessions of this directory first, the newest first. */
export function pickSession(screen: Face, sessions: readonly SessionSummary[]): void {
  const here = screen.app.engine.shellCwd;
  const sorted = [...sessions.filter(({ cwd }) => cwd === here), ...sessions.filter(({ cwd }) => cwd !== here)];
  const all = sessionItems(screen, sorted);
  const find = (query: string): readonly PanelItem[] => {
    if (query.trim() === '') return all;
    const titles = sorted.map(({ title, id }) => `${title}\n${id}`);
    // The search takes the last item for the newest.
    const found = fuzzySearch(titles.toReversed(), query, MAX_MATCHES).map(({ text }) => all[titles.indexOf(text)]);
    const there = all.filter(({ note, text }) => `${note} ${text}`.includes(query));
    return [...new Set([...found.flatMap((item) => item ?? []), ...there])];
  };
  screen.ui.update({ panel: { kind: 'choices', of: 'sessions', query: '', items: all, index: 0, start: 0, find } });
}

/** Opens a list of lines to send. */
export function pickLine(screen: Face, of: 'setup', choices: Parameters<ScreenPort['choose']>[1]): void {
  const all = choices.map(({ line, label, note }) => {
    const run = () => {
      screen.ui.update({ panel: NO_PANEL });
      void submitLine(screen.app, line, screen.app.classify(line));
    };
    return { text: line, label, note, run };
  });
  const find = (query: string) =>
    all.filter(({ label, note }) => `${label} ${note}`.toLowerCase().includes(query.toLowerCase()));
  screen.ui.update({ panel: { kind: 'choices', of, query: '', items: all, index: 0, start: 0, find } });
}

/** Returns each session as a line that resumes it, with its time, first question and directory. */
export function sessionItems(
  screen: Face,
  sessions: readonly SessionSummary[],
): readonly (PanelItem & Required<Pick<PanelItem, 'label' | 'note' | 'run'>>)[] {
  const now = screen.app.engine.services.now();
  const places = sessions.map(({ cwd, open }) => (open ? 'open elsewhere: a copy' : shortPath(visible(cwd))));
  const branches = sessions.map(({ branch = '' }) => visible(branch));
  const turns = sessions.map(({ turns }) => (turns ? `${turns} ${turns === 1 ? 'turn ' : 'turns'}` : ''));
  const widest = (texts: readonly string[], most: number) => Math.min(most, Math.max(0, ...texts.map(textWidth)) + 2);
  const [place, branch, counted] = [widest(places, MAX_PLACE), widest(branches, MAX_BRANCH), widest(turns, MAX_BRANCH)];
  // Beside the three columns: the mark, the blanks between, and the last column of the screen.
  const beside = TIME + 5 + place + branch + counted;
  const room = Math.max(MIN_TITLE, Math.min(MAX_TITLE, screen.ui.get().size.columns - beside));
  return sessions.map((session, at) => {
    const { id, lastAt, title, open = false } = session;
    const text = `:sessions ${id}${open ? ' fork' : ''}`;
    const label = `${timeOf(lastAt, now).padEnd(TIME)} ${fitted(withoutMarks(visible(title)), room)}`;
    const note = [
      fitted(places[at] ?? '', place),
      ...(branch > 2 ? [fitted(branches[at] ?? '', branch)] : []),
      (turns[at] ?? '').padStart(counted - 2),
    ].join('');
    const run = () => {
      screen.ui.update({ panel: NO_PANEL });
      const why = screen.app.sessions.resume(session, open);
      if (why !== undefined) screen.hint(why);
    };
    const ending = () => screen.app.sessions.ending(id);
    return { text, label, note, run, ending };
  });
}

/** Returns `today 14:02`, `Fri 20 Nov` or `2025-11-03`, in local time. */
function timeOf(at: number, now: number): string {
  const date = new Date(at);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) return `today ${two(date.getHours())}:${two(date.getMinutes())}`;
  if (now - at > 300 * DAY_MS) return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return date.toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' }).replace(',', '');
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** Returns a line without the signs of Markdown around its words. */
function withoutMarks(line: string): string {
  return line
    .replace(/^\s*(?:#{1,6}|[-*>]) +/, '')
    .replace(/!?\[([^\]]*)\]\((?:https?:|\.{0,2}\/|#)[^)\s]*\)/g, '$1')
    .replace(/(\*\*|__|`+)(.+?)\1/g, '$2');
}

/** Fits a text to an exact number of cells, so that the next text starts a column. */
function fitted(text: string, room: number): string {
  let shown = '';
  for (const each of graphemes(text)) {
    if (textWidth(shown + each) > room - 1) return `${shown}…`.padEnd(shown.length + room - textWidth(shown));
    shown += each;
  }
  return shown + ' '.repeat(room - textWidth(shown));
}

// The end of a session, as rows below the list: the newest entry is the lowest.

/** The most rows of an answer. */
const MAX_SAID = 3;
/** The most columns of prose. */
const MAX_WIDTH = 100;

const HEADS = {
  asked: ['?', 'accent'],
  goal: ['»', 'accent'],
  ran: ['❯', 'user'],
} as const satisfies Partial<Record<SessionMoment['kind'], readonly [glyph: string, role: Role]>>;

/** Returns as many of the last entries as fit into `rows` rows. */
export function endingLines(moments: readonly SessionMoment[], rows: number, context: RenderContext): string[] {
  const shown: string[][] = [];
  let room = rows;
  for (const moment of moments.toReversed()) {
    const lines = momentLines(moment, context);
    if (lines.length > room) break;
    room -= lines.length;
    shown.unshift(lines);
  }
  return shown.flat();
}

function momentLines({ kind, text, exit }: SessionMoment, context: RenderContext): string[] {
  const { paint, theme, width } = context;
  const room = Math.max(1, Math.min(width, MAX_WIDTH) - GUTTER);
  if (kind === 'said') {
    const lines = proseLines(plainText(text), { ...context, width: room }).filter(
      (line) => stripStyles(line).trim() !== '',
    );
    const first = lines.slice(0, MAX_SAID);
    if (lines.length > MAX_SAID) first[MAX_SAID - 1] = `${wrapText(first[MAX_SAID - 1] ?? '', room - 2)[0] ?? ''} …`;
    return withGutter(first, { first: `${paint('accent', '●')} `, rest: '  ' });
  }
  if (kind === 'aborted') return [`${paint('dim', '○')} ${paint('dim', text)}`];
  const [glyph, role] = HEADS[kind];
  const right =
    exit === undefined ? '' : exit === 0 ? paint('success', '✓') : paint('error', exit === null ? '✗' : `✗ ${exit}`);
  const line = cut(withoutMarks(plainText(text)).replace(/\s*\n\s*/g, ' ⏎ '), Math.max(1, width - GUTTER - 8));
  return headingLines({ glyph, role, text: paint('strong', line), right }, context)
    .slice(0, 1)
    .map((row) => onGround(row, theme.raise, width));
}
