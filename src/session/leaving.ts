/** What may leave the machine, by receiver: asked once for a run, in a chat once for the session (AC-8). Pure. */
import type { Judgement, Leaving } from './action.ts';
import { type LeaveWord, rootOf, type State } from './state.ts';
import type { Transition } from './transition.ts';

/** What is asked about instead of a machine: programs that are installed as root, for everybody. */
export const PACKAGES = 'the packages of this system';

/** The user's word on all that would leave: a no to one of them is a no; undefined where one is still open. */
export function leaveWord({ leaving = [] }: State, leaves: readonly Leaving[]): boolean | undefined {
  const words = leaves.map(({ to }) => leaving.find((word) => covers(word, to))?.allowed);
  return words.includes(false) ? false : words.includes(undefined) ? undefined : true;
}

function covers({ to, named }: LeaveWord, receiver: string): boolean {
  return to === receiver || (named === true && receiver.startsWith(`${to}/`));
}

/** How long an answer given now holds. */
export function leaveFor({ state, conversation }: Pick<Transition, 'state' | 'conversation'>): 'run' | 'session' {
  const { phase } = conversation.parent ? rootOf(state) : conversation;
  return phase.kind !== 'idle' && phase.run.kind === 'norris' ? 'run' : 'session';
}

/** Remembers the user's answer to a question about what leaves; a HALT is about more, and says nothing of it. */
export function rememberLeave(next: Transition, { leaves = [], destructive }: Judgement, allowed: boolean): void {
  if (destructive) return;
  const run = leaveFor(next) === 'run' ? ({ run: true } as const) : {};
  setWords(
    next,
    leaves.map(({ to }) => ({ to, allowed, ...run })),
  );
}

/** The user names a receiver (`:allow leave`, `--leave`), or takes their word back. */
export function setLeave(next: Transition, to: string, allowed: boolean): void {
  if (allowed) return setWords(next, [{ to, allowed, named: true }]);
  next.state = { ...next.state, leaving: (next.state.leaving ?? []).filter((word) => word.to !== to) };
}

function setWords(next: Transition, words: readonly LeaveWord[]): void {
  if (words.length === 0) return;
  const others = (next.state.leaving ?? []).filter(({ to }) => !words.some((word) => word.to === to));
  next.state = { ...next.state, leaving: [...others, ...words] };
}

/** A run begins or ends: what was said in it is over. In a chat a no is, with the user's next line. */
export function forgetLeave(next: Transition, what: 'run' | 'no'): void {
  const { leaving } = next.state;
  if (!leaving) return;
  const stays = ({ run, allowed }: LeaveWord) => run === undefined && (what === 'run' || allowed);
  next.state = { ...next.state, leaving: leaving.filter(stays) };
}

/** To the model, where the user has said no already. */
export function leaveRefused(leaves: readonly Leaving[]): string {
  return `[aish] not run: the user has said that nothing may leave for ${leaves.map(({ to }) => to).join(', ')}`;
}
