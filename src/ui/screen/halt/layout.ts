/** Computes the layout of a question. The whole action is reachable: what does not fit scrolls (HA-1). */

import { textWidth } from '../../../text/display.ts';
import { lineWidth, wrapText } from '../../../text/wrap.ts';
import { cut } from '../../render/segments.ts';
import type { Paint } from '../../render/theme.ts';
import type { Choice } from './choices.ts';
import type { Place, QuestionWords } from './words.ts';

export type QuestionLayout = {
  /** The rows that it takes at the bottom of the main part. */
  readonly height: number;
  /** The cells from border to border, and from the border to the text. */
  readonly width: number;
  readonly inset: number;
  /** Whether empty rows separate its parts. */
  readonly airy: boolean;
  readonly reasons: readonly string[];
  /** The lines of action and impact, and the visible window of them. */
  readonly body: readonly BodyLine[];
  readonly top: number;
  readonly shown: number;
  /** The number of rows above the body. */
  readonly above: number;
  /** Where the action would run, if that has a row of its own. */
  readonly place: string;
  /** How many lines from the first on must have been on screen before the action may run. */
  readonly mustSee: number;
  readonly columns: number;
  /** Whether there is not even room for one dangerous part; then no action may run here. */
  readonly tooSmall: boolean;
  readonly buttons: readonly Button[];
};

export type BodyLine = {
  readonly kind:
    | 'verb'
    | 'part'
    | 'impact'
    | 'heading'
    | 'action'
    | 'tree'
    | 'added'
    | 'removed'
    | 'hunk'
    | 'claim'
    | 'place'
    | 'note'
    | 'help'
    | 'gap';
  readonly text: string;
  /** Shown at the right end of the line. */
  readonly right?: string;
};

/** Precedes every line of the command, so that the command can't imitate the dialog. */
export const GUTTER = '┆ ';
/** Precedes every line of the model's own words, which follow all facts. */
const SAID = '│ ';
/** The same for a continuation of the line above. */
const WRAPPED = '┆↪';
/** A wider panel would make it hard to find the end of a row. */
const MAX_WIDTH = 110;
/** On fewer columns everything is closer to the border. */
const WIDE_COLUMNS = 60;
/** On fewer rows the place scrolls with the rest. */
const ROOMY_ROWS = 12;
/** On fewer rows there are no empty ones. */
const AIRY_ROWS = 20;
/** The lines that a dangerous part needs to be shown at all. */
const MIN_SHOWN = 3;
/** How many lines of arguments must be scrolled through; a file's whole content need not be. */
const MAX_TREE_TO_SEE = 100;
/** The upper and the lower edge. */
const EDGES = 2;
/** The width of a number with the text after it. */
const NUMBER = 3;
const MAX_REASONS = 3;

/** Whether everything that must be seen was on screen; on a screen that is too small, never. */
export function isSeen(
  { mustSee, columns, tooSmall }: QuestionLayout,
  seen: { readonly columns: number; readonly to: number } | undefined,
): boolean {
  return !tooSmall && (mustSee === 0 || (seen?.columns === columns && seen.to >= mustSee));
}

/** Returns the width of a question's text for a number of columns. */
export function innerWidth(columns: number): number {
  return Math.max(1, Math.min(columns, MAX_WIDTH) - 2 * insetOf(columns));
}

function insetOf(columns: number): number {
  return columns < WIDE_COLUMNS ? 2 : 3;
}

type Space = { readonly columns: number; readonly rows: number; readonly bottom: number; readonly top: number };

/** Lays out a question in at most `rows` rows that end above row `bottom` of the screen. */
export function layoutQuestion(words: QuestionWords, space: Space): QuestionLayout {
  if (space.rows < AIRY_ROWS) return layOut(words, space, false);
  const airy = layOut(words, space, true);
  // Showing what would be lost has priority over empty rows.
  return airy.shown < airy.body.length ? layOut(words, space, false) : airy;
}

