/** Actions of one reply that run side by side: which may, how they start, and how their results keep the order of the calls. */
import type { Action } from './action.ts';
import type { OpId } from './ids.ts';
import { upgradeReason } from './mode.ts';
import type { Dispatch, Held, Lane, Lanes, Outcome } from './phase.ts';
import { showOutcome, tellOutcome } from './record.ts';
import type { Work } from './work.ts';

/** Actions that run at the same time at most; the others wait their turn. */
const MOST_AT_ONCE = 8;

/**
 * Whether the action after the one in hand is decided before either starts. Delegated tasks are: their acts pass the
 * gate one by one. Anything else only where the whole reply reads and nothing else, and a mode request is a barrier.
 */
export function joinsNext({ actions, index, reading }: Dispatch): boolean {
  const next = actions[index + 1];
  if (!next || upgradeReason(next) !== undefined) return false;
  return reading || (next.kind === 'delegate' && actions[index]?.kind === 'delegate');
}

/** How many of what was decided may run at the same time: `dispatch.index` is the first of them. */
export function atOnceOf({ actions, index, reading }: Dispatch, held: readonly Held[]): number {
  if (held.length < 2) return 1;
  const delegates = actions.slice(index, index + held.length).every((action) => action.kind === 'delegate');
  return reading || delegates ? MOST_AT_ONCE : 1;
}

/** Tells the model of every lane from the front that is over; what is left begins with one that is not. */
export function tellFront(work: Work, { dispatch, lanes }: Lanes): Lanes {
  let told = 0;
  for (const lane of lanes) {
    const action = dispatch.actions[dispatch.index + told];
    if (!action || (lane.kind !== 'ended' && lane.kind !== 'unrun')) break;
    tellLane(work, action, lane);
    told += 1;
  }
  return { dispatch: { ...dispatch, index: dispatch.index + told }, lanes: lanes.slice(told) };
}

/** One lane that is over, as the model's result. */
export function tellLane(work: Work, action: Action, lane: Extract<Lane, { kind: 'ended' | 'unrun' }>): void {
  if (lane.kind === 'ended') tellOutcome(work, action, lane.approved, lane.outcome);
  else work.answerUnrun(action, lane.text);
}

/** Starts what may start now. The only way to an `act` effect: under a judgement, by name. */
export function startLanes(work: Work, { dispatch, lanes }: Lanes, atOnce: number): readonly Lane[] {
  let free = atOnce - lanes.filter((lane) => lane.kind === 'running').length;
  return lanes.map((lane, at) => {
    const action = dispatch.actions[dispatch.index + at];
    if (lane.kind !== 'cleared' || !action || free <= 0) return lane;
    free -= 1;
    const op = work.id('op');
    const { judgedAs, judgement, approved, cwd, mode } = lane;
    work.effect({ kind: 'act', session: work.conversation.id, op, judgedAs, judgement, approved, action, cwd, mode });
    return { kind: 'running', op, approved, started: false };
  });
}

/** The lane in which `op` runs, with its action. */
export function laneOf({ dispatch, lanes }: Lanes, op: OpId) {
  const at = lanes.findIndex((lane) => lane.kind === 'running' && lane.op === op);
  const lane = lanes[at];
  const action = dispatch.actions[dispatch.index + at];
  return lane?.kind === 'running' && action ? { at, lane, action } : undefined;
}

/** What runs now, in the order of the reply. */
export function runningOf({ dispatch, lanes }: Lanes): readonly { readonly op: OpId; readonly action: Action }[] {
  return lanes.flatMap((lane, at) => {
    const action = dispatch.actions[dispatch.index + at];
    return lane.kind === 'running' && lane.started && action ? [{ op: lane.op, action }] : [];
  });
}

/** What `op` came to is shown at once and kept for its turn. */
export function endLane(work: Work, lanes: Lanes, op: OpId, outcome: Outcome): readonly Lane[] | undefined {
  const found = laneOf(lanes, op);
  if (!found) return undefined;
  showOutcome(work, op, found.action, outcome);
  return lanes.lanes.with(found.at, { kind: 'ended', approved: found.lane.approved, outcome });
}

/** The lanes without those that have not started: they are judged anew when their turn comes, but for what was skipped. */
export function withoutWaiting({ dispatch, lanes }: Lanes): Lanes {
  const last = lanes.findLastIndex((lane) => lane.kind === 'running' || lane.kind === 'ended');
  return { dispatch: rememberSkipped(dispatch, lanes), lanes: lanes.slice(0, last + 1) };
}

/** The user is not asked twice: what they skipped stays skipped when its lane goes. */
export function rememberSkipped(dispatch: Dispatch, lanes: readonly Lane[]): Dispatch {
  const skipped = { ...dispatch.skipped };
  for (const [at, lane] of lanes.entries()) {
    if (lane.kind === 'unrun' && lane.skipped) skipped[dispatch.index + at] = lane;
  }
  return Object.keys(skipped).length === 0 ? dispatch : { ...dispatch, skipped };
}
