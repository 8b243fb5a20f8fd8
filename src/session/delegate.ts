/** Sub-agents (TO-4, MO-6): their start, their end, and the report to their parent. */
import type { DelegateAction } from './action.ts';
import { clip, MAX_OUTPUT_CHARS } from './exec-text.ts';
import type { OpId, SessionId } from './ids.ts';
import { modeNotice } from './mode.ts';
import type { Dispatch, Outcome } from './phase.ts';
import type { DelegateRun, Ending } from './run.ts';
import { slotOf } from './slots.ts';
import type { Conversation, State } from './state.ts';
import type { Transition } from './transition.ts';

/** The step limit of a sub-agent (TO-4). */
export const MAX_DELEGATE_STEPS = 12;
/** How many characters of an unfinished sub-agent's last text the parent gets; such text is not a report. */
const MAX_UNFINISHED_CHARS = 1000;

/** The text after a sub-agent's system prompt. Constant during its life. */
export const DELEGATE_BLOCK = `[SUB-AGENT]
You are a sub-agent: another agent has given you one task. Work on it by yourself,
in at most ${MAX_DELEGATE_STEPS} steps. Nobody reads along and nobody answers questions.

When you are done, or can't go on, answer without any action: that last answer is your
report, the only thing the other agent will see. Say in it what you found or did, with
the facts that count, and what is missing.

Avoid destructive operations unless the task explicitly requires them.`;

type Found = { readonly action: DelegateAction; readonly parent: Conversation };

/** Finds the parent's delegation that waits for a sub-agent under `op`. */
export function delegationOf(state: State, session: SessionId, op: OpId): Found | undefined {
  const parent = state.sessions[session];
  if (!parent || parent.parent) return undefined;
  const { phase } = parent;
  if (phase.kind !== 'acting' && phase.kind !== 'stoppingActions') return undefined;
  const found = slotOf(phase, op);
  const taken = Object.values(state.sessions).some((other) => other.parent?.op === op);
  if (!found?.slot.started || found.action.kind !== 'delegate' || taken) return undefined;
  return { action: found.action, parent };
}

/**
 * Returns a new conversation in the parent's mode and directory. A narrower mode that is pending for the parent
 * applies at once.
 */
export function childOf(
  { id: session, settings, mode, tightening, cwd, git, preset, phase }: Conversation,
  id: SessionId,
  op: OpId,
) {
  const child: Conversation = {
    id,
    parent: { session, op },
    settings,
    mode: tightening ?? mode,
    turns: [],
    inbox: [],
    phase: { kind: 'idle' },
    cwd,
    git,
    preset: phase.kind === 'idle' ? preset : phase.run.preset,
  };
  return child;
}

/** Starts the sub-agent's run, with the task as the first turn. */
export function beginTask(next: Transition, { action, parent }: Found): DelegateRun {
  const agent = next.state.agents + 1;
  next.state = { ...next.state, agents: agent };
  const { mode, preset, settings } = next.conversation;
  const notice = mode === 'unrestricted' || settings.surroundings ? '' : `\n\n${modeNotice(mode)}`;
  next.turn({ kind: 'user', origin: 'aish', text: `Task: ${action.task}${notice}` });
  const goal = goalOf(parent);
  return { kind: 'delegate', agent, task: action.task, goal, preset, startedAt: next.event.at, step: 1 };
}

/** Returns the user's own words behind a conversation's actions, for the second opinion. Never the agent's prose. */
export function goalOf({ phase, turns }: Conversation): string {
  if (phase.kind !== 'idle' && phase.run.kind !== 'chat') return phase.run.goal;
  const turn = turns.findLast((t) => t.kind === 'user' && (t.origin === 'user' || t.origin === 'goal'));
  return turn?.kind === 'user' ? turn.text : '';
}

