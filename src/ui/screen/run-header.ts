/** What a run is about and how far it is, above everything that it does (NO-8). Pure. */

import { shortDollars } from '../../session/cost.ts';
import type { NorrisRun } from '../../session/run.ts';
import { plainText } from '../../text/sanitize.ts';
import { lineWidth } from '../../text/wrap.ts';
import { cut } from '../render/segments.ts';
import { onGround, padTo, type RenderContext } from '../render/theme.ts';
import { elapsed } from './entries/frame.ts';

export type RunFacts = Pick<NorrisRun, 'goal' | 'step' | 'maxSteps' | 'tasks' | 'startedAt'> & {
  readonly now: number;
  /** What it has cost so far; 0 where nothing is counted. */
  readonly dollars: number;
  /** The rail has the plan. */
  readonly planElsewhere?: true;
};

/** On fewer rows the transcript needs them all, and the bar says it. */
const MIN_ROWS = 12;
/** From here on the plan has room too. */
const PLAN_ROWS = 20;
const MAX_TASKS = 6;

/** The header of a run in a part of the screen of so many rows; nothing where it would take too much of them. */
export function runHeaderLines(facts: RunFacts, rows: number, context: RenderContext): readonly string[] {
  if (rows < MIN_ROWS) return [];
  const plan = rows >= PLAN_ROWS && !facts.planElsewhere ? planRows(facts, context) : [];
  const rule = context.paint('rule', '─'.repeat(context.width));
  return [titleRow(facts, context), ...plan, ...(plan.length > 0 ? [rule] : [])];
}

function titleRow(facts: RunFacts, { width, paint, theme }: RenderContext): string {
  const { goal, step, maxSteps, tasks, startedAt, now, dollars } = facts;
  const bare = paint('text', 'x') === 'x';
  const chip = paint('norris', bare ? '[NORRIS]' : ' NORRIS ');
  const k = tasks && Math.min(tasks.current + 1, tasks.list.length);
  const counted = [
    ...(tasks ? [`task ${k} of ${tasks.list.length}`] : []),
    `step ${step} of ${maxSteps}`,
    elapsed(now - startedAt),
    ...(dollars > 0 ? [shortDollars(dollars)] : []),
  ].join(' · ');
  const room = width - lineWidth(chip) - counted.length - 4;
  const [line = ''] = plainText(goal).split('\n');
  const left = `${chip} ${paint('strong', cut(line, Math.max(8, room)))}`;
  return onGround(`${padTo(left, width - counted.length - 1)}${paint('dim', counted)}`, theme.raise, width);
}

/** The plan with what is done, what is under way and what is left; a long one around the task in hand. */
function planRows({ tasks }: RunFacts, { width, paint }: RenderContext): readonly string[] {
  if (!tasks) return [];
  const { list, current } = tasks;
  const first = Math.max(0, Math.min(current - 2, list.length - MAX_TASKS));
  return list.slice(first, first + MAX_TASKS).map((task, index) => {
    const at = first + index;
    const text = cut(plainText(task).replace(/\s+/g, ' '), width - 4);
    if (at < current) return `  ${paint('success', '✓')} ${paint('dim', text)}`;
    if (at === current) return `  ${paint('accent', '▸')} ${paint('strong', text)}`;
    return `  ${paint('dim', '○')} ${paint('text', text)}`;
  });
}
