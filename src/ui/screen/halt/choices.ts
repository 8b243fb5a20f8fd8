/**
 * The answers of each kind of question: key, button and effect (`p` at a HALT is PROCEED), and the help that lists
 * them. Pure.
 */
import type { Answer } from '../../../session/event.ts';
import type { Grant } from '../../../session/grants.ts';
import type { Mode } from '../../../session/ids.ts';
import { modeName } from '../../../session/mode.ts';
import { visible } from '../../../text/sanitize.ts';

/** An answer that a question offers. */
export type Choice = {
  /** `edit` and `note` open a field for the answer's text. */
  readonly answer: Answer['kind'] | 'note';
  /** The letter that gives this answer. */
  readonly key: string;
  readonly label: string;
  /** The label where there is room for more words, and where there is less. */
  readonly long?: string;
  readonly short?: string;
  /** The answer's effect, for the help. */
  readonly does: string;
  /** The same in a hint, if it is not the label with an s. */
  readonly works?: string;
  /** Whether the answer has a real effect. */
  readonly harmful?: true;
};

const PROCEED: Choice = { answer: 'proceed', key: 'p', label: 'proceed', does: 'runs it', harmful: true };
const SKIP: Choice = { answer: 'skip', key: 's', label: 'skip', does: 'does not run it; the model carries on' };
const ABORT: Choice = { answer: 'abort', key: 'a', label: 'abort', does: 'does not run it; the run ends' };
const NOTE: Choice = {
  answer: 'note',
  key: 'n',
  label: 'note',
  long: 'skip with a note',
  short: 'with a note',
  does: 'does not run it, and tells the model what you write',
};
const EDIT: Choice = {
  answer: 'edit',
  key: 'e',
  label: 'edit',
  does: 'lets you change the command; it is then checked again',
};

/** Offered where a trial is possible (HA-10). */
export const TRY: Choice = {
  answer: 'try',
  key: 't',
  label: 'try',
  does: 'runs it on a copy that is thrown away, and shows the changes',
};
export const APPLY: Choice = {
  answer: 'apply',
  key: 'T',
  label: 'apply',
  does: 'makes exactly the changes of the trial',
  harmful: true,
};

/** A standing yes, for what destroys nothing: this tool, commands that only read, or a program with its subcommand. */
export function alwaysOf(grant: Grant): Choice {
  if (grant.of !== 'rules') return always(WHAT_FOR[grant.of]);
  const names = grant.rules.map(visible);
  const [first = '', ...more] = names;
  const named = more.length > 1 ? `${first} and ${more.length} more` : names.join(', ');
  return {
    ...always(`for ${names.join(', ')}`),
    long: `proceed, and don’t ask again for ${named}`,
    short: `allow ${named}`,
  };
}

const WHAT_FOR = { tool: 'for this tool', reads: 'for commands that only read', agents: 'for sub-agents' } as const;

function always(what: string): Choice {
  return {
    answer: 'always',
    key: 'P',
    label: 'always',
    long: `proceed, and don’t ask again ${what}`,
    short: 'allow for this session',
    does: `runs it, and does not ask again ${what} in this session`,
  };
}

/** A yes to what leaves the machine, which applies beyond this action. */
export function sendOf(proceed: Choice, leaveFor: 'run' | 'session' = 'session'): Choice {
  return {
    ...proceed,
    label: 'send',
    does: `runs it, and does not ask about this receiver again in this ${leaveFor}`,
  };
}

/** Returns the answers of a HALT or a consent, the safe one first. */
export function haltChoices(editable: boolean, more: readonly Choice[]): readonly Choice[] {
  return [SKIP, NOTE, ...(editable ? [EDIT] : []), ...more, PROCEED, ABORT];
}

/** An escalation can't be skipped (HA-4). */
export const ESCALATION_CHOICES: readonly Choice[] = [
  { ...PROCEED, does: 'continues the run' },
  { ...ABORT, does: 'ends the run; the conversation stays' },
];

/** The answers about a plan before its first step (PP-6). */
export const PLAN_CHOICES: readonly Choice[] = [
  { ...PROCEED, label: 'begin', does: 'begins with the first task', harmful: true },
  { ...EDIT, does: 'opens the tasks in your editor, one per line, then shows the plan again' },
  {
    ...NOTE,
    label: 'send back',
    long: 'send back with a word',
    short: 'send back',
    does: 'asks for a new plan that follows what you write',
  },
  { ...ABORT, does: 'ends the run; nothing has run' },
];

/** The answers to a mode request: the offered modes, the narrowest first (MO-3, MO-9). */
export const MODE_CHOICES: readonly Choice[] = [
  { answer: 'proceed', key: 'y', label: 'project', does: 'switches to Project mode and runs it', harmful: true },
  {
    answer: 'unrestricted',
    key: 'u',
    label: 'unrestricted',
    does: 'switches to Unrestricted mode and runs it',
    harmful: true,
  },
  { answer: 'skip', key: 'n', label: 'no', does: 'keeps the mode; the model is told no' },
  { ...ABORT, does: 'keeps the mode; the run ends' },
];

/** The answers for a command in which the light sandbox blocked something. */
export const OUTSIDE_CHOICES: readonly Choice[] = [
  { answer: 'proceed', key: 'y', label: 'once', does: 'runs it again outside the light sandbox', harmful: true },
  {
    answer: 'always',
    key: 'P',
    label: 'this session',
    does: 'runs it again outside the light sandbox, and all later commands of this session',
    harmful: true,
  },
  { answer: 'skip', key: 'n', label: 'no', does: 'does not run it; you are not asked again' },
  { ...ABORT, does: 'does not run it; the run ends' },
];

/** The answers at the spending limit: one more amount of money, or the end of the run with everything kept (CO-2). */
export const SPEND_CHOICES: readonly Choice[] = [
  { ...PROCEED, key: 'y', label: 'approve', does: 'allows this much more spending' },
  { ...ABORT, key: 'n', label: 'deny', does: 'ends the run; the conversation stays' },
];

/** Sends the form to the server, declines it, or does neither. */
export const FORM_CHOICES: readonly Choice[] = [
  { ...PROCEED, label: 'send', does: 'sends what you typed to the server' },
  { ...SKIP, label: 'decline', does: 'tells the server no' },
  { ...ABORT, label: 'cancel', does: 'tells the server nothing' },
];

/** The subject of the help. */
type Helped = {
  readonly choices: readonly Choice[];
  readonly hasDiff?: boolean | undefined;
  readonly offers?: readonly Mode[] | undefined;
};

type HelpRow = readonly [key: string, does: string];

const OFFER_KEYS: Readonly<Partial<Record<Mode, string>>> = { project: 'y', unrestricted: 'u' };

const HELP_KEYS: readonly HelpRow[] = [
  ['Enter', 'chooses the highlighted answer; Tab moves to the next'],
  ['↑ ↓', 'scroll, as do PageUp, PageDown, Home and End'],
  ['Ctrl-O', 'shows all of a long command, or only its dangerous parts'],
  ['Ctrl-X Ctrl-C', 'ends the run at any time without running anything'],
];

/** Returns the help, which replaces the question while it is shown. */
export function helpOf({ choices, hasDiff, offers = [] }: Helped) {
  const keys: readonly HelpRow[] = [
    ...choices.map(({ key, label, does }): HelpRow => [key, `${label}: ${does}`]),
    ...offers.map((mode): HelpRow => [OFFER_KEYS[mode] ?? '', `switches to ${modeName(mode)} mode and runs it`]),
    ...(hasDiff ? [['d', 'shows the whole diff, or the list again'] as const] : []),
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
