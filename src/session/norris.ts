/**
 * The Norris controller's decisions: an autonomous run toward a goal, with a budget, sentinels and an escalation (NO-3,
 * HA-4). Pure.
 */
import { type Costs, receiptOf, rowsSince, sumOf } from './cost.ts';
import type { Entry } from './entry.ts';
import type { Sentinel } from './phase.ts';
import type { NorrisRun, NorrisStatus, Run, Tasks } from './run.ts';
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

// The task list of a planned run: read from the preplanner's reply, gone through one task a step (PP-1, PP-3).

const TASK = /^[ \t]*TASK:/;

/** A sentence of 80 characters is asked for; each call of its step has to have room for it beside the turns. */
const MAX_TASK_CHARS = 120;

/**
 * The tasks that a reply names, at most `most`; `more` when it named more than that.
 * With `whole` false (cut by the token limit) the last line may be half a task and is left out.
 */
export function parseTasks(text: string, whole: boolean, most: number) {
  const lines = text.split('\n');
  if (!whole) lines.pop();
  const all = lines
    .filter((line) => TASK.test(line))
    .map((line) => line.replace(TASK, '').trim())
    .filter((task) => task !== '')
    .map(shortened);
  return { list: all.slice(0, most), more: all.length > most };
}

function shortened(task: string): string {
  const characters = [...task];
  return characters.length <= MAX_TASK_CHARS ? task : `${characters.slice(0, MAX_TASK_CHARS - 1).join('')}…`;
}

/** The current task as every front end shows it: its number, how many there are, its text. */
type CurrentTask = { readonly k: number; readonly n: number; readonly text: string };

export function currentTask({ tasks }: NorrisRun): CurrentTask | undefined {
  const text = tasks?.list[tasks.current];
  return tasks && text !== undefined ? { k: tasks.current + 1, n: tasks.list.length, text } : undefined;
}

/** The plan's text in the tail of this call (CX-6); undefined without a plan. */
export function taskLine(run: NorrisRun): string | undefined {
  if (run.reporting)
    return '[aish] All tasks are through. Report in a few sentences what came of the goal; nothing you ask for in this reply is run.';
  const task = currentTask(run);
  return task && `[aish] Current step ${task.k}/${task.n}: ${task.text}`;
}

/** The run at its next step: the next task, even if the last one failed (PP-3); after the last task the report. */
export function nextStep(run: NorrisRun): NorrisRun {
  const next = run.tasks && advanced(run.tasks);
  if (next && next.current >= next.list.length) return { ...run, tasks: next, reporting: true };
  return { ...run, step: run.step + 1, ...(next ? { tasks: next } : {}) };
}

/** What `:norris continue` would continue with; undefined if nothing is left of the plan. */
export function leftOver({ tasks }: NorrisRun, { status }: Ending): Tasks | undefined {
  if (!tasks || status === 'done' || status === 'tasks_complete') return undefined;
  // The step that used up the budget was one that would have gone on.
  const left = status === 'budget_exhausted' ? advanced(tasks) : tasks;
  return left.current < left.list.length ? left : undefined;
}

function advanced(tasks: Tasks): Tasks {
  return { ...tasks, current: tasks.current + 1 };
}
