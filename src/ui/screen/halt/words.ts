/** The content of a question before it is drawn: its words, its whole action, its answers. Pure. */

import { describeAction, type Finding, type Judgement } from '../../../session/action.ts';
import { shortDollars } from '../../../session/cost.ts';
import { grantOf } from '../../../session/grants.ts';
import type { Mode } from '../../../session/ids.ts';
import { modeName } from '../../../session/mode.ts';
import { MODE_WORDS } from '../../../session/mode-words.ts';
import { hostOf } from '../../../session/place.ts';
import { canBeApplied, type FleetAsked, type Question, type Trial } from '../../../session/question.ts';
import { shortPath } from '../../../text/display.ts';
import { visible } from '../../../text/sanitize.ts';
import { changeOf, countsText, diffRows, reviewParts, type TreeLine, trialRows } from './changes.ts';
import {
  APPLY,
  alwaysOf,
  type Choice,
  ESCALATION_CHOICES,
  FORM_CHOICES,
  haltChoices,
  helpOf,
  MODE_CHOICES,
  OUTSIDE_CHOICES,
  PLAN_CHOICES,
  SPEND_CHOICES,
  sendOf,
  TRY,
} from './choices.ts';
import { type Danger, dangersOf, isAllDanger, isExcerpted, markedCommand, oneLine } from './danger.ts';
import { beginForm, type FormUi, fieldHeading, formTree } from './form.ts';

type Of<K extends Question['kind']> = Extract<Question, { kind: K }>;

/** The place of an action. In a row that is too short the directory is cut, not the text about it. */
export type Place = { readonly path: string; readonly under: string };

export type QuestionWords = {
  /** The kind of question in capitals, and the rest of its title. */
  readonly chip: string;
  readonly title: string;
  /** Why it asks, in one or two lines. */
  readonly reasons: readonly string[];
  /** Further notes; on a small screen they come below the action. */
  readonly notes: readonly string[];
  /** The dangerous parts of the action, worst first. */
  readonly dangers: readonly Danger[];
  /** The action with invisible characters spelled out (HA-1) and dangerous words marked; '' if there is none. */
  readonly action: string;
  /** Whether the action is shown as excerpts, or a key has expanded it. */
  readonly folds: boolean;
  /** Whether the whole action is dangerous: all of it must have been on screen before it may run. */
  readonly allIsDanger: boolean;
  /** The arguments of a tool call. */
  readonly tree: readonly TreeLine[];
  /** The claims of the tool's server, marked as such. */
  readonly claims: readonly string[];
  /** The model's own words, marked as such. */
  readonly said?: string;
  /** The data that would be lost. */
  readonly impact: readonly string[];
  /** The place where the action would run, and its limits. */
  readonly place: Place;
  readonly mode?: Mode;
  readonly danger: boolean;
  readonly choices: readonly Choice[];
  /** The button with the initial focus: never one that runs something. */
  readonly start: number;
  readonly editable: boolean;
  /** Whether a key shows the diff. */
  readonly hasDiff?: true;
  /** Wider modes that a key switches to; the action then runs in them. */
  readonly offers?: readonly Mode[];
  /**
   * The key that returns to the question while the user looks at something else, such as a diff. Nothing can run from
   * there.
   */
  readonly aside?: 'd' | '?';
};

/** The reason for asking again: a server may change a tool after the user has consented to it. */
const CHANGED = 'The server has changed this tool since you approved or first saw it.';

/** The defaults for a question without an action. */
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

/** Returns the words of a question; for a form including its values. */
export function wordsOf(question: Question, ui: Looks = {}): QuestionWords {
  const words = wordsBehind(question, ui);
  return ui.help ? { ...words, ...helpOf(words) } : words;
}

/** The part of a question that is shown: the current field, the whole command, a diff, the help. */
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
    case 'plan':
      return planWords(question);
    case 'mode':
      return question.outside ? outsideWords(question) : modeWords(question);
    case 'spend':
      return spendWords(question);
    case 'review':
      return { ...BARE, ...reviewParts(question), allIsDanger: true, start: 0 };
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
      'proceed continues the run; abort ends it. The conversation stays.',
    ],
    choices: ESCALATION_CHOICES,
  };
}

function planWords({ planner, tasks }: Of<'plan'>): QuestionWords {
  return {
    ...BARE,
    chip: 'BEGIN?',
    title: `plan by ${visible(planner)}`,
    reasons: ['Nothing has run yet.'],
    action: tasks.map((task, at) => `${at + 1}. ${oneLine(task)}`).join('\n'),
    choices: PLAN_CHOICES,
    editable: true,
  };
}

