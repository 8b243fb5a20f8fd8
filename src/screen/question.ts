/** What a question looks like before it is drawn: its words, its whole action, its answers. Pure. */

import { describeAction, type Finding, type Judgement } from '../session/action.ts';
import { shortDollars } from '../session/cost.ts';
import type { Answer } from '../session/event.ts';
import { isGrantable } from '../session/grants.ts';
import type { Mode } from '../session/ids.ts';
import { modeName } from '../session/mode.ts';
import type { Question } from '../session/question.ts';
import type { Trial } from '../session/tried.ts';
import { visible } from '../text/sanitize.ts';
import { argumentTree, type TreeLine } from './argument-tree.ts';
import { type Danger, dangersOf, isExcerpted, markedCommand, oneLine } from './danger.ts';
import { beginForm, type FormUi, fieldHeading, formTree } from './form.ts';
import { reviewParts } from './review.ts';
import { countsText, diffRows, trialRows } from './trial.ts';

export type Choice = {
  readonly answer: Exclude<Answer['kind'], 'edit'>;
  /** The letter that gives this answer. */
  readonly key: string;
  readonly label: string;
};

type Of<K extends Question['kind']> = Extract<Question, { kind: K }>;

export type QuestionWords = {
  readonly title: string;
  /** Why it asks, one line or two. */
  readonly reasons: readonly string[];
  /** What is dangerous in the action, the worst first; empty where nothing is. */
  readonly dangers: readonly Danger[];
  /** The action with nothing invisible in it (HA-1) and its dangerous words marked; empty where there is none. */
  readonly action: string;
  /** The action is shown as excerpts, or a key has shown the whole of it. */
  readonly folds: boolean;
  /** The whole action is the danger: all of it must have been on the screen before it may run. */
  readonly allIsDanger: boolean;
  /** The arguments of a tool call. */
  readonly tree: readonly TreeLine[];
  /** What the tool's server says of it, marked as its word. */
  readonly claims: readonly string[];
  /** What would be lost. */
  readonly impact: readonly string[];
  /** Where and under what it would run. */
  readonly place: string;
  readonly danger: boolean;
  readonly choices: readonly Choice[];
  /** The choice that has the focus at first: never the one that runs something. */
  readonly start: number;
  readonly editable: boolean;
  /** A key shows the diff. */
  readonly hasDiff?: true;
  /** A look beside the question, such as at a diff: nothing is let run from here. */
  readonly aside?: true;
};

const HALT_CHOICES: readonly Choice[] = [
  { answer: 'proceed', key: 'p', label: 'proceed' },
  { answer: 'skip', key: 's', label: 'skip' },
  { answer: 'abort', key: 'a', label: 'abort' },
];

/** Where a trial is possible (HA-10). */
const TRY_CHOICE: Choice = { answer: 'try', key: 't', label: 'try' };
const APPLY_CHOICE: Choice = { answer: 'apply', key: 'T', label: 'apply' };

/** The same for a tool call that destroys nothing. */
const CONSENT_CHOICES: readonly Choice[] = [...HALT_CHOICES, { answer: 'always', key: 'P', label: 'always' }];

/** An escalation knows no skip (HA-4). */
const ESCALATION_CHOICES: readonly Choice[] = [
  { answer: 'proceed', key: 'p', label: 'proceed' },
  { answer: 'abort', key: 'a', label: 'abort' },
];

/** Of a mode request: the modes that are offered, the narrowest first (MO-3, MO-9). */
const MODE_CHOICES: readonly Choice[] = [
  { answer: 'proceed', key: 'y', label: 'project' },
  { answer: 'unrestricted', key: 'u', label: 'unrestricted' },
  { answer: 'skip', key: 'n', label: 'no' },
  { answer: 'abort', key: 'a', label: 'abort' },
];

/** What each mode would let the model do. */
const MODE_LINES = {
  restricted: () => '',
  project: (cwd: string) => `y project: write in ${oneLine(cwd)}'s tree and a private /tmp, no network; undo works`,
  unrestricted: () => 'u unrestricted: write anywhere, use the network; what destroys still asks',
} as const;

/** One slice more, or the end of the run with everything kept (CO-2). */
const SPEND_CHOICES: readonly Choice[] = [
  { answer: 'proceed', key: 'p', label: 'approve' },
  { answer: 'abort', key: 'a', label: 'deny' },
];

