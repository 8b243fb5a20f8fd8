/**
 * aish-tui's own question for a wider mode, asked once in each mode after the mode first refused an action (MO-9,
 * MO-11).
 */
import type { Action } from './action.ts';
import type { Mode } from './ids.ts';
import { modeName, offersFrom } from './mode.ts';
import type { Attempt, Dispatch, NotRun, Outcome, Refused } from './phase.ts';
import type { NorrisRun, Run } from './run.ts';
import { decidesAs } from './state.ts';
import type { Transition } from './transition.ts';

const NO_ACTIONS: Dispatch = { actions: [], index: 0, reading: false };

/** Returns whether aish-tui may ask: the user has not answered that question in this mode yet. */
function mayOffer(next: Transition, refused?: Refused): boolean {
  const { mode, parent, settings, offeredIn = [] } = next.conversation;
  if (settings.offers !== true || parent || offeredIn.includes(mode)) return false;
  return refused === 'sandbox' ? !next.state.outside && mode === 'unrestricted' : offersFrom(next).length > 0;
}

/** The user has decided about leaving this mode, so aish-tui does not ask again. */
export function noteOffer(next: Transition): void {
  const { mode, offeredIn = [], settings } = next.conversation;
  if (settings.offers === true)
    next.set({
      offeredIn: [...offeredIn, mode],
      refused: undefined,
      refusedAction: undefined,
      refusedAttempt: undefined,
    });
}

/**
 * Notes that the mode refused something to `action`, as its output shows.
 * @param attempt what the action had changed before
 */
export function noteRefused(
  next: Transition,
  refused: Refused | undefined,
  action: Action,
  attempt: Attempt = { whole: false },
): void {
  if (refused === undefined || !mayOffer(next, refused)) return;
  const again = decidesAs(next.conversation.settings, 3) ? { refusedAction: action, refusedAttempt: attempt } : {};
  next.set({ refused, ...again });
}

/** Says what happens to the first attempt's changes if the command runs again. */
function againText(began: boolean, { action, whole }: Attempt): string {
  if (!began || (whole && action === undefined)) return '; a yes runs this again';
  if (whole) return '; a yes takes back what the command has changed and runs it again';
  return '; the first part has already run: run all of it again?';
}

/** Asks about a refusal before the next action or step; returns false if there is nothing to ask. */
export function offerMode(next: Transition, run: Run, dispatch: Dispatch): boolean {
  const { refused, refusedAction, refusedAttempt = { whole: false }, mode } = next.conversation;
  if (refused === undefined || !mayOffer(next, refused)) return false;
  if (refused === 'sandbox') return offerOutside(next, run, dispatch, refusedAction, refusedAttempt);
  const what = refused === 'write' ? 'a write' : 'the network';
  if (!refusedAction) {
    ask(next, `${modeName(mode)} refused ${what} to the last command`, run, dispatch, { offered: 'action' });
    return true;
  }
  const began = refusedAction.kind === 'command' && mode === 'project';
  const blocked = `${modeName(mode)} mode blocked ${what}${againText(began, refusedAttempt)}`;
  // The hosts that it needs are unknown, so the question can't be about single hosts.
  const once = began && refused === 'network' ? ({ once: true } as const) : {};
  ask(next, blocked, run, dispatch, { offered: 'action', action: refusedAction, ...once }, refusedAttempt);
  return true;
}

/** Asks whether the refused command may run again outside the light sandbox; returns false if it can't. */
function offerOutside(next: Transition, run: Run, dispatch: Dispatch, again: Action | undefined, attempt: Attempt) {
  next.set({ refused: undefined, refusedAction: undefined, refusedAttempt: undefined });
  if (again?.kind !== 'command') return false;
  const { mode: from, cwd } = next.conversation;
  const reason = `the light sandbox refused something${againText(true, attempt)}`;
  const about = { offered: 'action', outside: true, cwd, from, offers: [] } as const;
  const question = next.ask({ kind: 'mode', reason, action: again, ...about });
  next.phase({
    ...{ kind: 'awaitingModeApproval', question, run, dispatch, offered: 'action', outside: true, again, attempt },
  });
  return true;
}

/** Asks before the first task of a plan; only in journals of semantics 1 and 2. */
export function offerForPlan(next: Transition, run: NorrisRun, tasks: number): boolean {
  const { mode, settings } = next.conversation;
  if (decidesAs(settings, 3) || !mayOffer(next) || mode !== 'restricted') return false;
  if (!offersFrom(next).includes('project')) return false;
  const reason = `the plan has ${tasks} task${tasks === 1 ? '' : 's'}, and nothing can be written in Restricted`;
  ask(next, reason, run, NO_ACTIONS, { offered: 'plan' });
  return true;
}

/** The wider mode was only for one action: restores the mode, which may be asked about again. */
export function returnTo(next: Transition, mode: Mode): void {
  const { offeredIn = [] } = next.conversation;
  next.set({ tightening: mode, offeredIn: offeredIn.filter((one) => one !== mode) });
}

/** Inserts the refused action before the next one; it is judged again and runs as a new action. */
export function withAgain(before: Dispatch, action: Action, attempt?: Attempt): Dispatch {
  const { index, skipped } = before;
  const actions = before.actions.toSpliced(index, 0, action);
  const undone = attempt?.whole ? attempt.action : undefined;
  const dispatch = undone === undefined ? before : { ...before, takesBack: { index, action: undone } };
  if (!skipped) return { ...dispatch, actions, reading: false };
  const later = new Map<number, NotRun>();
  for (const [at, skip] of Object.entries(skipped)) if (Number(at) >= index) later.set(Number(at) + 1, skip);
  return { ...dispatch, actions, reading: false, skipped: Object.fromEntries(later) };
}

/** Remembers a command to run again, because its program gave up before the user allowed its connection. */
export function noteAgain(dispatch: Dispatch, action: Action | undefined, outcome: Outcome): Dispatch {
  if (outcome.kind !== 'command' || !outcome.again || !action) return dispatch;
  return { ...dispatch, again: [...(dispatch.again ?? []), { action, attempt: outcome.attempt }] };
}

/** Inserts the first of those commands before the next action; undefined if there are none. */
export function nextAgain({ again = [], ...dispatch }: Dispatch): Dispatch | undefined {
  const [first, ...others] = again;
  if (!first) return undefined;
  return withAgain(others.length === 0 ? dispatch : { ...dispatch, again: others }, first.action, first.attempt);
}

function ask(
  next: Transition,
  reason: string,
  run: Run,
  dispatch: Dispatch,
  how: { readonly offered: 'plan' | 'action'; readonly action?: Action; readonly once?: true },
  attempt?: Attempt,
): void {
  const { mode, settings, cwd } = next.conversation;
  const missing = settings.projectMissing === undefined ? {} : { missing: settings.projectMissing };
  noteOffer(next);
  const question = next.ask({ kind: 'mode', reason, from: mode, offers: offersFrom(next), cwd, ...missing, ...how });
  next.phase({
    ...{ kind: 'awaitingModeApproval', question, run, dispatch, offered: how.offered },
    ...(how.action ? { again: how.action } : {}),
    ...(how.once ? { once: how.once } : {}),
    ...(attempt ? { attempt } : {}),
  });
}
