/**
 * The program's own question for a wider mode: once in each mode, after the first action that the mode refused (MO-9,
 * MO-11).
 */
import type { Action } from './action.ts';
import { modeName, offersFrom } from './mode.ts';
import type { Dispatch, NotRun, Refused } from './phase.ts';
import type { NorrisRun, Run } from './run.ts';
import { decidesAs } from './state.ts';
import type { Transition } from './transition.ts';

const NO_ACTIONS: Dispatch = { actions: [], index: 0, reading: false };

/** Whether the program may ask for a wider mode: the user has not answered that question in this mode yet. */
function mayOffer(next: Transition): boolean {
  const { mode, parent, settings, offeredIn = [] } = next.conversation;
  return settings.offers === true && !parent && offersFrom(next).length > 0 && !offeredIn.includes(mode);
}

/** The user has been asked about leaving this mode, or has just chosen it: the program does not ask again. */
export function noteOffer(next: Transition): void {
  const { mode, offeredIn = [], settings } = next.conversation;
  if (settings.offers === true)
    next.set({ offeredIn: [...offeredIn, mode], refused: undefined, refusedAction: undefined });
}

/** The mode refused `action` something, by what the action printed. */
export function noteRefused(next: Transition, refused: Refused | undefined, action: Action): void {
  if (refused === undefined || !mayOffer(next)) return;
  next.set({ refused, ...(decidesAs(next.conversation.settings, 3) ? { refusedAction: action } : {}) });
}

/**
 * Asks, before the next action or step, where the last one was refused something; false where nothing is to be asked.
 */
export function offerMode(next: Transition, run: Run, dispatch: Dispatch): boolean {
  const { refused, refusedAction, mode } = next.conversation;
  if (refused === undefined || !mayOffer(next)) return false;
  const what = refused === 'write' ? 'a write' : 'the network';
  if (!refusedAction) {
    ask(next, `${modeName(mode)} refused ${what} to the last command`, run, dispatch, { offered: 'action' });
    return true;
  }
  const began = refusedAction.kind === 'command' && mode === 'project';
  const part = began
    ? '; the first part of the command has run already, and a yes runs all of it again'
    : '; a yes runs this again';
  const reason = `${modeName(mode)} mode blocked ${what}${part}`;
  ask(next, reason, run, dispatch, { offered: 'action', action: refusedAction });
  return true;
}

/** Before the first task of a plan, in journals of semantics 1 and 2. */
export function offerForPlan(next: Transition, run: NorrisRun, tasks: number): boolean {
  const { mode, settings } = next.conversation;
  if (decidesAs(settings, 3) || !mayOffer(next) || mode !== 'restricted') return false;
  if (!offersFrom(next).includes('project')) return false;
  const reason = `the plan has ${tasks} task${tasks === 1 ? '' : 's'}, and nothing can be written in Restricted`;
  ask(next, reason, run, NO_ACTIONS, { offered: 'plan' });
  return true;
}

/** The actions with the refused one put before the next: it is judged anew and runs as a new action. */
export function withAgain(dispatch: Dispatch, action: Action): Dispatch {
  const { index, skipped } = dispatch;
  const actions = dispatch.actions.toSpliced(index, 0, action);
  if (!skipped) return { ...dispatch, actions, reading: false };
  const later = new Map<number, NotRun>();
  for (const [at, skip] of Object.entries(skipped)) if (Number(at) >= index) later.set(Number(at) + 1, skip);
  return { ...dispatch, actions, reading: false, skipped: Object.fromEntries(later) };
}

function ask(
  next: Transition,
  reason: string,
  run: Run,
  dispatch: Dispatch,
  how: { readonly offered: 'plan' | 'action'; readonly action?: Action },
): void {
  const { mode, settings, cwd } = next.conversation;
  const missing = settings.projectMissing === undefined ? {} : { missing: settings.projectMissing };
  noteOffer(next);
  const question = next.ask({ kind: 'mode', reason, from: mode, offers: offersFrom(next), cwd, ...missing, ...how });
  next.phase({
    ...{ kind: 'awaitingModeApproval', question, run, dispatch, offered: how.offered },
    ...(how.action ? { again: how.action } : {}),
  });
}