/** A server may change a tool under a consent that was given before. */
const CHANGED = 'The tool is not defined as it was when it was approved or first seen.';

/** What a question without an action has in common. */
const BARE = {
  dangers: [],
  action: '',
  folds: false,
  allIsDanger: false,
  tree: [],
  claims: [],
  impact: [],
  place: '',
  danger: false,
  start: 1,
  editable: false,
} as const;

/** Sends what was typed to the server, or says no, or takes no stand. */
const FORM_CHOICES: readonly Choice[] = [
  { answer: 'proceed', key: 'p', label: 'send' },
  { answer: 'skip', key: 's', label: 'decline' },
  { answer: 'abort', key: 'a', label: 'cancel' },
];

/** The words of a question; of a form with what stands in it. */
export function wordsOf(
  question: Question,
  ui: { readonly form?: FormUi; readonly edit?: string; readonly whole?: boolean; readonly diff?: boolean } = {},
): QuestionWords {
  switch (question.kind) {
    case 'form':
      return formWords(question, ui.form ?? beginForm(question).form, ui.edit !== undefined);
    case 'escalation':
      return escalationWords(question);
    case 'mode':
      return modeWords(question);
    case 'spend':
      return spendWords(question);
    case 'review':
      return { ...BARE, ...reviewParts(question), allIsDanger: true, danger: true };
    case 'halt':
      return question.trial ? triedWords(question, question.trial, ui) : haltWords(question, ui.whole ?? false);
  }
}

function escalationWords({ skips }: Of<'escalation'>): QuestionWords {
  return {
    ...BARE,
    title: 'Continue?',
    reasons: [
      `${skips} actions in a row were skipped.`,
      'proceed continues the run; abort ends it and keeps the conversation.',
    ],
    choices: ESCALATION_CHOICES,
  };
}

function modeWords({ reason, from, offers, wish, cwd, missing, action }: Of<'mode'>): QuestionWords {
  const choices = MODE_CHOICES.filter(({ answer }) => answer !== 'proceed' || offers.includes('project'));
  const named = wish === undefined ? '' : ` It names ${modeName(wish)}.`;
  return {
    ...BARE,
    title: `Leave ${modeName(from)} mode?`,
    reasons: action
      ? [`${modeName(from)} refuses what the model wants to run: ${oneLine(reason)}.`]
      : [`The model asks for it, until you change it back.${named} Its reason:`],
    action: visible(action ? describeAction(action) : reason),
    impact: [
      ...offers.map((mode) => MODE_LINES[mode](cwd)),
      ...(missing !== undefined && offers.includes('project') ? [`project here: ${missing}`] : []),
    ],
    danger: true,
    choices,
    start: choices.findIndex(({ answer }) => answer === 'skip'),
  };
}

/** What the kernel will refuse, so that a yes alone does not get far, and the modes that a key leads to instead (HA-6). */
function refusedLine(mode: Mode, offers: readonly Mode[] | undefined): string {
  const refused = `${modeName(mode)}: the kernel will refuse ${mode === 'restricted' ? 'a write' : 'it'}.`;
  if (!offers?.length) return refused;
  const keys = offers.map((offer) => (offer === 'project' ? 'y: Project' : 'u: Unrestricted'));
  return `${refused} ${keys.join(', ')}; then it asks again.`;
}

function formWords(question: Of<'form'>, form: FormUi, typing: boolean): QuestionWords {
  const { server, message } = question;
  return {
    ...BARE,
    title: `The MCP server ${server} asks`,
    reasons: typing
      ? [...fieldHeading(question, form), visible(message)]
      : [visible(message), 'It goes to the server, which may tell the model.'],
    tree: formTree(question, form),
    choices: FORM_CHOICES,
    editable: question.fields.length > 0,
  };
}

function spendWords({ preset, spent, limit, allowance, asker }: Of<'spend'>): QuestionWords {
  return {
    ...BARE,
    title: `Spend more?${asker ? ` · sub-agent ${asker.agent}` : ''}`,
    reasons: [
      `${shortDollars(spent)} of ${shortDollars(limit)} spent; ${visible(preset)} costs more.`,
      `approve adds ${shortDollars(allowance)}; deny ends the run.`,
      'cost.stop_at_dollars sets the limit; the conversation stays either way.',
    ],
    choices: SPEND_CHOICES,
  };
}

