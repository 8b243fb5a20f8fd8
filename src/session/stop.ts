/** Abort, and what a program that closed in the middle left behind (HA-3, RE-4). Nothing is launched here. */
import type { Action, CommandResult } from './action.ts';
import { lostReport } from './delegate.ts';
import type { OpId } from './ids.ts';
import { tellLane } from './lanes.ts';
import { ALREADY_UNRESTRICTED, NO_SANDBOX, setMode, UPGRADE_DENIED } from './mode.ts';
import type { Dispatch, Held, Lane, Lanes, Outcome } from './phase.ts';
import { showOutcome } from './record.ts';
import type { Run } from './run.ts';
import type { Conversation, Settings } from './state.ts';
import { examineNext, finishRun } from './steps.ts';
import type { Work } from './work.ts';

const NOT_RUN = '[aish] not run: aborted by the user';
const CLOSED = 'the program closed meanwhile';

/** Ends whatever is under way. What is outstanding is cancelled and waited for in `stopping`. */
export function abort(work: Work): void {
  const { phase, id: session } = work.conversation;
  switch (phase.kind) {
    case 'idle':
    case 'stopping':
    case 'stoppingActions':
      return;
    case 'halted':
      return settle(work, phase.run, undecided(phase));
    case 'escalated':
    case 'awaitingSpend':
      return settle(work, phase.run);
    case 'planning': {
      const { op, run } = phase;
      work.effect({ kind: 'cancel', session, op });
      return work.phase({ kind: 'stopping', op, run, planning: true });
    }
    case 'awaitingModeApproval':
      return denyAndSettle(work, phase.run, phase.dispatch);
    case 'replying':
    case 'judging': {
      const { op, run } = phase;
      work.effect({ kind: 'cancel', session, op });
      return work.phase({ kind: 'stopping', op, run, ...(phase.kind === 'judging' ? { open: undecided(phase) } : {}) });
    }
    case 'acting': {
      const { run, dispatch, lanes } = phase;
      for (const lane of lanes) {
        if (lane.kind === 'running') work.effect({ kind: 'cancel', session, op: lane.op });
      }
      return work.phase({ kind: 'stoppingActions', run, dispatch, lanes });
    }
  }
}

/** An abort at a mode request is a deny and then an abort (MO-7). */
function denyAndSettle(work: Work, run: Run, dispatch: Dispatch): void {
  const action = dispatch.actions[dispatch.index];
  if (action) work.answer(action, UPGRADE_DENIED);
  settle(work, run, { dispatch: { ...dispatch, index: dispatch.index + 1 }, lanes: [] });
}

/** What was decided before the action in hand counts as its lanes: none of it has run. */
export function undecided({ dispatch, held }: { dispatch: Dispatch; held: readonly Held[] }): Lanes {
  return { dispatch: { ...dispatch, index: dispatch.index - held.length }, lanes: held };
}

/** Every call still open gets its one result (AC-4), in order, then the run ends as aborted. */
export function settle(work: Work, run: Run, open?: Lanes, reason?: string): void {
  if (work.conversation.tightening) setMode(work, 'restricted');
  for (const [at, action] of open?.dispatch.actions.slice(open.dispatch.index).entries() ?? []) {
    const lane = open?.lanes[at];
    if (lane?.kind === 'ended' || lane?.kind === 'unrun') tellLane(work, action, lane);
    else if (action.callId !== undefined) work.answer(action, NOT_RUN);
  }
  finishRun(work, run, reason === undefined ? { status: 'aborted' } : { status: 'aborted', reason });
}

/** After a restart: open questions are judged anew and asked again, a started action is never run again, the rest ends. */
export function resume(work: Work, settings: Settings): void {
  const lost = dropChildren(work);
  const { phase, mode } = work.conversation;
  work.set({ settings, tightening: false });
  if (mode === 'restricted' && !settings.sandbox) {
    work.notice('warning', NO_SANDBOX);
    setMode(work, 'unrestricted');
  }
  switch (phase.kind) {
    case 'idle':
    case 'escalated':
    case 'awaitingSpend':
      return;
    case 'awaitingModeApproval':
      if (settings.sandbox) return;
      return settleUpgrade(work, phase.run, phase.dispatch);
    case 'planning':
    case 'replying':
      return settle(work, phase.run, undefined, CLOSED);
    case 'halted':
    case 'judging':
      work.unask();
      return examineNext(work, phase.run, undecided(phase).dispatch, 'asked');
    case 'acting':
      if (!phase.lanes.some(hasStarted)) return examineNext(work, phase.run, phase.dispatch, 'asked');
      return settleUnknown(work, phase.run, phase, lost);
    case 'stopping':
      return settle(work, phase.run, phase.open, CLOSED);
    case 'stoppingActions':
      return settleUnknown(work, phase.run, phase, lost);
  }
}

/** The sandbox is gone: there is nothing to ask for any more (MO-5). */
function settleUpgrade(work: Work, run: Run, dispatch: Dispatch): void {
  const action = dispatch.actions[dispatch.index];
  if (action) work.answer(action, ALREADY_UNRESTRICTED);
  settle(work, run, { dispatch: { ...dispatch, index: dispatch.index + 1 }, lanes: [] }, CLOSED);
}

function hasStarted(lane: Lane): boolean {
  return lane.kind === 'ended' || (lane.kind === 'running' && lane.started);
}

/** No sub-agent outlives its program: what they were doing, by the operation that waited for each. */
function dropChildren(work: Work): ReadonlyMap<OpId, Conversation> {
  const { sessions, questions } = work.state;
  const children = Object.values(sessions).filter((each) => each.parent?.session === work.conversation.id);
  const gone = new Set(children.map((child) => child.id));
  work.state = {
    ...work.state,
    sessions: Object.fromEntries(Object.entries(sessions).filter(([id]) => !gone.has(id))),
    questions: questions.filter((question) => !gone.has(question.session)),
  };
  return new Map(children.flatMap((child) => (child.parent ? [[child.parent.op, child]] : [])));
}

function settleUnknown(work: Work, run: Run, { dispatch, lanes }: Lanes, lost: ReadonlyMap<OpId, Conversation>): void {
  const settled = lanes.map((lane, at): Lane => {
    const action = dispatch.actions[dispatch.index + at];
    if (lane.kind !== 'running' || !lane.started || !action) return lane;
    const outcome = unknownOf(action, work.conversation.cwd, lost.get(lane.op));
    showOutcome(work, lane.op, action, outcome);
    return { kind: 'ended', approved: lane.approved, outcome };
  });
  settle(work, run, { dispatch, lanes: settled }, CLOSED);
}

function unknownOf(action: Action, cwd: string, child: Conversation | undefined): Outcome {
  switch (action.kind) {
    case 'command':
      return { kind: 'command', result: outcomeUnknown(cwd) };
    case 'delegate':
      return lostReport(child);
    case 'tool':
      return { kind: 'tool', text: 'outcome unknown', failed: true };
  }
}

/** The result of a command whose end nobody saw. */
export function outcomeUnknown(cwd: string): CommandResult {
  return { exit: null, cwd, head: '', tail: '', omittedLines: 0, bytes: 0, milliseconds: 0, note: 'outcome unknown' };
}
