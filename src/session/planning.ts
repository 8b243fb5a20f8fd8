/** How a Norris run begins: with a plan, where a preplanner is set, then with its first step (PP-1, PP-4, NO-1). */

import type { Of } from './event.ts';
import { type Attachment, namesOf, type Reply, turnOf } from './message.ts';
import { newRun, parseTasks } from './norris.ts';
import { offerForPlan } from './offer.ts';
import { goToShell } from './place.ts';

import type { NorrisRun } from './run.ts';
import { startStep } from './steps.ts';
import { nameSurroundings } from './surroundings.ts';
import type { Transition } from './transition.ts';

const MAX_TASKS = 16;
const UNDER_WAY = '[aish] a run is under way; Ctrl-X Ctrl-C or :norris off ends it';

/** Starts a run; the goal is a turn of its own, so that the conversation reads well afterwards. */
export function startNorris(next: Transition, { goal, attached = [], git }: Of<'norrisStarted'>): void {
  if (next.conversation.phase.kind !== 'idle') return next.notice('warning', UNDER_WAY);
  const run = begin(next, goal, git, attached);
  next.turn(turnOf('goal', goal, attached));
  const { settings, parent, id: session } = next.conversation;
  const { preplanner: preset, tasksMax = MAX_TASKS } = settings;
  if (preset === undefined || parent !== undefined) return startStep(next, run);
  nameSurroundings(next);
  const op = next.id('op');
  next.phase({ kind: 'planning', op, run });
  next.effect({ kind: 'preplan', session, op, preset, goal, tasksMax });
}

/** Goes on with the last goal and what its run left of the plan, in the same context (NO-1). */
export function continueLastNorris(next: Transition, { git }: Of<'norrisContinued'>): void {
  const { phase, lastGoal, lastTasks } = next.conversation;
  if (phase.kind !== 'idle') return next.notice('warning', UNDER_WAY);
  if (lastGoal === undefined) return next.notice('warning', '[aish] there is no goal to continue yet');
  const run = begin(next, lastGoal, git);
  next.turn({ kind: 'user', origin: 'aish', text: `[aish] go on with the goal: ${lastGoal}` });
  if (!lastTasks) return startStep(next, run);
  const left = lastTasks.list.length - lastTasks.current;
  next.notice('info', `[aish] continuing with ${left} of ${lastTasks.list.length} tasks`);
  startStep(next, { ...run, tasks: lastTasks });
}

function begin(
  next: Transition,
  goal: string,
  git: string | undefined,
  attached: readonly Attachment[] = [],
): NorrisRun {
  const run = newRun(next.conversation, goal, next.event.at, next.state.costs);
  goToShell(next, git);
  next.set({ lastGoal: goal, lastTasks: undefined, repeats: undefined });
  const { preset, maxSteps } = run;
  next.show({ kind: 'norrisBegan', goal, preset, maxSteps, ...namesOf(attached) });
  return run;
}

/** The preplanner has answered, or has not: then it is one model, as without it (PP-4). */
export function takePlan(next: Transition, run: NorrisRun, reply: Reply): void {
  for (const notice of reply.notices) next.notice('warning', notice);
  const failed = reply.finish === 'failed' || reply.finish === 'cancelled';
  if (failed) {
    const reason = reply.failure?.message ?? 'it was cancelled';
    return withoutPlan(next, run, reply, `[aish] preplan failed: ${reason}; running single-model`);
  }
  const { tasksMax = MAX_TASKS } = next.conversation.settings;
  const whole = reply.finish !== 'length' && reply.truncated !== true;
  const { list, more } = parseTasks(reply.text, whole, tasksMax);
  if (list.length === 0)
    return withoutPlan(next, run, reply, '[aish] preplan produced no TASK lines; running single-model');
  if (more) next.notice('warning', `[aish] preplan emitted >${tasksMax} tasks; truncated`);
  const planner = reply.preset;
  recordPreplan(next, run.goal, reply, `[aish] preplanned ${list.length} tasks via ${planner}`);
  next.show({ kind: 'plan', preset: planner, tasks: list });
  const planned = { ...run, tasks: { list, current: 0, planner } };
  if (!offerForPlan(next, planned, list.length)) startStep(next, planned);
}

function withoutPlan(next: Transition, run: NorrisRun, reply: Reply, outcome: string): void {
  recordPreplan(next, run.goal, reply, outcome);
  next.notice('warning', outcome);
  startStep(next, run);
}

/** Kept for `:history`, beside the turns. */
export function recordPreplan(next: Transition, goal: string, { preset, text }: Reply, outcome: string): void {
  const { preplans = [], turns } = next.conversation;
  next.set({ preplans: [...preplans, { after: turns.length, preset, goal, text, outcome }] });
}
