/** Abort, and what a program that closed in the middle left behind (HA-3, RE-4). Nothing is launched here. */
import type { CommandResult } from './action.ts';
import { ALREADY_UNRESTRICTED, NO_SANDBOX, setMode, UPGRADE_DENIED } from './mode.ts';
import type { Dispatch, OpId, Run, Settings } from './state.ts';
import { examineNext, finishRun, recordOutcome } from './steps.ts';
import type { Work } from './work.ts';

const NOT_RUN = '[aish] not run: aborted by the user';
const CLOSED = 'the program closed meanwhile';

/** Ends whatever is under way. What is outstanding is cancelled and waited for in `stopping`. */
export function abort(work: Work): void {
  const { phase, id: session } = work.conversation;
  switch (phase.kind) {
    case 'idle':
    case 'stopping':
      return;
    case 'halted':
      return settle(work, phase.run, phase.dispatch);
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
    case 'judging':
    case 'acting': {
      const { op, run } = phase;
      work.effect({ kind: 'cancel', session, op });
      const dispatch = phase.kind === 'replying' ? {} : { dispatch: phase.dispatch };
      const acting = phase.kind === 'acting' ? { acting: { approved: phase.approved, started: phase.started } } : {};
      return work.phase({ kind: 'stopping', op, run, ...dispatch, ...acting });
    }
  }
}

/** An abort at a mode request is a deny and then an abort (MO-7). */
function denyAndSettle(work: Work, run: Run, dispatch: Dispatch): void {
  const action = dispatch.actions[dispatch.index];
  if (action) work.answer(action, UPGRADE_DENIED);
  settle(work, run, { ...dispatch, index: dispatch.index + 1 });
}

/** Every call still open gets its one result (AC-4), then the run ends as aborted. */
export function settle(work: Work, run: Run, dispatch?: Dispatch, reason?: string): void {
  if (work.conversation.tightening) setMode(work, 'restricted');
  for (const action of dispatch?.actions.slice(dispatch.index) ?? []) {
    if (action.callId !== undefined) work.answer(action, NOT_RUN);
  }
  finishRun(work, run, reason === undefined ? { status: 'aborted' } : { status: 'aborted', reason });
}

/** After a restart: open questions are judged anew and asked again, a started action is never run again, the rest ends. */
export function resume(work: Work, settings: Settings): void {
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
      return examineNext(work, phase.run, phase.dispatch, 'asked');
    case 'acting':
      if (!phase.started) return examineNext(work, phase.run, phase.dispatch, 'asked');
      return settleUnknown(work, phase.op, phase.run, phase.dispatch, phase.approved);
    case 'stopping':
      return phase.dispatch && phase.acting?.started
        ? settleUnknown(work, phase.op, phase.run, phase.dispatch, phase.acting.approved)
        : settle(work, phase.run, phase.dispatch, CLOSED);
  }
}

/** The sandbox is gone: there is nothing to ask for any more (MO-5). */
function settleUpgrade(work: Work, run: Run, dispatch: Dispatch): void {
  const action = dispatch.actions[dispatch.index];
  if (action) work.answer(action, ALREADY_UNRESTRICTED);
  settle(work, run, { ...dispatch, index: dispatch.index + 1 }, CLOSED);
}

function settleUnknown(work: Work, op: OpId, run: Run, dispatch: Dispatch, approved: boolean): void {
  const action = dispatch.actions[dispatch.index];
  if (action?.kind === 'command') {
    recordOutcome(work, op, action, approved, { kind: 'command', result: outcomeUnknown(work.conversation.cwd) });
  } else if (action) {
    recordOutcome(work, op, action, approved, { kind: 'tool', text: 'outcome unknown', failed: true });
  }
  settle(work, run, { ...dispatch, index: dispatch.index + 1 }, CLOSED);
}

/** The result of a command whose end nobody saw. */
export function outcomeUnknown(cwd: string): CommandResult {
  return { exit: null, cwd, head: '', tail: '', omittedLines: 0, bytes: 0, milliseconds: 0, note: 'outcome unknown' };
}