function layOut(words: QuestionWords, { columns, rows, bottom, top: wantedTop }: Space, airy: boolean): QuestionLayout {
  const width = innerWidth(columns);
  const roomy = rows >= ROOMY_ROWS;
  const [body, mustSee] = bodyOf(words, width, { roomy, airy });
  const buttons = placeButtons(words.choices, width, columns);
  const buttonRows = (buttons.at(-1)?.y ?? 0) + 1;
  const place = roomy ? placeText(words.place, width) : '';
  const air = airy ? (place === '' ? 2 : 3) : 0;
  const fixed = EDGES + buttonRows + (place === '' ? 0 : 1) + air;
  const said = roomy ? [...words.reasons, ...words.notes] : words.reasons;
  const needed = said.flatMap((reason) => wrapText(reason, width));
  // On a small screen the action has priority over the words that explain it.
  const most = Math.max(1, Math.min(MAX_REASONS, rows - fixed - Math.min(body.length, 3)));
  const reasons = needed.length > most ? [...needed.slice(0, most - 1), cut(`${needed[most - 1]} …`, width)] : needed;
  const shown = Math.max(0, Math.min(body.length, rows - fixed - reasons.length));
  const firstButton = bottom - 1 - buttonRows;
  const inset = insetOf(columns);
  return {
    height: fixed + reasons.length + shown,
    width: width + 2 * inset,
    inset,
    airy,
    reasons,
    body,
    top: Math.max(0, Math.min(wantedTop, body.length - shown)),
    shown,
    above: 1 + (airy ? 1 : 0) + reasons.length,
    place,
    mustSee,
    columns,
    tooSmall: shown < Math.min(MIN_SHOWN, mustSee),
    buttons: buttons.map((button) => ({ ...button, x: button.x + inset, y: firstButton + button.y })),
  };
}

/** Describes in one sentence where the action would run and under which limits. */
export function wholePlace({ path, under }: Place): string {
  return path === '' ? under : `in ${path} · ${under}`;
}

/** A shorter part of a directory's name says nothing. */
const MIN_PATH = 6;

/** The same in one row: of a long directory only the end. */
function placeText(place: Place, width: number): string {
  const over = lineWidth(wholePlace(place)) - width;
  if (over <= 0) return wholePlace(place);
  const kept = [...place.path].slice(over + 1).join('');
  return kept.length < MIN_PATH ? place.under : wholePlace({ ...place, path: `…${kept}` });
}

type Air = { readonly roomy: boolean; readonly airy: boolean };

/** Returns the lines, and how many of them must be seen: the dangerous parts come first. */
function bodyOf(words: QuestionWords, width: number, { roomy, airy }: Air): readonly [readonly BodyLine[], number] {
  const gap: readonly BodyLine[] = airy ? [{ kind: 'gap', text: '' }] : [];
  const dangers = words.dangers.flatMap((danger, index) => [
    ...(index > 0 ? gap : []),
    ...dangerLines(danger, index, width),
  ]);
  const bare = words.place.under === '';
  const action =
    words.action === ''
      ? []
      : bare
        ? wrapText(words.action, width).map((text): BodyLine => ({ kind: 'action', text }))
        : commandLines('action', words.action, width, '');
  const keys = words.tree.map(({ key = '' }) => key.length);
  const column = (width < WIDE_COLUMNS ? Math.min(...keys) : Math.max(...keys)) + 2;
  const tree = words.tree.flatMap(({ text, indent, key, right: facts = '', role = 'tree' as const }): BodyLine[] => {
    if (key !== undefined) return helpLines(key, text, column, width);
    const gutter = bare ? '' : GUTTER;
    // A narrow panel has no column for the facts.
    const right = width < WIDE_COLUMNS ? '' : facts;
    const whole = facts === right ? text : `${text} · ${facts}`;
    const taken = right === '' ? 0 : right.length + 2;
    // The rows of a diff break where they are full, as a terminal breaks them.
    const mode = role === 'tree' ? 'word' : 'hard';
    const lines = wrapText(whole, Math.max(1, width - gutter.length - taken), { mode, indent });
    return lines.map((line, at): BodyLine => ({ kind: role, text: gutter + line, ...(at === 0 && { right }) }));
  });
  const told = (kind: 'impact' | 'claim' | 'place' | 'note', text: string, indent = ''): readonly BodyLine[] =>
    text === '' ? [] : wrapText(text, width, { indent }).map((line): BodyLine => ({ kind, text: line }));
  const titled = dangers.length > 0 && !words.allIsDanger && action.length > 0 && tree.length === 0;
  const heading = words.folds ? 'the command around them · Ctrl-O: all of it' : 'whole command';
  const body: readonly BodyLine[] = [
    ...dangers,
    ...(titled ? [...gap, { kind: 'heading', text: heading } as const] : []),
    ...action,
    ...tree,
    ...words.impact.flatMap((line) => told('impact', line, '  ')),
    ...words.claims.flatMap((line) => told('claim', line, '  ')),
    ...saidLines(words.said ?? '', width),
    ...(roomy ? [] : [...words.notes.flatMap((line) => told('note', line)), ...told('place', wholePlace(words.place))]),
  ];
  const all = words.allIsDanger ? action.length + Math.min(tree.length, MAX_TREE_TO_SEE) : 0;
  // A look aside, such as at a diff, never lets anything run.
  return [body, words.aside === undefined ? dangers.length + all : Number.POSITIVE_INFINITY];
}

