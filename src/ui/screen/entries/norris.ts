/** An autonomous run in the transcript (banner, steps, summary; NO-8), and the user's questions and goals. */
import { receiptText, shortDollars } from '../../../session/cost.ts';
import type { Entry } from '../../../session/entry.ts';
import { plainText, visible } from '../../../text/sanitize.ts';
import { wrapText } from '../../../text/wrap.ts';
import { cut } from '../../render/segments.ts';
import type { RenderContext, Role } from '../../render/theme.ts';
import { duration, GUTTER, headingLines, proseWidth, withGutter } from './frame.ts';

type Of<K extends Entry['kind']> = Extract<Entry, { kind: K }>;

export function norrisBeganLines(entry: Of<'norrisBegan'>, context: RenderContext): string[] {
  const { goal, preset, maxSteps, attached } = entry;
  const right = `${preset} · at most ${maxSteps} steps`;
  return askedLines({ glyph: '»', role: 'strong', text: goal, right, attached }, context);
}

const NAMES = { first: 'plan', anew: 'new plan', edited: 'edited plan' } as const;

/** Returns the plan, one line a task. The call that made it is not part of the conversation. */
export function planLines({ preset, tasks, how }: Of<'plan'>, context: RenderContext): string[] {
  const { width, paint } = context;
  const right = paint('dim', `by ${plainText(preset)}`);
  const text = paint(
    'function',
    `${NAMES[how ?? 'first']} · ${tasks.length === 1 ? '1 task' : `${tasks.length} tasks`}`,
  );
  const list = tasks.flatMap((task, index) => {
    const number = `${index + 1}. `.padStart(5);
    return withGutter(wrapText(plainText(task), Math.max(1, width - number.length)), {
      first: paint('dim', number),
      rest: ' '.repeat(number.length),
    });
  });
  return [...headingLines({ glyph: '▸', role: 'accent', text, right }, context), ...list];
}

export function norrisStepLines({ step, maxSteps, task }: Of<'norrisStep'>, { width, paint }: RenderContext): string[] {
  const label = ` step ${step}/${maxSteps} `;
  const rest = '─'.repeat(Math.max(0, Math.min(width, 60) - label.length - 2));
  const line = paint('rule', '──') + paint('dim', label) + paint('rule', rest);
  if (!task) return [line];
  return [line, ...wrapText(paint('strong', `[task ${task.k}/${task.n}: ${plainText(task.text)}]`), width)];
}

/** Returns the line that marks where a task of the plan begins among the steps. */
export function taskLine(task: NonNullable<Of<'norrisStep'>['task']>, { width, paint }: RenderContext): string {
  const label = `── task ${task.k} of ${task.n} · `;
  const text = cut(plainText(task.text).replace(/\s+/g, ' '), Math.max(1, width - label.length));
  return paint('rule', label.slice(0, 3)) + paint('dim', label.slice(3)) + paint('strong', text);
}

export function norrisEndedLines(entry: Of<'norrisEnded'>, { width, paint }: RenderContext): string[] {
  const { status, reason, steps, commands, skips, milliseconds, cost, receipt } = entry;
  const good = status === 'done' || status === 'tasks_complete';
  const facts = [
    count(steps, 'step'),
    count(commands, 'command'),
    ...(skips > 0 ? [`${skips} skipped`] : []),
    duration(milliseconds),
    ...(cost && cost.dollars > 0 ? [shortDollars(cost.dollars)] : []),
  ].join(' · ');
  const role = good ? 'success' : 'warning';
  // The line above a failed run has said why.
  const why = reason && status !== 'failed' ? `: ${plainText(reason)}` : '';
  const more = status === 'budget_exhausted' ? ' · Ctrl-X n goes on' : '';
  const text = `${paint(role, status.replace('_', ' '))}${why} ${paint('dim', `· ${facts}${more}`)}`;
  const lines = [text, ...(receipt ? [paint('dim', receiptText(receipt))] : [])];
  return withGutter(
    lines.flatMap((line) => wrapText(line, Math.max(1, width - GUTTER))),
    { first: paint(role, good ? '✓ ' : '! '), rest: '  ' },
  );
}

/** `1 step`, `2 steps`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

// The user's messages to the model in the transcript: a question, a goal.

/** Returns the user's message, `right` in plain words beside it, and its attachments below. */
export function askedLines(
  asked: {
    readonly glyph: string;
    readonly role: Role;
    readonly text: string;
    readonly right: string;
    readonly attached?: readonly string[] | undefined;
  },
  context: RenderContext,
): string[] {
  const { glyph, role, attached = [] } = asked;
  const { width, paint } = context;
  const words = wrapText(plainText(asked.text), proseWidth(width)).map((line) => paint(role, line));
  const right = asked.right && paint('dim', asked.right);
  const head = headingLines({ glyph, role: 'accent', text: words.join('\n'), right, raised: true }, context);
  const names = attached.map((name) => visible(name)).join(' · ');
  const behind = names === '' ? [] : wrapText(`with ${names}`, proseWidth(width));
  return [...head, ...behind.map((line) => `  ${paint('dim', line)}`)];
}
