/** A wider mode is offered by itself, once in each mode: behind a plan, and behind the first thing that the mode refused (MO-9). */
import { modeName, offersFrom } from './mode.ts';
import type { Dispatch, Refused } from './phase.ts';
import type { NorrisRun, Run } from './run.ts';
import type { Transition } from './transition.ts';

const NO_ACTIONS: Dispatch = { actions: [], index: 0, reading: false };

/** Where the mode was chosen by nobody but the sandbox, and no wider one was spoken of yet. */
function mayOffer(next: Transition): boolean {
  const { mode, parent, settings, offeredIn = [] } = next.conversation;
  return settings.offers === true && !parent && offersFrom(next).length > 0 && !offeredIn.includes(mode);
}

/** A wider mode was spoken of. */
export function noteOffer(next: Transition): void {
  const { mode, offeredIn = [], settings } = next.conversation;
  if (settings.offers === true) next.set({ offeredIn: [...offeredIn, mode], refused: undefined });
}

/** A command has ended, and what it printed says that the mode was in its way. */
export function noteRefused(next: Transition, refused: Refused | undefined): void {
  if (refused !== undefined && mayOffer(next)) next.set({ refused });
}

/** Whether the user is asked now, before the next action or step, since a command was refused something. */
export function offerMode(next: Transition, run: Run, dispatch: Dispatch): boolean {
  const { refused } = next.conversation;
  if (refused === undefined || !mayOffer(next)) return false;
  const what = refused === 'write' ? 'a write' : 'the network';
  ask(next, `${modeName(next.conversation.mode)} refused ${what} to the last command`, run, dispatch, 'action');
  return true;
}

/** The same before the first task of a plan, where there is a mode in which its writes can be taken back. */
export function offerForPlan(next: Transition, run: NorrisRun, tasks: number): boolean {
  const { mode } = next.conversation;
  if (!mayOffer(next) || mode !== 'restricted' || !offersFrom(next).includes('project')) return false;
  ask(
    next,
    `the plan has ${tasks} task${tasks === 1 ? '' : 's'}, and nothing can be written in Restricted`,
    run,
    NO_ACTIONS,
    'plan',
  );
  return true;
}

function ask(next: Transition, reason: string, run: Run, dispatch: Dispatch, offered: 'plan' | 'action'): void {
  const { mode, settings, cwd } = next.conversation;
  const missing = settings.projectMissing === undefined ? {} : { missing: settings.projectMissing };
  noteOffer(next);
  const question = next.ask({
    kind: 'mode',
    reason,
    from: mode,
    offers: offersFrom(next),
    cwd,
    ...missing,
    offered,
  });
  next.phase({ kind: 'awaitingModeApproval', question, run, dispatch, offered });
}
