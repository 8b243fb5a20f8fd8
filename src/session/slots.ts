/**
 * Parallel actions of one reply: which may run together, how they start, and how results keep the order of the calls.
 */
import type { Action, AllowedBy } from './action.ts';
import type { OpId } from './ids.ts';
import { PACKAGES } from './leaving.ts';
import { isUpgradeRequest } from './mode.ts';
import type { ActionSlot, ActionSlots, Approved, Decided, Dispatch, Outcome } from './phase.ts';
import { showOutcome, tellOutcome } from './results.ts';
import type { Transition } from './transition.ts';

/** How many actions may run at the same time; the others wait. */
const MAX_CONCURRENT = 8;

/**
 * Returns whether the next action is decided before the current one starts. Delegated tasks are, because the gate
 * judges their actions one by one. Others only if the whole reply just reads. A mode request is a barrier.
 */
export function canRunWithNext({ actions, index, reading }: Dispatch): boolean {
  const next = actions[index + 1];
  if (!next || isUpgradeRequest(next)) return false;
  return reading || (next.kind === 'delegate' && actions[index]?.kind === 'delegate');
}

/** Returns how many decided actions may run at the same time; `dispatch.index` is the first. */
export function concurrencyOf({ actions, index, reading }: Dispatch, decided: readonly Decided[]): number {
  if (decided.length < 2) return 1;
  const delegates = actions.slice(index, index + decided.length).every((action) => action.kind === 'delegate');
  return reading || delegates ? MAX_CONCURRENT : 1;
}

/** Reports ended slots to the model in order, up to the first that has not ended. */
export function flushResults(next: Transition, { dispatch, slots }: ActionSlots): ActionSlots {
  let told = 0;
  for (const slot of slots) {
    const action = dispatch.actions[dispatch.index + told];
    if (!action || (slot.kind !== 'ended' && slot.kind !== 'notRun')) break;
    tellResult(next, action, slot);
    told += 1;
  }
  return { dispatch: { ...dispatch, index: dispatch.index + told }, slots: slots.slice(told) };
}

type Over = Extract<ActionSlot, { kind: 'ended' | 'notRun' }>;

/** Reports an ended slot as the model's result. */
export function tellResult(next: Transition, action: Action, slot: Over): void {
  if (slot.kind === 'ended') tellOutcome(next, action, slot.userApproved, slot.outcome);
  else if (slot.tried) next.answer(action, slot.text);
  else next.answerNotRun(action, slot.text);
}

/** Starts the actions that may start now. No other code creates an `act` effect, and each names its judgement. */
export function startSlots(next: Transition, { dispatch, slots }: ActionSlots, concurrency: number) {
  let free = concurrency - slots.filter((slot) => slot.kind === 'running').length;
  return slots.map((slot, at): ActionSlot => {
    const action = dispatch.actions[dispatch.index + at];
    if (slot.kind !== 'approved' || !action || free <= 0) return slot;
    free -= 1;
    const op = next.id('op');
    const { kind: _, ...judged } = slot;
    const outside = runsOutside(next, action, slot) ? { outside: true as const } : {};
    next.effect({ kind: 'act', session: next.conversation.id, op, action, ...judged, ...outside });
    return {
      kind: 'running',
      op,
      ...approvalOf(slot),
      ...allowanceOf(slot),
      started: false,
      ...(slot.trial ? { trial: slot.trial } : {}),
    };
  });
}

/**
 * Returns whether a command runs outside the light sandbox: the user allowed it to, approved it at a HALT, or it is a
 * package manager.
 */
function runsOutside({ state }: Transition, action: Action, { userApproved, judgement }: Approved): boolean {
  if (action.kind !== 'command') return false;
  if (action.outside || state.outside || (userApproved && judgement.destructive)) return true;
  return judgement.leaves?.some(({ to }) => to === PACKAGES) === true;
}

/** Returns whether and when the user approved an action. */
function approvalOf({ userApproved, approvedAt }: Pick<Approved, 'userApproved' | 'approvedAt'>) {
  return { userApproved, ...(approvedAt === undefined ? {} : { approvedAt }) };
}

/** Returns why the action ran without a question, as far as known. */
function allowanceOf({ judgement: { looks, readOnly, kept } }: Approved): { readonly allowedBy?: AllowedBy } {
  if (looks || readOnly) return { allowedBy: 'reads' };
  return kept ? { allowedBy: 'kept' } : {};
}

/** Finds the slot and action of `op`. */
export function slotOf({ dispatch, slots }: ActionSlots, op: OpId) {
  const at = slots.findIndex((slot) => slot.kind === 'running' && slot.op === op);
  const slot = slots[at];
  const action = dispatch.actions[dispatch.index + at];
  return slot?.kind === 'running' && action ? { at, slot, action } : undefined;
}

/** Lists the running actions in the order of the reply. */
export function runningOf({ dispatch, slots }: ActionSlots): readonly { readonly op: OpId; readonly action: Action }[] {
  return slots.flatMap((slot, at) => {
    const action = dispatch.actions[dispatch.index + at];
    return slot.kind === 'running' && slot.started && action ? [{ op: slot.op, action }] : [];
  });
}

/** Shows the outcome of `op` at once and keeps it for its turn to be reported. */
export function endSlot(next: Transition, { dispatch, slots }: ActionSlots, op: OpId, outcome: Outcome) {
  const found = slotOf({ dispatch, slots }, op);
  if (!found) return undefined;
  showOutcome(next, op, found.action, outcome, found.slot);
  return slots.with(found.at, { kind: 'ended', ...approvalOf(found.slot), outcome });
}

/** Drops slots that have not started: except for skipped ones, they are judged again. */
export function dropPending({ dispatch, slots }: ActionSlots): ActionSlots {
  const last = slots.findLastIndex((slot) => slot.kind === 'running' || slot.kind === 'ended');
  return { dispatch: rememberSkipped(dispatch, slots), slots: slots.slice(0, last + 1) };
}

/** Keeps skipped actions skipped when their slots are dropped, so that the user is not asked twice. */
export function rememberSkipped(dispatch: Dispatch, slots: readonly ActionSlot[]): Dispatch {
  const skipped = { ...dispatch.skipped };
  for (const [at, slot] of slots.entries()) {
    if (slot.kind === 'notRun' && slot.skipped) skipped[dispatch.index + at] = slot;
  }
  return Object.keys(skipped).length === 0 ? dispatch : { ...dispatch, skipped };
}

/** Returns the actions decided before the current one as slots that have not run. */
export function openSlots({ dispatch, decided }: { dispatch: Dispatch; decided: readonly Decided[] }): ActionSlots {
  return { dispatch: { ...dispatch, index: dispatch.index - decided.length }, slots: decided };
}
