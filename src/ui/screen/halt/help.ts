/** The help of a question: its keys in a column, and what each does. Pure. */
import type { Mode } from '../../../session/ids.ts';
import { modeName } from '../../../session/mode.ts';
import type { Choice } from './choice.ts';

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
export function helpOf({ choices, hasDiff, offers = [] }: Helped) {
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
