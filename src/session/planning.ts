/** How a Norris run begins: with a plan, where a preplanner is set, then with its first step (PP-1, PP-4, NO-1). */
import type { Reply } from './message.ts';
import { newRun } from './norris.ts';
import { parseTasks } from './plan.ts';
import type { NorrisRun } from './run.ts';
import { startStep } from './steps.ts';
import type { Work } from './work.ts';

const MOST_TASKS = 16;
const UNDER_WAY = '[aish] a run is under way; Ctrl-X Ctrl-C or :norris off ends it';

/** Starts a run; the goal is a turn of its own, so that the conversation reads well afterwards. */
export function startNorris(work: Work, goal: string): void {
  if (work.conversation.phase.kind !== 'idle') return work.notice('warning', UNDER_WAY);
  const run = begin(work, goal);
  work.turn({ kind: 'user', origin: 'goal', text: goal });
  const { settings, parent, id: session } = work.conversation;
  const { preplanner: preset, tasksMax = MOST_TASKS } = settings;
  if (preset === undefined || parent !== undefined) return startStep(work, run);
  const op = work.id('op');
  work.phase({ kind: 'planning', op, run });
  work.effect({ kind: 'preplan', session, op, preset, goal, tasksMax });
}

/** Goes on with the last goal and what its run left of the plan, in the same context (NO-1). */
export function continueLastNorris(work: Work): void {
  const { phase, lastGoal, lastTasks } = work.conversation;
  if (phase.kind !== 'idle') return work.notice('warning', UNDER_WAY);
  if (lastGoal === undefined) return work.notice('warning', '[aish] there is no goal yet to go on with');
  const run = begin(work, lastGoal);
  work.turn({ kind: 'user', origin: 'aish', text: `[aish] go on with the goal: ${lastGoal}` });
  if (!lastTasks) return startStep(work, run);
  const left = lastTasks.list.length - lastTasks.current;
  work.notice('info', `[aish] going on with ${left} of ${lastTasks.list.length} tasks`);
  startStep(work, { ...run, tasks: lastTasks });
}

function begin(work: Work, goal: string): NorrisRun {
  const run = newRun(work.conversation, goal, work.event.at, work.state.costs);
  work.set({ cwd: work.state.shell.cwd, lastGoal: goal, lastTasks: undefined });
  work.show({ kind: 'norrisBegan', goal, preset: run.preset, maxSteps: run.maxSteps });
  return run;
}

/** The preplanner has answered, or has not: then it is one model, as without it (PP-4). */
export function takePlan(work: Work, run: NorrisRun, reply: Reply): void {
  for (const notice of reply.notices) work.notice('warning', notice);
  const failed = reply.finish === 'failed' || reply.finish === 'cancelled';
  if (failed) {
    const reason = reply.failure?.message ?? 'it was cancelled';
    return withoutPlan(work, run, reply, `[aish] preplan failed: ${reason}; running single-model`);
  }
  const { tasksMax = MOST_TASKS } = work.conversation.settings;
  const whole = reply.finish !== 'length' && reply.truncated !== true;
  const { list, more } = parseTasks(reply.text, whole, tasksMax);
  if (list.length === 0)
    return withoutPlan(work, run, reply, '[aish] preplan produced no TASK lines; running single-model');
  if (more) work.notice('warning', `[aish] preplan emitted >${tasksMax} tasks; truncated`);
  const planner = reply.preset;
  recordPreplan(work, run.goal, reply, `[aish] preplanned ${list.length} tasks via ${planner}`);
  work.show({ kind: 'plan', preset: planner, tasks: list });
  startStep(work, { ...run, tasks: { list, current: 0, planner } });
}

function withoutPlan(work: Work, run: NorrisRun, reply: Reply, outcome: string): void {
  recordPreplan(work, run.goal, reply, outcome);
  work.notice('warning', outcome);
  startStep(work, run);
}

/** Kept for `:history`, beside the turns. */
export function recordPreplan(work: Work, goal: string, { preset, text }: Reply, outcome: string): void {
  const { preplans = [], turns } = work.conversation;
  work.set({ preplans: [...preplans, { after: turns.length, preset, goal, text, outcome }] });
}