/** A key and its effect; needs no mark, and breaks between words. */
function helpLines(key: string, does: string, column: number, width: number): BodyLine[] {
  const lines = wrapText(`${key.padEnd(column - 2)}  ${does}`, width, { indent: ' '.repeat(column) });
  return lines.map((text): BodyLine => ({ kind: 'help', text }));
}

/** A part's effect and whether it can be undone, the part's own words, and what would be lost. */
function dangerLines(
  { verb, part, impact, undoable }: QuestionWords['dangers'][number],
  index: number,
  width: number,
): readonly BodyLine[] {
  const right = undoable === undefined ? '' : undoable ? 'undoable' : 'not undoable';
  const taken = right === '' ? 0 : lineWidth(right) + 2;
  const pad = ' '.repeat(NUMBER);
  const [first = '', ...more] = wrapText(`${index + 1}  ${verb}`, Math.max(NUMBER + 1, width - taken), { indent: pad });
  const under = `${pad}${' '.repeat(GUTTER.length)}`;
  return [
    { kind: 'verb', text: first, ...(right === '' ? {} : { right }) },
    ...more.map((text): BodyLine => ({ kind: 'verb', text })),
    ...(part === '' ? [] : commandLines('part', part, width, pad)),
    ...impact.flatMap((line) =>
      wrapText(line, Math.max(1, width - under.length)).map(
        (text): BodyLine => ({ kind: 'impact', text: under + text }),
      ),
    ),
  ];
}

/** Lines of a command after the bar that the command can't imitate, wrapped at blanks if possible. */
function commandLines(kind: 'part' | 'action', text: string, width: number, pad: string): readonly BodyLine[] {
  const room = Math.max(1, width - pad.length - GUTTER.length);
  return markedRows(text).flatMap((row) =>
    wrapText(row, room).map((line, index) => ({ kind, text: pad + (index === 0 ? GUTTER : WRAPPED) + line })),
  );
}

function saidLines(text: string, width: number): readonly BodyLine[] {
  if (text === '') return [];
  const lines = wrapText(text, Math.max(1, width - SAID.length)).map(
    (line): BodyLine => ({ kind: 'claim', text: SAID + line }),
  );
  return [{ kind: 'heading', text: 'its reason' }, ...lines];
}

/** Splits a text into rows; a mark that is open at the end of a row continues in the next one. */
function markedRows(text: string): readonly string[] {
  let open = '';
  return text.split('\n').map((row) => {
    const whole = open + row;
    open = whole.match(/\x1b\[[\d;]*m/g)?.at(-1) ?? open;
    return whole;
  });
}

// The answers of a question as buttons: ` s skip ` has the focus, ` n ` is a key with its word.

/** A button on screen, in cells from the top left. */
type Button = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly choice: Choice;
  /** The words beside its key; '' if there is only room for the key. */
  readonly words: string;
};

/** The cells between two buttons. */
const GAP = 2;
const NARROW_GAP = 1;
/** From this many columns on, every button describes its full effect. */
const WIDE = 84;
const NARROW = 60;
/** Answers that always show their word beside the key. */
const NAMED: ReadonlySet<Choice['answer']> = new Set(['skip', 'proceed', 'apply']);

/** Places the buttons side by side in as few rows as possible; `x` and `y` count from the first row. */
function placeButtons(choices: readonly Choice[], width: number, columns: number): readonly Button[] {
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

/** The width of a key with a blank or a bracket on each side. */
const KEY = 3;

type State = { readonly focused: boolean; readonly works: boolean; readonly red: boolean };

/** Draws a button with its placed width. Without colours, brackets mark the key and the focus. */
export function drawButton({ choice, words }: Button, { focused, works, red }: State, paint: Paint): string {
  const { key, harmful = false } = choice;
  const colourless = paint('text', 'x') === 'x';
  const [open, close] = colourless ? ['(', ')'] : [' ', ' '];
  const behind = words === '' ? '' : ` ${words}`;
  if (!works) return paint('dim', `${open}${key}${close}${behind}`);
  if (focused) return paint('button', colourless ? `[${key}${behind}]` : ` ${key}${behind} `);
  return paint('cap', open + key + close) + paint(harmful && red ? 'error' : 'text', behind);
}