function haltWords(question: Of<'halt'>, whole: boolean): QuestionWords {
  const { action, judgement, why, cwd, mode, step, tool, task, asker } = question;
  const who = asker ? ` · sub-agent ${asker.agent}` : '';
  const counter = step ? ` · step ${step.k}/${step.n}` : '';
  const fails = why !== 'consent' && action.kind === 'command' && (mode === 'restricted' || judgement.upgrade);
  const refused = fails ? [refusedLine(mode, question.offers)] : [];
  const text = action.kind === 'tool' ? action.name : describeAction(action);
  const findings = judgement.destructive ? findingsOf(judgement) : [];
  const dangers = dangersOf(text, findings);
  const worst = dangers[0] ? ` · ${dangers[0].verb}` : '';
  return {
    title: `${TITLES[why]}${who}${counter}${worst}`,
    reasons: [
      ...reasonsOf(why, judgement, dangers),
      ...(tool?.changed ? [CHANGED] : []),
      ...refused,
      // The task stands last: on a small screen it gives way to the reason.
      ...(task ? [`[task ${task.k}/${task.n}: ${oneLine(task.text)}]`] : []),
      ...(asker ? [`[its task: ${oneLine(asker.task)}]`] : []),
    ],
    dangers,
    action: markedCommand(text, findings, whole),
    folds: isExcerpted(text, findings),
    allIsDanger: dangers.some(({ part }) => part === ''),
    tree: action.kind === 'tool' ? argumentTree(action.arguments) : [],
    claims: (tool?.claims ?? []).map((claim) => `its server says: ${oneLine(claim)}`),
    impact: (judgement.impact ?? []).map(oneLine),
    place: [
      `in ${oneLine(cwd)}`,
      mode,
      ...(action.kind === 'command' && action.job ? ['as a background job'] : []),
      ...(asker ? ['abort ends this sub-agent only'] : []),
    ].join(' · '),
    danger: why !== 'consent',
    choices: [...(isGrantable(question) ? CONSENT_CHOICES : HALT_CHOICES), ...(question.canTry ? [TRY_CHOICE] : [])],
    start: 1,
    editable: action.kind === 'command',
  };
}

/** The same HALT after a trial: what it would change stands in place of what may be dangerous. */
function triedWords(
  question: Of<'halt'>,
  trial: Trial,
  { whole = false, diff = false }: { readonly whole?: boolean; readonly diff?: boolean },
): QuestionWords {
  const { cwd, mode } = question;
  const words = haltWords(question, whole);
  const tells = trial.kind === 'changes';
  const applies = tells && trial.beyond === undefined;
  return {
    ...words,
    title: `HALT · tried, nothing has changed yet`,
    reasons: tells ? [`It would change: ${countsText(trial)}.${diff ? ' The diff:' : ''}`] : [],
    dangers: [],
    allIsDanger: true,
    ...(diff ? { aside: true } : {}),
    ...(tells && trial.diff.trim() !== '' ? { hasDiff: true } : {}),
    tree: diff ? diffRows(trial, true) : [...trialRows(trial, cwd), ...diffRows(trial, false)],
    impact: [],
    place: `in ${oneLine(cwd)} · ${mode}${applies ? ' · apply does exactly this list' : ''}`,
    danger: true,
    choices: [...HALT_CHOICES, ...(applies ? [APPLY_CHOICE] : [])],
  };
}

const TITLES = {
  destructive: 'HALT',
  consent: 'Run this?',
  resumed: 'HALT · still open',
  changed: 'HALT · changed',
} as const;

/** A judgement without parts, such as a model's, speaks of the whole action. */
function findingsOf({ findings = [], reason, rule }: Judgement): readonly Finding[] {
  if (findings.length > 0) return findings;
  return [{ rule: rule ?? '', verb: reason, part: [0, 0] }];
}

function reasonsOf(why: keyof typeof TITLES, { reason }: Judgement, dangers: readonly Danger[]): readonly string[] {
  const own = dangers.length > 0 ? [] : [oneLine(reason)];
  switch (why) {
    case 'destructive':
      return own;
    case 'consent':
      return [`The model asks for it. The gate: ${oneLine(reason)}.`];
    case 'changed':
      return ['What it names has changed since you were asked. Nothing has run.', ...own];
    case 'resumed':
      return ['It was open when the program closed. Nothing has run since.', ...own];
  }
}
