/** A command and what it printed: heading, output behind a coloured bar, and how it ended (EX-3, EX-5). */
import type { OutputSize } from '../../engine/live.ts';
import type { RenderContext } from '../../render/theme.ts';
import type { CommandResult } from '../../session/action.ts';
import type { Entry } from '../../session/entry.ts';
import { visible } from '../../text/sanitize.ts';
import { wrapText } from '../../text/wrap.ts';
import { approvedText, bytes, duration, shortPath, withGutter } from './frame.ts';

type Exec = Extract<Entry, { kind: 'exec' }>;

/** Columns that a command's output has beside the bar. */
export const BAR_WIDTH = 2;

/** Rows of the screen beside the output: heading, sign, prompt, status. */
const FRAME_ROWS = 4;

/** The terminal that a command gets whose output is shown in a frame. */
export function outputSize({ columns, rows }: OutputSize): OutputSize {
  return { columns: Math.max(2, columns - BAR_WIDTH), rows: Math.max(2, rows - FRAME_ROWS) };
}

/** A command that runs is drawn by itself, at the end of the transcript, with its output as it comes. */
export function execLines(entry: Exec, context: RenderContext): string[] {
  const { result } = entry;
  if (!result) return [];
  return [...execHeading(entry, context), ...output(result, context), ...ending(entry, result, context)];
}

type Named = Pick<Exec, 'by' | 'command'> & Partial<Pick<Exec, 'private' | 'job' | 'approvedAt'>>;

/** Who runs what. */
export function execHeading(named: Named, { width, paint }: RenderContext): string[] {
  const { by, command, private: hidden, job, approvedAt } = named;
  const about = [hidden ? 'private' : '', job === undefined ? '' : `job ${job}`, approvedText(approvedAt)];
  const notes = [by === 'model' ? 'model' : '', ...about];
  const note = notes.filter(Boolean).join(' · ');
  const text = paint('strong', visible(command)) + (note ? paint('dim', `  ${note}`) : '');
  const mark = by === 'user' ? paint('user', '❯ ') : paint('accent', '▸ ');
  return withGutter(wrapText(text, width - BAR_WIDTH), { first: mark, rest: '  ' });
}

function output(result: CommandResult, context: RenderContext): string[] {
  const { width, paint } = context;
  const bar = paint(result.exit === 0 ? 'success' : 'error', '│ ');
  const inner = width - BAR_WIDTH;
  const wrapped = (text: string) => (text === '' ? [] : wrapText(text, inner, { mode: 'hard' }));
  const cut =
    result.omittedLines > 0
      ? wrapText(
          paint('dim', `⋯ ${result.omittedLines.toLocaleString('en')} lines not shown, ${bytes(result.bytes)} in all`),
          inner,
        )
      : [];
  return withGutter([...wrapped(result.head), ...cut, ...wrapped(result.tail)], { first: bar, rest: bar });
}

function ending({ cwd }: Exec, result: CommandResult, { width, paint }: RenderContext): string[] {
  const facts = [
    result.exit === null ? '' : `exit ${result.exit}`,
    result.milliseconds > 0 ? duration(result.milliseconds) : '',
    result.note ?? '',
    result.cwd === cwd ? '' : `now in ${shortPath(result.cwd)}`,
    result.file === undefined ? '' : `full text: ${result.file}`,
  ];
  const text = facts.filter(Boolean).join(' · ') || 'ended';
  const corner = paint(result.exit === 0 ? 'success' : 'error', '╰ ');
  const lines = wrapText(visible(text), width - BAR_WIDTH);
  return withGutter(
    lines.map((line) => paint(result.exit === 0 ? 'dim' : 'error', line)),
    { first: corner, rest: '  ' },
  );
}
