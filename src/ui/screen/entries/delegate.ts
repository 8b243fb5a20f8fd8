/** A sub-agent's entry, folded: one line while it works, the beginning of its report when it has ended (TO-4). */

import { describeAction } from '../../../session/action.ts';
import { MAX_DELEGATE_STEPS, type SubAgent } from '../../../session/delegate.ts';
import type { Entry } from '../../../session/entry.ts';
import type { Phase } from '../../../session/phase.ts';
import { runningOf } from '../../../session/slots.ts';
import { textWidth } from '../../../text/display.ts';
import { clean, plainText, visible } from '../../../text/sanitize.ts';
import { wrapText } from '../../../text/wrap.ts';
import { cut } from '../../render/segments.ts';
import type { RenderContext } from '../../render/theme.ts';
import { allowedText, elapsed, withGutter } from './frame.ts';
import { proseLines } from './prose.ts';

type Delegate = Extract<Entry, { kind: 'delegate' }>;

/** Lines of the report that a folded entry shows. */
const REPORT_LINES = 6;
const INDENT = 2;
const GAP = 2;

/** A working sub-agent is drawn separately, at the end of the transcript. */
export function delegateLines({ task, result, approvedAt }: Delegate, context: RenderContext): string[] {
  const { width, paint } = context;
  if (!result) return [];
  const inner = { ...context, width: Math.max(1, width - INDENT) };
  const report = proseLines(plainText(clean(result.text)), inner);
  const left = report.length - REPORT_LINES;
  const more = left > 1 ? [paint('dim', `⋯ ${left} more lines of its report`)] : [];
  const shown = left > 1 ? report.slice(0, REPORT_LINES) : report;
  const bar = paint(result.failed ? 'error' : 'success', '│ ');
  return [
    ...delegateHeading(task, result, context, approvedAt),
    ...withGutter([...shown, ...more], { first: bar, rest: bar }),
  ];
}

/** The whole task, and the number of steps. */
export function delegateHeading(
  task: string,
  result: Delegate['result'],
  { width, paint }: RenderContext,
  approvedAt?: number,
): string[] {
  const { steps = 0, failed = false } = result ?? {};
  const progress = result === undefined ? 'at work' : `${steps} step${steps === 1 ? '' : 's'}`;
  const note = [progress, allowedText({ approvedAt })].filter(Boolean).join(' · ');
  const went = failed ? paint('error', ' · ✗ failed') : '';
  const text = paint('strong', visible(oneLine(task))) + paint('dim', `  sub-agent · ${note}`) + went;
  return withGutter(wrapText(text, width - INDENT), { first: paint('accent', '▹ '), rest: '  ' });
}

/**
 * The one line of a working sub-agent: number, task, step, current activity and its time.
 * @param show returns a text as the user sees it
 */
export function agentLine(
  { conversation, run }: SubAgent,
  now: number,
  { width, paint }: RenderContext,
  show: (text: string) => string,
): string {
  const what = cut(visible(oneLine(show(doing(conversation.phase)))), Math.max(10, Math.floor(width * 0.4)));
  const right = `${run.step}/${MAX_DELEGATE_STEPS} ${what} ${elapsed(now - run.startedAt)}`;
  const room = width - textWidth(right) - INDENT - GAP;
  const left = cut(`${run.agent} ${visible(oneLine(show(run.task)))}`, Math.max(1, room));
  const padding = ' '.repeat(Math.max(0, room - textWidth(left)) + GAP);
  const waits = conversation.phase.kind === 'halted';
  return cut(`▹ ${left}${padding}`, width - textWidth(right)) + paint(waits ? 'warning' : 'dim', right);
}

/** The current activity of a conversation, in a word or two. An idle sub-agent is about to end. */
export const PHASE_WORDS: Readonly<Record<Phase['kind'], string>> = {
  planning: 'planning',
  planReview: 'asks about the plan',
  replying: 'thinking',
  judging: 'checking',
  halted: 'waits for you',
  escalated: 'waits for you',
  awaitingModeApproval: 'waits for you',
  awaitingSpend: 'waits for you',
  trying: 'trying',
  acting: 'running',
  stopping: 'stopping',
  stoppingActions: 'stopping',
  idle: 'stopping',
};

/** Returns what a sub-agent is doing, with the command that runs. */
export function doing(phase: Phase): string {
  if (phase.kind !== 'acting') return PHASE_WORDS[phase.kind];
  const [first] = runningOf(phase);
  return first ? `runs ${describeAction(first.action)}` : 'starting';
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
