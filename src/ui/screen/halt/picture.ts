/** Draws a question as rows of a closed panel: title, action, place, answers, and what a key would do now. Pure. */

import { lineWidth } from '../../../text/wrap.ts';
import { cut } from '../../render/segments.ts';
import { onGround, type Paint, padTo, paintOf, type Role, type Theme } from '../../render/theme.ts';
import type { QuestionUi } from '../ui.ts';
import type { Choice } from './choices.ts';
import { markedText } from './danger.ts';
import { type BodyLine, drawButton, isSeen, type QuestionLayout } from './layout.ts';

import type { QuestionWords } from './words.ts';

const BODY_ROLES = {
  verb: 'verb',
  part: 'strong',
  impact: 'text',
  heading: 'dim',
  action: 'function',
  tree: 'strong',
  added: 'added',
  removed: 'removed',
  hunk: 'hunk',
  claim: 'dim',
  place: 'dim',
  note: 'text',
  help: 'text',
  gap: 'text',
} as const satisfies Record<BodyLine['kind'], Role>;

/** Kinds in which dangerous words are marked. */
const MARKED: ReadonlySet<BodyLine['kind']> = new Set(['part', 'action', 'tree']);

type Shown = {
  readonly words: QuestionWords;
  readonly question: QuestionUi;
  readonly layout: QuestionLayout;
  /** How many questions wait, including this one. */
  readonly waiting: number;
  readonly theme: Theme;
};

/** The cells of both corners of a border row, with the lines beside them. */
const EDGE = 4;

type Edge = Omit<Shown, 'question' | 'theme'> & { readonly width: number; readonly role: Role; readonly paint: Paint };

type Picture = {
  /** The rows above the body, of the body, and below it. */
  readonly upper: readonly string[];
  readonly body: readonly string[];
  readonly lower: readonly string[];
  /** One cell of the border, for rows that are drawn separately. */
  readonly border: string;
};

export function questionPicture({ words, question, layout, waiting, theme }: Shown): Picture {
  const paint = paintOf(theme);
  const { width, inset, airy, reasons, top, shown, place } = layout;
  const role = words.danger ? 'error' : 'warning';
  const ground = words.danger ? theme.haltPanel : theme.askPanel;
  const border = paint(role, '│');
  const inner = width - 2 * inset;
  const pad = ' '.repeat(inset - 1);
  const grounded = (line: string) => onGround(line, ground, width);
  const row = (text: string) => grounded(`${border}${pad}${padTo(text, inner)}${pad}${border}`);
  const air = airy ? [row('')] : [];
  const body = layout.body.slice(top, top + shown);
  return {
    upper: [
      grounded(topEdge({ words, layout, waiting, width, role, paint })),
      ...air,
      ...reasons.map((line) => row(paint('text', line))),
    ],
    body: body.map((line) =>
      line.kind === 'heading' ? grounded(heading(line.text, width, role, paint)) : row(drawn(line, inner, paint)),
    ),
    lower: [
      ...air,
      ...(place === '' ? [] : [row(paint('dim', cut(place, inner))), ...air]),
      ...buttonRows(words, layout, question, paint).map(row),
      grounded(bottomEdge(hintOf(words, question, layout), words.aside === '?', width, role, paint)),
    ],
    border,
  };
}

function topEdge({ words, layout, waiting, width, role, paint }: Edge): string {
  const { chip, title, danger, mode = '' } = words;
  // If the place has no row of its own, the mode is shown here.
  const notes = [waiting > 1 ? `1 of ${waiting}` : '', layout.place === '' ? mode : ''].filter(Boolean).join(' · ');
  const fits = notes !== '' && EDGE + chip.length + title.length + notes.length + 7 <= width;
  const right = fits ? ` ${notes} ` : '';
  const bare = paint('text', 'x') === 'x';
  const named = paint(danger ? 'halt' : 'ask', bare ? `[${chip}]` : ` ${chip} `);
  const room = width - EDGE - chip.length - 2 - right.length;
  const about = title === '' ? '' : ` ${cut(title, Math.max(1, room - 3))} `;
  const line = '─'.repeat(Math.max(0, room - lineWidth(about)));
  return (
    paint(role, '╭─') + named + paint('strong', about) + paint(role, line) + paint('dim', right) + paint(role, '─╮')
  );
}

function bottomEdge(hint: string, helping: boolean, width: number, role: Role, paint: Paint): string {
  const help = helping ? ' ? back ' : ' ? help ';
  const room = width - EDGE - help.length;
  const right = hint === '' ? '' : lineWidth(hint) + 2 <= room ? ` ${hint} ` : ` ${cut(hint, Math.max(1, room - 2))} `;
  const line = '─'.repeat(Math.max(0, room - lineWidth(right)));
  return paint(role, '╰─') + paint('dim', help) + paint(role, line) + paint('dim', right) + paint(role, '─╯');
}