function outsideWords({ reason, action }: Of<'mode'>): QuestionWords {
  return {
    ...BARE,
    chip: 'RUN OUTSIDE?',
    title: 'leave the light sandbox',
    reasons: [`${reason[0]?.toUpperCase()}${oneLine(reason).slice(1)}${reason.endsWith('?') ? '' : '.'}`],
    action: action ? visible(describeAction(action)) : '',
    impact: ['Outside it, sudo and mounts work, and the command reaches other processes and terminals.'],
    choices: OUTSIDE_CHOICES,
    start: OUTSIDE_CHOICES.findIndex(({ answer }) => answer === 'skip'),
  };
}

function modeWords({ reason, from, offers, wish, cwd, missing, action, offered, once }: Of<'mode'>): QuestionWords {
  const choices = MODE_CHOICES.filter(({ answer }) => answer !== 'proceed' || offers.includes('project'));
  const named = wish === undefined ? '' : ` for ${modeName(wish)} mode`;
  return {
    ...BARE,
    chip: 'CHANGE MODE?',
    title: once ? 'for this command only' : `leave ${modeName(from)}`,
    reasons: offered
      ? [
          `${reason[0]?.toUpperCase()}${oneLine(reason).slice(1)}${reason.endsWith('?') ? '' : '.'}`,
          once
            ? `One of its programs does not use the proxy, so you can't be asked about hosts. ${modeName(from)} mode is back after it.`
            : 'This is asked once per run. :mode changes it at any time.',
        ]
      : action
        ? [`${modeName(from)} mode blocks this command: ${oneLine(reason)}.`]
        : [`The model asks${named} to leave ${modeName(from)} mode, until you switch back.`],
    action: action ? visible(describeAction(action)) : '',
    said: offered || action ? '' : visible(reason),
    impact: [
      ...offers.map((mode) => MODE_WORDS[mode].offer(oneLine(shortPath(cwd)))),
      ...(missing !== undefined && offers.includes('project') ? [`no full Project mode here: ${missing}`] : []),
    ],
    choices,
    start: choices.findIndex(({ answer }) => answer === 'skip'),
  };
}

/**
 * Says what the kernel will refuse, so that a plain yes does not help, and names the modes offered instead (HA-6).
 */
function refusedLine(mode: Mode, offers: readonly Mode[] | undefined): string {
  const refused = `${modeName(mode)} mode will block this.`;
  if (!offers?.length) return refused;
  const keys = offers.map((offer) => `${offer === 'project' ? 'y' : 'u'} switches to ${modeName(offer)} and runs it`);
  return `${refused} ${keys.join(', ')}.`;
}

function formWords(question: Of<'form'>, form: FormUi, typing: boolean): QuestionWords {
  const { server, message } = question;
  return {
    ...BARE,
    chip: 'FORM',
    title: `The MCP server ${server} asks`,
    reasons: typing
      ? [...fieldHeading(question, form), visible(message)]
      : [visible(message), 'Your answers go to the server, which may pass them to the model.'],
    tree: formTree(question, form),
    choices: FORM_CHOICES,
    editable: question.fields.length > 0,
  };
}

function spendWords({ preset, spent, limit, allowance, estimate, asker }: Of<'spend'>): QuestionWords {
  return {
    ...BARE,
    chip: 'SPEND MORE?',
    title: asker ? `sub-agent ${asker.agent}` : '',
    reasons: [
      `${shortDollars(spent)} of ${shortDollars(limit)} spent; ${visible(preset)} ${estimate === undefined ? 'costs more' : `may cost up to ${shortDollars(estimate)} more`}.`,
      `approve adds ${shortDollars(allowance)}; deny ends the run.`,
      'The setting cost.stop_at_dollars is the limit. The conversation stays either way.',
    ],
    choices: SPEND_CHOICES,
  };
}

function haltWords(question: Of<'halt'>, whole: boolean): QuestionWords {
  const { action, judgement, why, mode, tool } = question;
  const text = action.kind === 'tool' ? action.name : action.kind === 'delegate' ? action.task : describeAction(action);
  const findings = judgement.destructive ? findingsOf(judgement) : [];
  const dangers = dangersOf(text, findings);
  const alone = !whole && isAllDanger(text, findings);
  const editable = action.kind === 'command';
  const grant = grantOf(question);
  const change = changeOf(question);
  return {
    ...headOf(question, change),
    reasons: [...reasonsOf(why, judgement, dangers), ...(tool?.changed ? [CHANGED] : []), ...reported(question)],
    notes: circumstances(question),
    ...(fails(question) && question.offers?.length ? { offers: question.offers } : {}),
    dangers,
    // If the whole command is the only dangerous part, it is shown already.
    action: alone || change.isDiff ? '' : markedCommand(text, findings, whole),
    folds: !alone && isExcerpted(text, findings),
    allIsDanger: dangers.some(({ part }) => part === ''),
    tree: change.rows,
    claims: (tool?.claims ?? []).map((claim) => `its server says: ${oneLine(claim)}`),
    impact: [...(judgement.impact ?? []), ...leavingLines(judgement)].map(oneLine),
    place: placeOf(question),
    mode,
    danger: why === 'destructive' || judgement.destructive,
    choices: [...actionChoices(question, editable), ...(grant ? [alwaysOf(grant)] : [])],
    start: 0,
    editable,
  };
}

