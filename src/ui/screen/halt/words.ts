/** What a question looks like before it is drawn: its words, its whole action, its answers. Pure. */
import { describeAction, type Finding, type Judgement } from '../../../session/action.ts';
import { shortDollars } from '../../../session/cost.ts';
import type { Answer } from '../../../session/event.ts';
import { grantOf } from '../../../session/grants.ts';
import type { Mode } from '../../../session/ids.ts';
import { modeName } from '../../../session/mode.ts';
import type { Question } from '../../../session/question.ts';
import { canBeApplied, type Trial } from '../../../session/tried.ts';
import { visible } from '../../../text/sanitize.ts';
import { shortPath } from '../../../text/short-path.ts';
import { changeOf, countsText, diffRows, reviewParts, type TreeLine, trialRows } from './changes.ts';

import { type Danger, dangersOf, isAllDanger, isExcerpted, markedCommand, oneLine } from './danger.ts';
import { beginForm, type FormUi, fieldHeading, formTree } from './form.ts';
import { fleetParts, onHost, reported, triedAsReported } from './machines.ts';

// The help of a question: its keys in a column, and what each does. Pure.

/** What there is to explain. */
type Helped = {
  readonly choices: readonly Choice[];
  readonly hasDiff?: boolean | undefined;
  readonly offers?: readonly Mode[] | undefined;
};

type HelpRow = readonly [key: string, does: string];

const OFFER_KEYS: Readonly<Partial<Record<Mode, string>>> = { project: 'y', unrestricted: 'u' };

const HELP_KEYS: readonly HelpRow[] = [
  ['Enter', 'presses the answer that is filled in; Tab goes to the next'],
  ['↑ ↓', 'scroll; PageUp, PageDown, Home and End too'],
  ['Ctrl-O', 'the whole of a long command, or excerpts'],
  ['Ctrl-X Ctrl-C', 'ends the run at any time and runs nothing'],
];

/** The help takes the place of what is asked. */
function helpOf({ choices, hasDiff, offers = [] }: Helped) {
  const keys: readonly HelpRow[] = [
    ...choices.map(({ key, label, does }): HelpRow => [key, `${label}: ${does}`]),
    ...offers.map((mode): HelpRow => [OFFER_KEYS[mode] ?? '', `${modeName(mode)} mode first; then it asks again`]),
    ...(hasDiff ? [['d', 'the whole diff, or the list'] as const] : []),
    ...HELP_KEYS,
  ];
  return {
    aside: '?',
    reasons: [],
    notes: [],
    dangers: [],
    action: '',
    tree: keys.map(([key, does]) => ({ key, text: does, indent: '', role: 'help' as const })),
    impact: [],
    claims: [],
  } as const;
}

type Of<K extends Question['kind']> = Extract<Question, { kind: K }>;

/** The directory gives way where a row is too short, what is said about it does not. */
export type Place = { readonly path: string; readonly under: string };

export type QuestionWords = {
  /** What kind of question it is, in capitals; and what more there is to say in its title. */
  readonly chip: string;
  readonly title: string;
  /** Why it asks, one line or two. */
  readonly reasons: readonly string[];
  /** What else stands beside them; on a small screen it comes below what is asked. */
  readonly notes: readonly string[];
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
  /** Where it would run, and under what. */
  readonly place: Place;
  readonly mode?: Mode;
  readonly danger: boolean;
  readonly choices: readonly Choice[];
  /** The choice that has the focus at first: never the one that runs something. */
  readonly start: number;
  readonly editable: boolean;
  /** A key shows the diff. */
  readonly hasDiff?: true;
  /** Modes that a key leads to before it is asked again. */
  readonly offers?: readonly Mode[];
  /** A look beside the question, such as at a diff, and the key that leads back: nothing is let run from here. */
  readonly aside?: 'd' | '?';
};

