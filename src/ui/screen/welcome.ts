/**
 * The start screen (directory, what one can type, what is safe, which model answers), and the lines that stay on
 * leaving (UI-6).
 */

import type { App } from '../../commands/app.ts';
import type { Mode } from '../../session/ids.ts';
import { MODE_WORDS } from '../../session/mode-words.ts';
import { lineWidth, wrapText } from '../../text/wrap.ts';
import { padTo, type RenderContext, type Role } from '../render/theme.ts';
import { GUTTER } from './entries/frame.ts';
import { entryLines, revealEntry } from './entries/lines.ts';
import { offerLines } from './offers.ts';
import type { Offers } from './ui.ts';

export type WelcomeFacts = {
  readonly version: string;
  /** The user's shell with its version; '' until it has started. */
  readonly shell: string;
  /** The directory and its branch, for people. */
  readonly place: string;
  readonly model: {
    readonly name: string;
    readonly id: string | undefined;
    readonly demo: boolean;
    /** Whether its server has answered. */
    readonly answers?: boolean | undefined;
    /** Why the model's server can't answer. */
    readonly problem?: string | undefined;
  };
  readonly mode: Mode;
  /** The models to choose from, in place of the examples. */
  readonly offers: Offers | undefined;
};

/** The most columns, so that related texts stay close together. */
const MAX_WIDTH = 72;
const LABEL = 14;

const EXAMPLES: readonly (readonly [glyph: string, role: Role, line: string, what: string])[] = [
  ['❯', 'user', 'git status', 'runs in your shell'],
  ['?', 'accent', 'why did that fail', 'asks the model'],
  ['»', 'accent', ':norris find files > 10 MB', 'works on a goal alone'],
];

/** A few lines, in the middle of a wide screen. */
export function welcomeLines(facts: WelcomeFacts, context: RenderContext): string[] {
  const { version, shell, place, model, mode, offers } = facts;
  const { paint } = context;
  const width = Math.min(context.width - 1, MAX_WIDTH);
  const both = (left: string, right: string) => {
    const room = width - lineWidth(right) - 2;
    return right === '' || lineWidth(left) > room ? left : padTo(left, room + 2) + right;
  };
  const tick = paint('success', '✓');
  const named = (label: string, text: string, right = '') => both(paint('dim', label.padEnd(LABEL)) + text, right);
  const setup = paint('strong', ':setup');
  const answers = model.demo
    ? named('model', 'none yet: a built-in demo answers', `${setup} ${paint('dim', 'connects one')}`)
    : named('model', `${model.name}${model.id === undefined ? '' : ` (${model.id})`}`, model.answers ? tick : '');
  const wrap = (line: string, room: number) =>
    line === '' ? [' '] : wrapText(line, Math.max(1, room), { indent: ' '.repeat(GUTTER) });
  const problem = model.problem === undefined ? '' : `${paint('error', '✗')} ${model.problem}`;
  const rules = named(mode, MODE_WORDS[mode].welcome);
  const examples = EXAMPLES.map(([glyph, role, line, what]) =>
    both(`${paint(role, glyph)} ${paint('function', line)}`, paint('dim', what)),
  );
  const head = [
    both(
      `${paint('strong', 'aish-tui')} ${paint('dim', version)}`,
      paint('dim', 'your shell and a model on one screen'),
    ),
    '',
    named('shell', shell === '' ? place : `${shell} in ${place}`, shell === '' ? '' : tick),
    answers,
  ];
  // What the user can do comes last, next to the prompt, where every screen shows it.
  const last =
    problem === ''
      ? both(paint('dim', 'F1 lists the keys · F2 finds everything'), paint('dim', 'just type'))
      : `${problem} · start it and just ask, or ${setup}`;
  const lines = offers
    ? [...head, rules, ...(problem === '' ? [] : [problem]), '']
    : [...head, '', ...examples, '', rules, '', last];
  return [
    ...lines.flatMap((line) => wrap(line, Math.min(context.width, MAX_WIDTH))),
    ...(offers ? offerLines(offers, width, context) : []),
  ].map((line) => ' '.repeat(Math.max(0, Math.floor((context.width - MAX_WIDTH) / 2))) + line);
}

// The lines that stay on the normal screen after the program has left: the end of the transcript, and how to resume
// (UI-6).

/** The most lines of the transcript that stay; fewer on a small screen, so that the last one is not pushed out. */
const MAX_LINES = 40;

/** @param rows of the terminal; 0 where the transcript stays anyway */
export function exitSummary(app: App, context: RenderContext, rows: number): string {
  const { entries } = app.engine.transcript;
  if (!entries.some(({ entry }) => entry.kind !== 'notice')) return '';
  const most = rows === 0 ? 0 : Math.max(1, Math.min(MAX_LINES, rows - 4));
  const tail: string[] = [];
  for (let at = entries.length - 1; at >= 0 && tail.length < most; at--) {
    const shown = entries[at];
    if (shown) tail.unshift(...entryLines(revealEntry(app.engine, shown.entry), context));
  }
  const { sessionId, unsaved } = app.info();
  const how = unsaved
    ? 'This session could not be saved: there is nothing to resume.'
    : `Resume this session: aish-tui --resume ${sessionId}`;
  return [...tail.slice(tail.length - Math.min(most, tail.length)), '', how, ''].join('\n');
}
