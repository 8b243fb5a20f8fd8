/** The task list of a planned run: read from the preplanner's reply, gone through one task a step (PP-1, PP-3). Pure. */
import type { Ending } from './norris.ts';
import type { NorrisRun, Tasks } from './run.ts';

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
export type CurrentTask = { readonly k: number; readonly n: number; readonly text: string };

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
