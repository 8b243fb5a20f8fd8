/**
 * Data that leaves the machine, by receiver. The user is asked once per run, or in a chat once per session (AC-8).
 * Pure.
 */
import type { Judgement, Leaving } from './action.ts';
import { type LeaveWord, rootOf, type State } from './state.ts';
import type { Transition } from './transition.ts';

/** The receiver's name for programs installed as root, for all users. */
export const PACKAGES = 'the packages of this system';

/** Returns the user's answer for all receivers: false if any was denied, undefined if any is unanswered. */
export function leaveAnswer({ leaving = [] }: State, leaves: readonly Leaving[]): boolean | undefined {
  const words = leaves.map(({ to }) => leaving.find((word) => covers(word, to))?.allowed);
  return words.includes(false) ? false : words.includes(undefined) ? undefined : true;
}

function covers({ to, named }: LeaveWord, receiver: string): boolean {
  return to === receiver || (named === true && receiver.startsWith(`${to}/`));
}

/** Returns how long an answer given now is valid. */
export function leaveFor({ state, conversation }: Pick<Transition, 'state' | 'conversation'>): 'run' | 'session' {
  const { phase } = conversation.parent ? rootOf(state) : conversation;
  return phase.kind !== 'idle' && phase.run.kind === 'norris' ? 'run' : 'session';
}

/** Stores the answer to a question about leaving data. A HALT covers more than that, so its answer is not stored. */
export function rememberLeave(next: Transition, { leaves = [], destructive }: Judgement, allowed: boolean): void {
  if (destructive) return;
  const run = leaveFor(next) === 'run' ? ({ run: true } as const) : {};
  setWords(
    next,
    leaves.map(({ to }) => ({ to, allowed, ...run })),
  );
}

/** The user allows or forbids a receiver (`:allow leave`, `--leave`), or removes that setting. */
export function setLeave(next: Transition, to: string, allowed: boolean): void {
  if (allowed) return setWords(next, [{ to, allowed, named: true }]);
  next.state = { ...next.state, leaving: (next.state.leaving ?? []).filter((word) => word.to !== to) };
}

function setWords(next: Transition, words: readonly LeaveWord[]): void {
  if (words.length === 0) return;
  const others = (next.state.leaving ?? []).filter(({ to }) => !words.some((word) => word.to === to));
  next.state = { ...next.state, leaving: [...others, ...words] };
}

/** Forgets the answers of a run when it starts or ends. In a chat the user's next line forgets denials. */
export function forgetLeave(next: Transition, what: 'run' | 'no'): void {
  const { leaving } = next.state;
  if (!leaving) return;
  const stays = ({ run, allowed }: LeaveWord) => run === undefined && (what === 'run' || allowed);
  next.state = { ...next.state, leaving: leaving.filter(stays) };
}

/** Tells the model that the user has already denied sending this data. */
export function leaveRefused(leaves: readonly Leaving[]): string {
  return `[aish] not run: the user has said that nothing may leave for ${leaves.map(({ to }) => to).join(', ')}`;
}