const PROCEED: Choice = { answer: 'proceed', key: 'p', label: 'proceed', does: 'runs it', harmful: true };
const SKIP: Choice = { answer: 'skip', key: 's', label: 'skip', does: 'doesn’t run it; the model goes on without' };
const ABORT: Choice = { answer: 'abort', key: 'a', label: 'abort', does: 'doesn’t run it; the run ends' };
const NOTE: Choice = {
  answer: 'note',
  key: 'n',
  label: 'note',
  long: 'skip with a note',
  short: 'with a note',
  does: 'skips, and tells the model what you write',
};
const EDIT: Choice = { answer: 'edit', key: 'e', label: 'edit', does: 'changes the command; it is judged anew' };

/** Where a trial is possible (HA-10). */
const TRY: Choice = {
  answer: 'try',
  key: 't',
  label: 'try',
  does: 'runs it where nothing of it stays, and shows what it would change',
};
const APPLY: Choice = {
  answer: 'apply',
  key: 'T',
  label: 'apply',
  does: 'does exactly what the trial has shown',
  harmful: true,
};

/** For what destroys nothing: this tool, or commands that only read. */
const ALWAYS = {
  tool: always('for this tool'),
  reads: always('for commands that only read'),
} as const;

function always(what: string): Choice {
  return {
    answer: 'always',
    key: 'P',
    label: 'always',
    long: `proceed, and don’t ask again ${what}`,
    short: 'not again this session',
    does: `runs it, and doesn’t ask again ${what} in this session`,
  };
}

/** The answers of a HALT or a consent, the safe one first. */
function haltChoices(editable: boolean, more: readonly Choice[]): readonly Choice[] {
  return [SKIP, NOTE, ...(editable ? [EDIT] : []), ...more, PROCEED, ABORT];
}

/** An escalation knows no skip (HA-4). */
const ESCALATION_CHOICES: readonly Choice[] = [
  { ...PROCEED, does: 'the run goes on' },
  { ...ABORT, does: 'the run ends; the conversation stays' },
];

/** Of a mode request: the modes that are offered, the narrowest first (MO-3, MO-9). */
const MODE_CHOICES: readonly Choice[] = [
  { answer: 'proceed', key: 'y', label: 'project', does: 'Project mode', harmful: true },
  { answer: 'unrestricted', key: 'u', label: 'unrestricted', does: 'Unrestricted mode', harmful: true },
  { answer: 'skip', key: 'n', label: 'no', does: 'stays as it is; the model is told no' },
  { ...ABORT, does: 'stays as it is; the run ends' },
];

/** What each mode would let the model do. */
const MODE_LINES = {
  restricted: () => '',
  project: (cwd: string) => `y project: write in ${oneLine(cwd)}'s tree and a private /tmp, no network; undo works`,
  unrestricted: () => 'u unrestricted: write anywhere, use the network; what destroys still asks',
} as const;

/** One slice more, or the end of the run with everything kept (CO-2). */
const SPEND_CHOICES: readonly Choice[] = [
  { ...PROCEED, key: 'y', label: 'approve', does: 'spends up to that much more' },
  { ...ABORT, key: 'n', label: 'deny', does: 'ends the run; the conversation stays' },
];

/** A server may change a tool under a consent that was given before. */
const CHANGED = 'The tool is not defined as it was when it was approved or first seen.';

/** What a question without an action has in common. */
const BARE = {
  notes: [],
  dangers: [],
  action: '',
  folds: false,
  allIsDanger: false,
  tree: [],
  claims: [],
  impact: [],
  place: { path: '', under: '' },
  danger: false,
  start: 1,
  editable: false,
} as const;

/** Sends what was typed to the server, or says no, or takes no stand. */
const FORM_CHOICES: readonly Choice[] = [
  { ...PROCEED, label: 'send', does: 'sends what you typed to the server' },
  { ...SKIP, label: 'decline', does: 'tells the server no' },
  { ...ABORT, label: 'cancel', does: 'tells the server nothing' },
];

/** The words of a question; of a form with what stands in it. */
export function wordsOf(question: Question, ui: Looks = {}): QuestionWords {
  const words = wordsBehind(question, ui);
  return ui.help ? { ...words, ...helpOf(words) } : words;
}

