/**
 * The Norris controller: an autonomous run toward a goal, with a step budget, sentinels and an escalation to the user
 * (NO-3, HA-4). Pure.
 */
import { type Costs, receiptOf, rowsSince, sumOf } from './cost.ts';
import type { Entry } from './entry.ts';
import { clip } from './exec-text.ts';
import type { Sentinel } from './phase.ts';
import type { Ending, NorrisRun, Run, Tasks } from './run.ts';
import type { Conversation, Turn } from './state.ts';

/** After this many skips in a row the user is asked whether to continue (HA-4). */
const SKIPS_BEFORE_ESCALATION = 3;

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

/** Returns how the run ends after this step, or undefined to continue. The first match wins, in the order of NO-3. */
export function endingOf(run: NorrisRun, acted: boolean, sentinel: Sentinel | undefined): Ending | undefined {
  if (sentinel?.kind === 'complete') return { status: 'done' };
  if (sentinel?.kind === 'blocked') return { status: 'blocked', reason: sentinel.reason };
  if (!acted) return { status: 'stalled', reason: 'the model named no action and no GOAL: line' };
  // After the last task one report follows, even without budget (NO-3 names tasks_complete first).
  if (run.tasks && run.tasks.current + 1 >= run.tasks.list.length) return undefined;
  if (run.step < run.maxSteps) return undefined;
  return { status: 'budget_exhausted', reason: `${run.maxSteps} steps (norris.max_norris_steps)` };
}

/** A command or tool call ran; if the user approved it, the count of skips in a row starts again. */
export function countAction(run: NorrisRun, approved: boolean): NorrisRun {
  return { ...run, commands: run.commands + 1, skipsInARow: approved ? 0 : run.skipsInARow };
}

/** The user skipped an action. */
export function countSkip(run: NorrisRun): NorrisRun {
  return { ...run, skips: run.skips + 1, skipsInARow: run.skipsInARow + 1 };
}

/** Returns the one-line summary, with a receipt if the run was split (NO-8). */
export function summaryOf(run: NorrisRun, ending: Ending, at: number, costs: Costs): Entry {
  const { step: steps, commands, skips, tasks, preset, usual = preset } = run;
  const rows = rowsSince(costs, run.costsBefore ?? costs);
  const split = tasks !== undefined && tasks.planner !== usual;
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

/** Applies `change` to a Norris run; other runs stay as they are. */
export function ifNorris(run: Run, change: (run: NorrisRun) => NorrisRun): Run {
  return run.kind === 'norris' ? change(run) : run;
}

// The task list of a planned run, parsed from the preplanner's reply, one task per step (PP-1, PP-3).

const TASK = /^[ \t]*TASK:/;

/** The prompt asks for at most 80 characters; each call of a task's step repeats the text. */
const MAX_TASK_CHARS = 120;

/**
 * Parses at most `most` tasks; `more` is set if there were more.
 * `whole` false means that the token limit cut the reply: its last line may be incomplete and is ignored.
 */
export function parseTasks(text: string, whole: boolean, most: number) {
  const lines = text.split('\n');
  if (!whole) lines.pop();
  const all = tasksIn(lines.filter((line) => TASK.test(line)));
  return { list: all.slice(0, most), more: all.length > most };
}

/** Parses the user's edited tasks, one per line, without leading `TASK:` or numbers. */
export function editedTasks(text: string, most: number): readonly string[] {
  return tasksIn(text.split('\n').map((line) => line.replace(/^[ \t]*\d+[.)][ \t]+/, ''))).slice(0, most);
}

function tasksIn(lines: readonly string[]): readonly string[] {
  return lines
    .map((line) => line.replace(TASK, '').trim())
    .filter((task) => task !== '')
    .map(shortened);
}

// The preset named at the start of a task (PP-7).

const NAMED = /^@([\w.:-]+)[ \t]+(?=\S)/;

/** Splits a task into its preset, if that is one of `known`, and its text. */
function splitTask(task: string, known: readonly string[]): { readonly preset?: string; readonly text: string } {
  const [name = '', preset = ''] = NAMED.exec(task) ?? [];
  return known.includes(preset) ? { preset, text: task.slice(name.length) } : { text: task };
}

/** Removes unknown presets from the tasks, and returns their names. */
export function withKnownPresets(list: readonly string[], known: readonly string[]) {
  if (known.length === 0) return { list, unknown: [] };
  const unknown = new Set<string>();
  const tasks = list.map((task) => {
    const [name = '', preset = ''] = NAMED.exec(task) ?? [];
    if (name === '' || known.includes(preset)) return task;
    unknown.add(preset);
    return task.slice(name.length);
  });
  return { list: tasks, unknown: [...unknown] };
}

/** Sets the run's preset to that of its current task, else to its usual one. */
export function underTaskPreset(run: NorrisRun, known: readonly string[] = []): NorrisRun {
  const task = run.reporting ? undefined : run.tasks?.list[run.tasks.current];
  const { preset } = task === undefined ? {} : splitTask(task, known);
  if (preset === undefined && run.usual === undefined) return run;
  const { usual = run.preset, fallbacks: _, ...rest } = run;
  return preset === undefined ? { ...rest, preset: usual } : { ...rest, preset, usual };
}

