/** An autonomous run in the transcript: its banner, its steps, its summary (NO-8). */
import type { Entry } from '../../src/session/entry.ts';
import { stripStyles } from '../../src/session/text.ts';
import { wrapText } from '../text/wrap.ts';
import { duration, withGutter } from './frame.ts';
import type { Look } from './look.ts';

type Of<K extends Entry['kind']> = Extract<Entry, { kind: K }>;

export function norrisBeganLines({ goal, preset, maxSteps }: Of<'norrisBegan'>, { width, paint }: Look): string[] {
  const first = `${paint('accent', '⚡ Norris')}${paint('dim', ` · ${preset} · at most ${maxSteps} steps · Ctrl-X Ctrl-C ends it`)}`;
  const text = wrapText(stripStyles(goal), Math.max(1, width - 2));
  return [
    ...wrapText(first, width),
    ...withGutter(
      text.map((line) => paint('strong', line)),
      { first: '  ', rest: '  ' },
    ),
  ];
}

export function norrisStepLines({ step, maxSteps }: Of<'norrisStep'>, { width, paint }: Look): string[] {
  const label = ` step ${step}/${maxSteps} `;
  return [paint('dim', `──${label}${'─'.repeat(Math.max(0, Math.min(width, 60) - label.length - 2))}`)];
}

export function norrisEndedLines(entry: Of<'norrisEnded'>, { width, paint }: Look): string[] {
  const { status, reason, steps, commands, skips, milliseconds } = entry;
  const good = status === 'done';
  const facts = [
    count(steps, 'step'),
    count(commands, 'command'),
    ...(skips > 0 ? [`${skips} skipped`] : []),
    duration(milliseconds),
  ].join(' · ');
  const head = paint(good ? 'success' : 'warning', `⚡ ${status.replace('_', ' ')}`);
  const why = reason ? `: ${stripStyles(reason)}` : '';
  return wrapText(`${head}${why} ${paint('dim', `· ${facts}`)}`, width);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