/** Returns how a sub-agent ends after this step, or undefined to continue. */
export function delegateEnding(run: DelegateRun, { actions, sentinel }: Dispatch): Ending | undefined {
  if (sentinel?.kind === 'blocked') return { status: 'blocked', reason: sentinel.reason };
  if (sentinel?.kind === 'complete' || actions.length === 0) return { status: 'done' };
  if (run.step < MAX_DELEGATE_STEPS) return undefined;
  return { status: 'budget_exhausted', reason: `its ${MAX_DELEGATE_STEPS} steps are spent` };
}

/** Builds the report to the parent. For an unfinished task it says so, and contains the facts known so far. */
export function reportOf(child: Conversation, run: DelegateRun, ending: Ending): Outcome {
  const known = lastWords(child, ending.status === 'done' ? MAX_OUTPUT_CHARS : MAX_UNFINISHED_CHARS);
  const steps = run.step;
  if (ending.status === 'done') {
    return known === ''
      ? { kind: 'report', text: '[aish] the sub-agent ended without a report', failed: true, steps }
      : { kind: 'report', text: known, failed: false, steps };
  }
  const what = `[aish] the sub-agent ${WORDS[ending.status]} in step ${steps} of ${MAX_DELEGATE_STEPS}`;
  const why = ending.reason === undefined ? '' : `: ${ending.reason}`;
  const rest = known === '' ? 'It had said nothing.' : `Its last words:\n${known}`;
  return { kind: 'report', text: `${what}${why}\n${rest}`, failed: true, steps };
}

const WORDS: Readonly<Record<Exclude<Ending['status'], 'done'>, string>> = {
  aborted: 'was aborted by the user',
  blocked: 'could not go on',
  stalled: 'stopped',
  tasks_complete: 'stopped',
  budget_exhausted: 'did not finish',
  failed: 'failed',
};

/** Returns the text of the newest answer without `GOAL:` lines. */
function lastWords({ turns }: Conversation, most: number): string {
  const spoken = turns.findLast((turn) => turn.kind === 'assistant' && withoutGoal(turn.text) !== '');
  return spoken ? clip(withoutGoal(spoken.text), most) : '';
}

function withoutGoal(text: string): string {
  return text.replace(/^[ \t]*GOAL:[ \t]*(?:complete|blocked)[ \t.]*$/gim, '').trim();
}

/** Builds the report on a sub-agent that ended with the program: nothing of it runs again. */
export function lostReport(child: Conversation | undefined): Outcome {
  const run = child && child.phase.kind !== 'idle' && child.phase.run.kind === 'delegate' ? child.phase.run : undefined;
  const known = child ? lastWords(child, MAX_UNFINISHED_CHARS) : '';
  const far = run ? ` in its step ${run.step} of ${MAX_DELEGATE_STEPS}` : '';
  const words = known === '' ? '' : `\nIts last words:\n${known}`;
  const text = `[aish] outcome unknown: the program closed meanwhile${far}${words}`;
  return { kind: 'report', text, failed: true, steps: run?.step ?? 0 };
}

export type SubAgent = { readonly conversation: Conversation; readonly run: DelegateRun };

/** Lists the running sub-agents, oldest first. */
export function subAgents({ sessions }: Pick<State, 'sessions'>): readonly SubAgent[] {
  const agents = Object.values(sessions).flatMap((conversation): SubAgent[] => {
    const { phase } = conversation;
    return phase.kind !== 'idle' && phase.run.kind === 'delegate' ? [{ conversation, run: phase.run }] : [];
  });
  return agents.toSorted((one, other) => one.run.agent - other.run.agent);
}

/** How many tasks wait for a sub-agent to end. */
export function waitingTasks({ sessions, root }: Pick<State, 'sessions' | 'root'>): number {
  const phase = sessions[root]?.phase;
  if (phase?.kind !== 'acting') return 0;
  const waits = phase.slots.filter(
    (slot, at) => slot.kind === 'approved' && phase.dispatch.actions[phase.dispatch.index + at]?.kind === 'delegate',
  );
  return waits.length;
}