function shortened(task: string): string {
  const characters = [...task];
  return characters.length <= MAX_TASK_CHARS ? task : `${characters.slice(0, MAX_TASK_CHARS - 1).join('')}…`;
}

/** The current task for front ends: its number, the total, its text. */
type CurrentTask = { readonly k: number; readonly n: number; readonly text: string };

export function currentTask({ tasks }: NorrisRun): CurrentTask | undefined {
  const text = tasks?.list[tasks.current];
  return tasks && text !== undefined ? { k: tasks.current + 1, n: tasks.list.length, text } : undefined;
}

/** Describes the plan at the end of this call's messages (CX-6); undefined without a plan. */
export function taskLine(run: NorrisRun, known: readonly string[] = []): string | undefined {
  if (run.reporting)
    return '[aish] All tasks are through. Report in a few sentences what came of the goal; nothing you ask for in this reply is run.';
  const task = currentTask(run);
  return task && `[aish] Current step ${task.k}/${task.n}: ${splitTask(task.text, known).text}`;
}

/** Returns the run at its next step: the next task, even after a failure (PP-3); after the last one, the report. */
export function nextStep(run: NorrisRun): NorrisRun {
  const next = run.tasks && advanced(run.tasks);
  if (next && next.current >= next.list.length) return { ...run, tasks: next, reporting: true };
  return { ...run, step: run.step + 1, ...(next ? { tasks: next } : {}) };
}

/** Returns the tasks that `:norris continue` would continue; undefined if none are left. */
export function remainingTasks({ tasks }: NorrisRun, { status }: Ending): Tasks | undefined {
  if (!tasks || status === 'done' || status === 'tasks_complete') return undefined;
  // The step that used up the budget had completed its task.
  const left = status === 'budget_exhausted' ? advanced(tasks) : tasks;
  return left.current < left.list.length ? left : undefined;
}

function advanced(tasks: Tasks): Tasks {
  return { ...tasks, current: tasks.current + 1 };
}

// How often a failed plan is replaced by a new one for the remaining tasks (PP-7).

const MAX_REPLANS = 2;
const SKIPS_BEFORE_REPLAN = 2;
/** How many turns the planner gets, the characters of each, and of all. */
const MAX_TURNS = 12;
const MAX_TURN_CHARS = 500;

/** Returns why to replan the rest of the run; undefined if not needed. */
export function replanReason(run: NorrisRun, ending: Ending | undefined): string | undefined {
  const { tasks, reporting, replans = { count: 0, skips: 0 }, step, maxSteps } = run;
  if (!tasks || reporting || replans.count >= MAX_REPLANS || step >= maxSteps) return undefined;
  if (ending?.status === 'blocked') return `it is blocked: ${ending.reason ?? 'no reason given'}`;
  if (ending?.status === 'stalled') return `it made no progress: ${ending.reason ?? 'no reason given'}`;
  if (ending) return undefined;
  const skipped = run.skipsInARow >= SKIPS_BEFORE_REPLAN && run.skips > replans.skips;
  return skipped ? `the user skipped the last ${run.skipsInARow} actions` : undefined;
}

/** Returns the run with a new plan after the current task. */
export function withNewTasks(run: NorrisRun, list: readonly string[], planner: string): NorrisRun {
  const done = run.tasks?.list.slice(0, run.tasks.current + 1) ?? [];
  return { ...run, step: run.step + 1, tasks: { list: [...done, ...list], current: done.length, planner } };
}

/** Describes the run's progress for the planner. */
export function progressText(run: NorrisRun, turns: readonly Turn[], why: string): string {
  const { list = [], current = 0 } = run.tasks ?? {};
  const states = list.map((task, at) => `${at < current ? 'done' : at === current ? why : 'left'}: ${task}`);
  const begin = turns.findLastIndex((turn) => turn.kind === 'user' && turn.origin === 'goal');
  const last = turns
    .slice(begin + 1)
    .slice(-MAX_TURNS)
    .map(turnLine);
  return [
    `The plan so far did not work out:\n${states.join('\n')}`,
    ...(last.length > 0 ? [`What happened last:\n${last.join('\n')}`] : []),
    'Answer with TASK: lines for what is still to be done. They take the place of the tasks that are left.',
  ].join('\n\n');
}

function turnLine(turn: Turn): string {
  const calls = turn.kind === 'assistant' ? turn.toolCalls.map((call) => `${call.name} ${call.arguments}`) : [];
  const who = turn.kind === 'assistant' ? 'model' : 'result';
  return `${who}: ${clip([turn.text, ...calls].filter((part) => part !== '').join('\n'), MAX_TURN_CHARS)}`;
}

/** Describes for the planner the plan that the user sent back. */
export function sentBackText({ tasks }: NorrisRun, word: string): string {
  const plan = (tasks?.list ?? []).map((task) => `TASK: ${task}`).join('\n');
  const said = word === '' ? 'The user wants another plan.' : `The user sends it back: ${word}`;
  return `Your plan was:\n${plan}\n\n${said}`;
}
