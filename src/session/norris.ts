/** The Norris controller's decisions: an autonomous run toward a goal, with a budget, sentinels and an escalation (NO-3, HA-4). */
import { type Costs, receiptOf, rowsSince, sumOf } from './cost.ts';
import type { Entry } from './entry.ts';
import type { Sentinel } from './phase.ts';
import type { NorrisRun, NorrisStatus, Run } from './run.ts';
import type { Conversation } from './state.ts';

/** Skips in a row after which the user is asked whether to continue (HA-4). */
const SKIPS_BEFORE_ESCALATION = 3;

export type Ending = { readonly status: NorrisStatus; readonly reason?: string };

/** A fresh run under the conversation's settings, at its first step. */
export function newRun({ settings, preset }: Conversation, goal: string, at: number, costs: Costs): NorrisRun {
  return {
    kind: 'norris',
    goal,
    preset: settings.executorPreset ?? preset,
    startedAt: at,
    step: 1,
    maxSteps: settings.maxNorrisSteps,
    commands: 0,
    skips: 0,
    skipsInARow: 0,
    costsBefore: costs,
  };
}

/** Whether the user must be asked to continue, checked when a step's dispatch is over. */
export function mustEscalate(run: NorrisRun): boolean {
  return run.skipsInARow >= SKIPS_BEFORE_ESCALATION;
}

/** How the run ends after this step, or undefined to continue. First match wins, in the order of NO-3. */
export function endingOf(run: NorrisRun, acted: boolean, sentinel: Sentinel | undefined): Ending | undefined {
  if (sentinel?.kind === 'complete') return { status: 'done' };
  if (sentinel?.kind === 'blocked') return { status: 'blocked', reason: sentinel.reason };
  if (!acted) return { status: 'stalled', reason: 'the model named no action and no GOAL: line' };
  // After the last task there is one report, whatever the budget says (NO-3 names tasks_complete before it).
  if (run.tasks && run.tasks.current + 1 >= run.tasks.list.length) return undefined;
  if (run.step < run.maxSteps) return undefined;
  return { status: 'budget_exhausted', reason: `${run.maxSteps} steps (norris.max_norris_steps)` };
}

/** A command or tool call ran; a yes of the user's ends a row of skips. */
export function countAction(run: NorrisRun, approved: boolean): NorrisRun {
  return { ...run, commands: run.commands + 1, skipsInARow: approved ? 0 : run.skipsInARow };
}

/** The user skipped an action. */
export function countSkip(run: NorrisRun): NorrisRun {
  return { ...run, skips: run.skips + 1, skipsInARow: run.skipsInARow + 1 };
}

/** The one-line summary, with the receipt of a run that was split (NO-8). */
export function summaryOf(run: NorrisRun, ending: Ending, at: number, costs: Costs): Entry {
  const { step: steps, commands, skips, tasks, preset } = run;
  const rows = rowsSince(costs, run.costsBefore ?? costs);
  const split = tasks !== undefined && tasks.planner !== preset;
  return {
    kind: 'norrisEnded',
    ...ending,
    steps,
    commands,
    skips,
    milliseconds: Math.max(0, at - run.startedAt),
    ...(rows.length > 0 ? { cost: sumOf(rows) } : {}),
    ...(rows.length > 0 && split ? { receipt: receiptOf(rows, tasks.planner, costs.rows) } : {}),
  };
}

/** Changes a Norris run, and leaves any other as it is. */
export function ifNorris(run: Run, change: (run: NorrisRun) => NorrisRun): Run {
  return run.kind === 'norris' ? change(run) : run;
}