function heading(text: string, width: number, role: Role, paint: Paint): string {
  const shown = ` ${cut(text, width - 8)} `;
  const line = '─'.repeat(Math.max(0, width - 4 - lineWidth(shown)));
  return `${paint(role, '├')}${paint('rule', '─')}${paint('dim', shown)}${paint('rule', line)}${paint(role, '─┤')}`;
}

/** Draws a line of the body; marked words get the colour of danger, the text at its right a colour of its own. */
function drawn({ kind, text, right = '' }: BodyLine, width: number, paint: Paint): string {
  const role = BODY_ROLES[kind];
  if (kind === 'added' || kind === 'removed') return markedText(padTo(text, width), role, `${kind}Word`, paint);
  const inked =
    kind === 'verb'
      ? numbered(text, paint)
      : MARKED.has(kind)
        ? markedText(text, role, 'danger', paint)
        : kind === 'help'
          ? helpRow(text, paint)
          : paint(role, text);
  if (right === '') return inked;
  return padTo(inked, width - lineWidth(right)) + paint(right === 'undoable' ? 'success' : 'verb', right);
}

/** Dims the number of a part, so that its effect stands out. */
function numbered(text: string, paint: Paint): string {
  const [, number = '', verb = text] = /^(\d+ +| +)(.*)$/.exec(text) ?? [];
  return paint('dim', number) + paint('verb', verb);
}

/** Draws a key before its effect. */
function helpRow(text: string, paint: Paint): string {
  const [, key = '', does = text] = /^(\S+(?: \S+)? {2,})?(.*)$/.exec(text) ?? [];
  return paint('strong', key) + paint('text', does);
}

/** Returns why a letter has no effect yet; undefined if it has. */
function waitHint({ armed, hurried }: Pick<QuestionUi, 'armed' | 'hurried'>): string | undefined {
  if (armed) return hurried ? 'stop typing for half a second, then letters and Enter work' : undefined;
  return hurried ? 'pressed too early · ready in a moment' : 'ready in a moment';
}

function noteHint(choices: QuestionWords['choices']): string {
  const sendsBack = choices.some(({ label }) => label === 'send back');
  return `Enter ${sendsBack ? 'sends the plan back with this' : 'skips and tells the model this'} · Esc goes back`;
}

/** Returns what a key would do now, or why it would do nothing. */
function hintOf(
  { aside, choices }: QuestionWords,
  { edit, noting, form, seen, focus, ...ready }: QuestionUi,
  layout: QuestionLayout,
): string {
  if (layout.tooSmall) return 'too small: only s and a';
  const waits = waitHint(ready);
  if (waits !== undefined) return waits;
  if (form) return edit === undefined ? 'e: fill in the form' : 'Enter: next field · Tab: other field · Esc: review';
  if (noting) return noteHint(choices);
  if (edit !== undefined) return 'Enter: check it again · Esc: keep the old command';
  if (aside !== undefined) return aside === 'd' ? 'd: back to the list' : 'Esc: back to the question';
  return scrollHint(choices, choices[focus], layout, isSeen(layout, seen));
}

/** Says how much is left to read, and what reading it allows. */
function scrollHint(
  choices: QuestionWords['choices'],
  focused: Choice | undefined,
  layout: QuestionLayout,
  allSeen: boolean,
): string {
  const left = layout.body.length - layout.top - layout.shown;
  const runs = choices.find(({ answer }) => answer === 'apply') ?? choices.find(({ answer }) => answer === 'proceed');
  const more = left === 0 ? '' : `↓ ${left} more ${left === 1 ? 'line' : 'lines'}`;
  const enter = `Enter: ${focused?.label ?? 'no'}`;
  if (!runs) return [more, enter].filter(Boolean).join(' · ');
  if (!allSeen) return `${more || '↑ the lines above'} unlock${left === 1 ? 's' : ''} ${runs.key}`;
  // Questions about a mode or money have a key of their own.
  if (runs.key === 'y') return [more, enter].filter(Boolean).join(' · ');
  const works = `${runs.key} ${runs.works ?? `${runs.label.replace(/y$/, 'ie')}s`}`;
  return more === '' ? `all shown · ${works}` : `${more} · ${works}`;
}

/** Draws the buttons where the layout has placed them. */
function buttonRows(
  words: QuestionWords,
  layout: QuestionLayout,
  { focus, armed, seen }: QuestionUi,
  paint: Paint,
): readonly string[] {
  const { buttons, tooSmall, inset } = layout;
  const rows = new Map<number, string>();
  for (const [index, button] of buttons.entries()) {
    const { harmful = false } = button.choice;
    // An answer that is impossible here is not offered.
    const works = armed && (!harmful || (words.aside === undefined && isSeen(layout, seen)));
    const state = { focused: index === focus, works, red: words.danger };
    const drawn = harmful && tooSmall ? '' : drawButton(button, state, paint);
    rows.set(button.y, padTo(rows.get(button.y) ?? '', button.x - inset) + drawn);
  }
  return [...rows.values()];
}