/** Returns the kind of question, and whom it concerns. */
function headOf(question: Of<'halt'>, { chip, title }: ReturnType<typeof changeOf>) {
  const { why, cwd } = question;
  const to = sent(question)?.map((each) => oneLine(each.to));
  const about = [onHost(cwd), to ? `to ${to.join(', ')}` : title, haltTitle(question)];
  return { chip: why !== 'consent' ? 'HALT' : to ? 'SEND THIS?' : chip, title: about.filter(Boolean).join(' · ') };
}

/** Returns the data that would leave the machine, if the question is about data. */
function sent({ why, judgement }: Of<'halt'>): Judgement['leaves'] {
  return why === 'consent' ? judgement.leaves : undefined;
}

function actionChoices(question: Of<'halt'>, editable: boolean): readonly Choice[] {
  const choices = haltChoices(editable, question.canTry ? [TRY] : []);
  if (!sent(question)) return choices;
  return choices.map((choice) => (choice.answer === 'proceed' ? sendOf(choice, question.leaveFor) : choice));
}

/** Lists the data that would leave, by receiver. */
function leavingLines({ leaves = [] }: Judgement): readonly string[] {
  return leaves.flatMap(({ to, what }) => what.map((line) => (leaves.length > 1 ? `${to}: ${line}` : line)));
}

function placeOf({ action, cwd, mode, asker }: Of<'halt'>): QuestionWords['place'] {
  const job = action.kind === 'command' && action.job ? ['background job'] : [];
  const only = asker ? ['abort ends only this sub-agent'] : [];
  return { path: oneLine(shortPath(cwd)), under: [mode, ...job, ...only].join(' · ') };
}

function haltTitle({ why, asker, step }: Of<'halt'>): string {
  const who = asker ? `sub-agent ${asker.agent}` : '';
  const counter = step ? `step ${step.k} of ${step.n}` : '';
  return [STATES[why], who, counter].filter(Boolean).join(' · ');
}

/** Whether the kernel will refuse the action in this mode. */
function fails({ action, judgement, why, mode }: Of<'halt'>): boolean {
  return why !== 'consent' && action.kind === 'command' && (mode === 'restricted' || judgement.upgrade !== undefined);
}

/** Returns the notes beside the reasons. */
function circumstances(question: Of<'halt'>): readonly string[] {
  const { mode, offers, task, asker, noTry, trial } = question;
  return [
    ...(fails(question) ? [refusedLine(mode, offers)] : []),
    ...(noTry === undefined || trial ? [] : [`No trial: ${oneLine(noTry)}.`]),
    // The task is last: on a small screen the reason has priority.
    ...(task ? [`task ${task.k} of ${task.n}: ${oneLine(task.text)}`] : []),
    ...(asker ? [`task of the sub-agent: ${oneLine(asker.task)}`] : []),
  ];
}

/** The same HALT after a trial: shows the changes instead of the dangerous parts. */
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
    tree: diff
      ? diffRows(trial, true)
      : [...trialRows(trial, cwd, undoableOf(question.judgement)), ...diffRows(trial, false)],
    impact: [],
    place: { path: words.place.path, under: `${mode}${applies ? ' · apply does exactly this list' : ''}` },
    danger: true,
    choices: haltChoices(words.editable, applies ? [APPLY] : []),
  };
}

/** Returns whether undo can restore all that the command does; undefined where its parts differ or nobody knows. */
function undoableOf({ findings = [] }: Judgement): boolean | undefined {
  const [first, ...others] = findings.map(({ undoable }) => undoable);
  return others.every((other) => other === first) ? first : undefined;
}

const SHOWS = 'Its output may show a key or password to a model on another machine.';

const STATES = { destructive: '', consent: '', resumed: 'still open', changed: 'changed' } as const;

/** A judgement without parts, such as a model's, applies to the whole action. */
function findingsOf({ findings = [], reason, rule }: Judgement): readonly Finding[] {
  if (findings.length > 0) return findings;
  return [{ rule: rule ?? '', verb: reason, part: [0, 0] }];
}

