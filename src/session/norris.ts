/** The Norris controller's decisions: an autonomous run toward a goal, with a budget, sentinels and an escalation (NO-3, HA-4). */
import type { Entry } from './entry.ts';
import type { Conversation, NorrisRun, NorrisStatus, Sentinel } from './state.ts';

/** Skips in a row after which the user is asked whether to go on (HA-4). */
const SKIPS_BEFORE_ESCALATION = 3;

export type Ending = { readonly status: NorrisStatus; readonly reason?: string };

/** A fresh run under the conversation's settings, at its first step. */
export function newRun({ settings, preset }: Conversation, goal: string, at: number): NorrisRun {
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
  };
}

/** Whether the user must be asked to go on, looked at when a step's dispatch is over. */
export function mustEscalate(run: NorrisRun): boolean {
  return run.skipsInARow >= SKIPS_BEFORE_ESCALATION;
}

/** How the run ends after this step, or undefined to go on. First match wins, in the order of NO-3. */
export function endingOf(run: NorrisRun, acted: boolean, sentinel: Sentinel | undefined): Ending | undefined {
  if (sentinel?.kind === 'complete') return { status: 'done' };
  if (sentinel?.kind === 'blocked') return { status: 'blocked', reason: sentinel.reason };
  if (!acted) return { status: 'stalled', reason: 'the model named no action and no GOAL: line' };
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

/** The one-line summary (NO-8). */
export function summaryOf(run: NorrisRun, ending: Ending, at: number): Entry {
  const { step: steps, commands, skips } = run;
  return { kind: 'norrisEnded', ...ending, steps, commands, skips, milliseconds: Math.max(0, at - run.startedAt) };
}
