/** An autonomous run in the transcript (banner, steps, summary; NO-8), and the user's questions and goals. */
import { receiptText, shortDollars } from '../../../session/cost.ts';
import type { Entry } from '../../../session/entry.ts';
import { plainText, visible } from '../../../text/sanitize.ts';
import { wrapText } from '../../../text/wrap.ts';
import { cut } from '../../render/segments.ts';
import { padTo, type RenderContext, type Role } from '../../render/theme.ts';
import { duration, GUTTER, headingLines, withGutter } from './frame.ts';
import { proseWidth } from './prose.ts';

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

/** The transcript’s facts about a run: its goal, the steps of each task, and the questions to the user. */
export type RunTale = {
  readonly goal: string;
  readonly maxSteps: number;
  readonly tasks: readonly { readonly text: string; readonly steps: number }[];
  /** Each action about which the user was asked, with its result. */
  readonly asked: readonly string[];
};

/** Actions put to the user that are named at the end. */
const MAX_ASKED = 3;

/** How a run ended, what each task took, and what the user was asked. */
export function norrisEndedLines(entry: Of<'norrisEnded'>, context: RenderContext, tale?: RunTale): string[] {
  const { width, paint } = context;
  const { status, reason, steps, commands, skips, milliseconds, cost, receipt } = entry;
  const good = status === 'done' || status === 'tasks_complete';
  const role = good ? 'success' : status === 'failed' ? 'error' : 'dim';
  const facts = [
    tale ? `${steps} of ${count(tale.maxSteps, 'step')}` : count(steps, 'step'),
    count(commands, 'command'),
    ...(skips > 0 ? [`${skips} skipped`] : []),
    duration(milliseconds),
    ...(cost && cost.dollars > 0 && !receipt ? [shortDollars(cost.dollars)] : []),
  ].join(' · ');
  const [goal = ''] = plainText(tale?.goal ?? '').split('\n');
  const head = headingLines(
    {
      glyph: good ? '✓' : '!',
      role,
      text: [paint(role, status.replace('_', ' ')), goal === '' ? '' : paint('strong', goal)]
        .filter(Boolean)
        .join('  '),
      right: paint('dim', facts),
    },
    context,
  );
  // The line above a failed run already gives its reason.
  const why = reason && status !== 'failed' ? [plainText(reason)] : [];
  const more = status === 'budget_exhausted' ? [`${paint('strong', 'Ctrl-X n')} goes on`] : [];
  const paid = receipt ? [receiptText(receipt)] : [];
  const parts = [[...why, ...more], taskRows(tale, good, context), askedRows(tale, context), paid];
  const below = parts.filter((part) => part.length > 0).flatMap((part, at) => (at === 0 ? part : ['', ...part]));
  const bar = paint(role, '│ ');
  const lines = below.flatMap((line) => wrapText(line, Math.max(1, width - GUTTER)));
  return [...head, ...withGutter(lines, { first: bar, rest: bar })];
}

function taskRows({ tasks = [] }: Partial<RunTale> = {}, good: boolean, { width, paint }: RenderContext): string[] {
  const last = tasks.findLastIndex(({ steps }) => steps > 0);
  return tasks.map(({ text, steps }, at) => {
    const sign = steps > 0 && (good || at < last) ? paint('success', '✓') : paint('dim', '○');
    const right = steps > 0 ? count(steps, 'step') : '';
    const room = Math.max(1, width - GUTTER - right.length - 5);
    const left = `${sign} ${paint('text', cut(plainText(text).replace(/\s+/g, ' '), room))}`;
    return right === '' ? left : `${padTo(left, width - GUTTER - right.length - 1)}${paint('dim', right)}`;
  });
}

function askedRows({ asked = [] }: Partial<RunTale> = {}, { width, paint }: RenderContext): string[] {
  if (asked.length === 0) return [];
  const times = asked.length === 1 ? 'once' : asked.length === 2 ? 'twice' : `${asked.length} times`;
  const named = asked.slice(0, MAX_ASKED).map((each) => `  ${cut(each, Math.max(1, width - GUTTER - 2))}`);
  const more = asked.length > MAX_ASKED ? [`  and ${asked.length - MAX_ASKED} more`] : [];
  return [`${paint('dim', 'you were asked')} ${times}`, ...[...named, ...more].map((line) => paint('dim', line))];
}

/** Returns the lines about a run’s changes, as the end of its block, with the keys for undoing them highlighted. */
export function changesLines(text: string, { width, paint }: RenderContext): string[] {
  const [first = '', ...rest] = plainText(text).split('\n');
  const keys = rest.pop() ?? '';
  const bar = paint('success', '│ ');
  const lines = [
    '',
    paint('strong', first),
    ...rest.map((line) => line.replace(/^ {2}.*| nothing$/, (part) => paint('text', part))),
    '',
    keys.replace(/:undo \w+/g, (part) => paint('strong', part)),
  ];
  return withGutter(
    lines.flatMap((line) => wrapText(line, Math.max(1, width - GUTTER), { indent: '  ' })),
    { first: bar, rest: bar },
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