/** What is shown of a question: the field in hand, all of a command, a diff, the help. */
type Looks = {
  readonly form?: FormUi;
  readonly edit?: string;
  readonly whole?: boolean;
  readonly diff?: boolean;
  readonly help?: boolean;
};

function wordsBehind(question: Question, ui: Looks): QuestionWords {
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
      return { ...BARE, ...reviewParts(question), allIsDanger: true, danger: true, start: 0 };
    case 'fleet':
      return fleetParts(question, ui.whole ?? false);
    case 'halt':
      return question.trial ? triedWords(question, question.trial, ui) : haltWords(question, ui.whole ?? false);
  }
}

function escalationWords({ skips }: Of<'escalation'>): QuestionWords {
  return {
    ...BARE,
    chip: 'CONTINUE?',
    title: '',
    reasons: [
      `${skips} actions in a row were skipped.`,
      'proceed continues the run; abort ends it and keeps the conversation.',
    ],
    choices: ESCALATION_CHOICES,
  };
}

function modeWords({ reason, from, offers, wish, cwd, missing, action, offered }: Of<'mode'>): QuestionWords {
  const choices = MODE_CHOICES.filter(({ answer }) => answer !== 'proceed' || offers.includes('project'));
  const named = wish === undefined ? '' : ` It names ${modeName(wish)}.`;
  return {
    ...BARE,
    chip: 'CHANGE MODE?',
    title: `leave ${modeName(from)}`,
    reasons: offered
      ? [`${reason[0]?.toUpperCase()}${oneLine(reason).slice(1)}.`, 'It is asked once; :mode changes it at any time.']
      : action
        ? [`${modeName(from)} refuses what the model wants to run: ${oneLine(reason)}.`]
        : [`The model asks for it, until you change it back.${named} Its reason:`],
    action: offered ? '' : visible(action ? describeAction(action) : reason),
    impact: [
      ...offers.map((mode) => MODE_LINES[mode](shortPath(cwd))),
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
    chip: 'FORM',
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
    chip: 'SPEND MORE?',
    title: asker ? `sub-agent ${asker.agent}` : '',
    reasons: [
      `${shortDollars(spent)} of ${shortDollars(limit)} spent; ${visible(preset)} costs more.`,
      `approve adds ${shortDollars(allowance)}; deny ends the run.`,
      'cost.stop_at_dollars sets the limit; the conversation stays either way.',
    ],
    choices: SPEND_CHOICES,
  };
}

function haltWords(question: Of<'halt'>, whole: boolean): QuestionWords {
  const { action, judgement, why, cwd, mode, tool } = question;
  const text = action.kind === 'tool' ? action.name : describeAction(action);
  const findings = judgement.destructive ? findingsOf(judgement) : [];
  const dangers = dangersOf(text, findings);
  const alone = !whole && isAllDanger(text, findings);
  const editable = action.kind === 'command';
  const grant = grantOf(question);
  const change = changeOf(question);
  return {
    chip: why === 'consent' ? change.chip : 'HALT',
    title: [onHost(cwd), change.title, haltTitle(question)].filter(Boolean).join(' · '),
    reasons: [...reasonsOf(why, judgement, dangers), ...(tool?.changed ? [CHANGED] : []), ...reported(question)],
    notes: circumstances(question),
    ...(fails(question) && question.offers?.length ? { offers: question.offers } : {}),
    dangers,
    // Where the one dangerous part is the whole command, it stands there already.
    action: alone || change.isDiff ? '' : markedCommand(text, findings, whole),
    folds: !alone && isExcerpted(text, findings),
    allIsDanger: dangers.some(({ part }) => part === ''),
    tree: change.rows,
    claims: (tool?.claims ?? []).map((claim) => `its server says: ${oneLine(claim)}`),
    impact: (judgement.impact ?? []).map(oneLine),
    place: placeOf(question),
    mode,
    danger: why !== 'consent',
    choices: [...haltChoices(editable, question.canTry ? [TRY] : []), ...(grant ? [ALWAYS[grant]] : [])],
    start: 0,
    editable,
  };
}

function placeOf({ action, cwd, mode, asker }: Of<'halt'>): QuestionWords['place'] {
  const job = action.kind === 'command' && action.job ? ['as a background job'] : [];
  const only = asker ? ['abort ends this sub-agent only'] : [];
  return { path: oneLine(shortPath(cwd)), under: [mode, ...job, ...only].join(' · ') };
}

function haltTitle({ why, asker, step }: Of<'halt'>): string {
  const who = asker ? `sub-agent ${asker.agent}` : '';
  const counter = step ? `step ${step.k} of ${step.n}` : '';
  return [STATES[why], who, counter].filter(Boolean).join(' · ');
}

/** Whether the kernel will refuse it in this mode. */
function fails({ action, judgement, why, mode }: Of<'halt'>): boolean {
  return why !== 'consent' && action.kind === 'command' && (mode === 'restricted' || judgement.upgrade !== undefined);
}

/** What else stands beside the reasons. */
function circumstances(question: Of<'halt'>): readonly string[] {
  const { mode, offers, task, asker, noTry, trial } = question;
  return [
    ...(fails(question) ? [refusedLine(mode, offers)] : []),
    ...(noTry === undefined || trial ? [] : [`No trial: ${oneLine(noTry)}.`]),
    // The task stands last: on a small screen it gives way to the reason.
    ...(task ? [`[task ${task.k}/${task.n}: ${oneLine(task.text)}]`] : []),
    ...(asker ? [`[its task: ${oneLine(asker.task)}]`] : []),
  ];
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
  const applies = canBeApplied(trial);
  return {
    ...words,
    chip: 'HALT',
    title: [onHost(cwd), 'tried, nothing has changed yet'].filter(Boolean).join(' · '),
    reasons: tells
      ? [`It would change: ${countsText(trial)}.${diff ? ' The diff:' : ''}`, ...triedAsReported(question)]
      : [],
    dangers: [],
    allIsDanger: true,
    action: markedCommand(describeAction(question.action), findingsOf(question.judgement), whole),
    ...(diff ? { aside: 'd' } : {}),
    ...(tells && trial.diff.trim() !== '' ? { hasDiff: true } : {}),
    tree: diff ? diffRows(trial, true) : [...trialRows(trial, cwd), ...diffRows(trial, false)],
    impact: [],
    place: { path: words.place.path, under: `${mode}${applies ? ' · apply does exactly this list' : ''}` },
    danger: true,
    choices: haltChoices(words.editable, applies ? [APPLY] : []),
  };
}

const STATES = { destructive: '', consent: '', resumed: 'still open', changed: 'changed' } as const;

/** A judgement without parts, such as a model's, speaks of the whole action. */
function findingsOf({ findings = [], reason, rule }: Judgement): readonly Finding[] {
  if (findings.length > 0) return findings;
  return [{ rule: rule ?? '', verb: reason, part: [0, 0] }];
}

function reasonsOf(
  why: keyof typeof STATES,
  { reason, credential }: Judgement,
  dangers: readonly Danger[],
): readonly string[] {
  const own = dangers.length > 0 ? [] : [oneLine(reason)];
  switch (why) {
    case 'destructive':
      return own;
    case 'consent':
      if (credential) return ['It may show a key or password to a model on another machine.'];
      return [`The model asks for it. The gate: ${oneLine(reason)}.`];
    case 'changed':
      return ['What it names has changed since you were asked. Nothing has run.', ...own];
    case 'resumed':
      return ['It was open when the program closed. Nothing has run since.', ...own];
  }
}

// An answer that a question offers.

export type Choice = {
  /** `edit` and `note` open a field in which the answer is written. */
  readonly answer: Answer['kind'] | 'note';
  /** The letter that gives this answer. */
  readonly key: string;
  readonly label: string;
  /** The same where there is room for more words, and where there is less. */
  readonly long?: string;
  readonly short?: string;
  /** What it does, for the help. */
  readonly does: string;
  /** Something happens for real by it. */
  readonly harmful?: true;
};