function reasonsOf(
  why: keyof typeof STATES,
  { reason, credential, leaves, looks }: Judgement,
  dangers: readonly Danger[],
): readonly string[] {
  const own = dangers.length > 0 ? [] : [oneLine(reason)];
  switch (why) {
    case 'destructive':
      return own;
    case 'consent':
      if (leaves)
        return [
          'This sends data to another machine. You are asked once for each receiver.',
          ...(credential ? [SHOWS] : []),
        ];
      if (credential) return [SHOWS];
      return [
        'The model wants to run this.',
        ...(looks ? ['It only reads files.'] : [`It is not known to be safe: ${oneLine(reason)}.`]),
      ];
    case 'changed':
      return ['A file it names has changed since you were asked. Nothing has run.', ...own];
    case 'resumed':
      return ['You had not answered when aish-tui closed. Nothing has run since.', ...own];
  }
}

// The words of questions about other machines: a fleet, with its hosts first, or one host. Reports of hosts are
// hostile. Pure.

/** The maximum number of hosts in one line. */
const IN_LINE = 6;

function choicesFor(hosts: number): readonly Choice[] {
  const all = hosts === 1 ? '' : ' on all of them';
  const some: Choice = {
    answer: 'edit',
    key: 'e',
    label: 'some',
    does: 'lets you name hosts to be asked about separately',
  };
  return [
    { answer: 'skip', key: 's', label: 'skip', does: `does not run it${all}; their models carry on` },
    ...(hosts > 1 ? [some] : []),
    { answer: 'proceed', key: 'p', label: 'proceed', does: `runs it${all}`, harmful: true },
    { answer: 'abort', key: 'a', label: 'abort', does: `does not run it; the run ends${all}` },
  ];
}

function fleetParts(question: FleetAsked, whole: boolean) {
  const { goal, hosts, others, command, cwd, root, reason, findings, reported, differences, canary } = question;
  const dangers = dangersOf(command, findings);
  const alone = !whole && isAllDanger(command, findings);
  const who = hosts.length === 1 ? oneLine(hosts[0] ?? '') : `${hosts.length} hosts`;
  return {
    chip: 'HALT',
    title: [`on ${who}`, ...(root ? ['as root'] : []), `${others} more wait`].slice(0, others > 0 ? 3 : -1).join(' · '),
    reasons: [
      ...(hosts.length === 1 ? [] : rowsOf(hosts)).map((row, at) => `${at === 0 ? 'hosts: ' : '       '}${row}`),
      ...(dangers.length > 0 ? [] : [oneLine(reason)]),
      ...(canary === undefined ? [] : [`${oneLine(canary)} goes first; the others follow when it is done.`]),
      ...differences.map((difference) => `unlike most: ${oneLine(difference)}`),
    ],
    dangers,
    action: alone ? '' : markedCommand(command, findings, whole),
    folds: !alone && isExcerpted(command, findings),
    // The hosts and the action there: all of it must have been seen.
    allIsDanger: true,
    tree: [],
    notes: [],
    claims: [],
    impact: reported.map(oneLine),
    place: { path: oneLine(cwd), under: `unrestricted · goal: ${oneLine(goal)}` },
    mode: 'unrestricted',
    danger: true,
    choices: choicesFor(hosts.length),
    start: 0,
    editable: hosts.length > 1,
  } as const;
}

function rowsOf(hosts: readonly string[]): readonly string[] {
  return hosts.flatMap((_, at) =>
    at % IN_LINE > 0
      ? []
      : [
          hosts
            .slice(at, at + IN_LINE)
            .map(oneLine)
            .join(', '),
        ],
  );
}

// Facts about the machine of a HALT.

type Halt = Extract<Question, { readonly kind: 'halt' }>;

/** Names the machine first, because the same command has another effect on another machine. */
function onHost(place: string): string {
  const host = hostOf(place);
  return host === undefined ? '' : `on ${oneLine(host)}`;
}

/** A host reports only about itself, and may lie. */
function reported({ cwd, judgement: { impact = [], findings = [] } }: Halt): readonly string[] {
  const host = hostOf(cwd);
  const tells = impact.length > 0 || findings.some((finding) => (finding.impact ?? []).length > 0);
  return host !== undefined && tells ? [`${oneLine(host)} itself reports what would be lost.`] : [];
}

/** The same for the result of a trial. */
function triedAsReported({ cwd }: Halt): readonly string[] {
  const host = hostOf(cwd);
  return host === undefined ? [] : [`${oneLine(host)} itself reports these changes.`];
}
