/** A command and its output: heading, output behind a coloured bar, and how it ended (EX-3, EX-5). */

import { constants } from 'node:os';
import { basename } from 'node:path';
import type { NestedShell } from '../../../contracts/commands.ts';
import type { OutputSize } from '../../../engine/live.ts';
import type { CommandResult } from '../../../session/action.ts';
import type { Entry } from '../../../session/entry.ts';
import { directoryAt, hostOf } from '../../../session/place.ts';
import { shortPath } from '../../../text/display.ts';
import { visible, visibleWithTabs } from '../../../text/sanitize.ts';
import { lineWidth, wrapText } from '../../../text/wrap.ts';
import { cut } from '../../render/segments.ts';
import { type Paint, padTo, type RenderContext } from '../../render/theme.ts';
import { allowedText, bytes, duration, GUTTER, headingLines, withGutter } from './frame.ts';

type Exec = Extract<Entry, { kind: 'exec' }>;

/** Columns that the bar and its gap take from a command's output. */
export const BAR_WIDTH = GUTTER;

/** Cells between a command and its directory. */
const PLACE_DISTANCE = 6;
/** The longest description of a command by the model that is shown. In columns. */
const MAX_LABEL = 60;
/** Rows of the screen that output can't use: heading, sign, a blank row, prompt, status. */
const FRAME_ROWS = 5;

/** Returns the terminal size for a command whose output is shown in a frame. */
export function outputSize({ columns, rows }: OutputSize): OutputSize {
  return { columns: Math.max(2, columns - BAR_WIDTH), rows: Math.max(2, rows - FRAME_ROWS) };
}

/** A running command is drawn separately, at the end of the transcript, with its output as it arrives. */
export function execLines(entry: Exec, context: RenderContext): string[] {
  const { result } = entry;
  if (!result) return [];
  return [...execHeading(entry, context), ...output(entry, result, context), ...ending(entry, result, context)];
}

type Named = Pick<Exec, 'by' | 'command'> &
  Partial<Pick<Exec, 'label' | 'private' | 'job' | 'approvedAt' | 'allowedBy' | 'result' | 'cwd'>>;

/** Returns the row that a fold keeps: who ran what, and how it ended. */
export function execHeading(named: Named, context: RenderContext): string[] {
  const { by, command, label = '', private: hidden, job, result, cwd } = named;
  const { paint, width } = context;
  const says = cut(visible(label).replace(/\s+/g, ' ').trim(), MAX_LABEL);
  const about = [says, hidden ? 'private' : '', job === undefined ? '' : `job ${job}`, allowedText(named)];
  const notes = about.filter(Boolean).map((note) => paint('dim', note));
  const user = by === 'user';
  const right = (place: string) => {
    const facts = place === '' ? notes : [paint('dim', place), ...notes];
    return [...facts, ...(result && !isStart(named) ? [outcome(result, context)] : [])].join(paint('dim', ' · '));
  };
  // The directory is shown where the command's own row has room for it.
  const free = width - GUTTER - lineWidth(onHost(cwd, paint) + visibleWithTabs(command)) - PLACE_DISTANCE;
  const path = cwd === undefined || !result ? '' : visible(shortPath(directoryAt(cwd)));
  const place = [path, `…/${basename(path)}`].find((each) => path !== '' && lineWidth(right(each)) <= free) ?? '';
  return headingLines(
    {
      glyph: user ? '❯' : '▸',
      role: user ? 'user' : 'accent',
      text: onHost(cwd, paint) + paint(user ? 'strong' : 'function', visibleWithTabs(command)),
      right: right(place),
      raised: user,
    },
    context,
  );
}

/** The machine that a command ran on, where that is not the user's own. */
function onHost(cwd: string | undefined, paint: Paint): string {
  const host = cwd === undefined ? undefined : hostOf(cwd);
  return host === undefined ? '' : `${paint('host', `@${visible(host)}`)} `;
}

/** Returns whether the model’s command continues as a job, which is not a failure. */
const isStart = ({ by, job }: Pick<Named, 'by' | 'job'>) => by === 'model' && job !== undefined;

/** Returns a finished step of a run as one row: number, command, who allowed it, duration. */
export function stepLine(entry: Exec, step: number, { width, paint }: RenderContext): string {
  const { command, result, cwd } = entry;
  const host = onHost(cwd, paint);
  const time = result && result.milliseconds > 0 ? duration(result.milliseconds) : '';
  const right = [allowedText(entry), time].filter(Boolean).join(' · ');
  const number = `${step} `.padStart(3);
  const room = Math.max(
    1,
    width - GUTTER - number.length - 1 - (right === '' ? 0 : lineWidth(right) + 3) - lineWidth(host),
  );
  const text = cut(visibleWithTabs(command).replace(/\s*\n\s*/g, ' ⏎ '), room);
  const left = `${paint('success', '✓')} ${paint('dim', number)} ${host}${paint('text', text)}`;
  return right === '' ? left : `${padTo(left, width - lineWidth(right) - 1)}${paint('dim', right)}`;
}

/** The exit code of a line that Ctrl-Z stopped: 128 and the number of SIGTSTP. */
const STOPPED = 128 + constants.signals.SIGTSTP;

/** Returns `✓ 34 ms`, `✗ 127 · 69 ms`, or `stopped · 2 s`, which is not a failure. */
function outcome({ exit, milliseconds, note }: CommandResult, { paint }: RenderContext): string {
  const time = milliseconds > 0 ? duration(milliseconds) : '';
  // The note of a command that went to the background names its job.
  if (exit === STOPPED)
    return paint('dim', [note === undefined ? 'stopped' : 'goes on', time].filter(Boolean).join(' · '));
  if (exit === 0) return [paint('success', '✓'), time && paint('dim', time)].filter(Boolean).join(' ');
  return paint('error', [exit === null ? '✗' : `✗ ${exit}`, time].filter(Boolean).join(' · '));
}

function output(entry: Exec, result: CommandResult, context: RenderContext): string[] {
  const { width, paint } = context;
  const inner = width - BAR_WIDTH;
  const wrapped = (text: string) => (text === '' ? [] : wrapText(text, inner, { mode: 'hard' }));
  const cut =
    result.omittedLines > 0
      ? wrapText(
          paint('dim', `⋯ ${result.omittedLines.toLocaleString('en')} lines not shown, ${bytes(result.bytes)} in all`),
          inner,
        )
      : [];
  const bar = paint(barOf(entry, result), '│ ');
  return withGutter([...wrapped(result.head), ...cut, ...wrapped(result.tail)], { first: bar, rest: bar });
}

const barOf = (entry: Exec, { exit }: CommandResult) => (exit === 0 || isStart(entry) ? 'rule' : 'error');

/** Returns further rows about the end of a command, if there are any. */
function ending(entry: Exec, result: CommandResult, { width, paint }: RenderContext): string[] {
  const facts = [
    result.note ?? '',
    result.cwd === entry.cwd ? '' : `now in ${shortPath(result.cwd)}`,
    result.file === undefined ? '' : `full text: ${result.file}`,
  ];
  const text = facts.filter(Boolean).join(' · ');
  if (text === '') return [];
  const lines = wrapText(visible(text), width - BAR_WIDTH).map((line) => paint('dim', line));
  return withGutter(lines, { first: paint(barOf(entry, result), '╰ '), rest: '  ' });
}

// The line below a running command: who has the keyboard, what the program waits for, and the key that changes it
// (EX-4).

/** The fewest columns with which the longer words are used. */
const MIN_WIDE_COLUMNS = 60;

type SignFacts = {
  readonly asks: boolean;
  readonly echoOff: boolean;
  readonly asker: string | undefined;
  readonly asksAsShell: boolean;
  readonly nested: NestedShell | undefined;
};

type SignOptions = {
  /** Whether keys go to this program. */
  readonly keyboard: boolean;
  readonly columns: number;
  /** Names of the keys for the user. */
  readonly keys: { readonly give: string; readonly back: string; readonly background: string };
  /** Whether this is a job that was brought to the front. */
  readonly job: boolean;
  readonly paint: Paint;
};

/** Returns the known facts about the commands of a nested shell. */
function nestedText(nested: NestedShell | undefined, narrow: boolean): string {
  if (!nested) return narrow ? ': no blocks' : ', a shell without blocks';
  if (nested.busy) return narrow ? ': at work' : ', where a command runs';
  if (nested.exit === undefined) return narrow ? ', a shell' : ', a shell of its own';
  return `: ${narrow ? '' : 'its last command '}${nested.exit === 0 ? '✓' : `✗ ${nested.exit}`}`;
}

export function keyboardSign(facts: SignFacts, { keyboard, columns, keys, job, paint }: SignOptions): string {
  const { asks, echoOff, asksAsShell, nested, asker = 'the program' } = facts;
  const narrow = columns < MIN_WIDE_COLUMNS;
  if (keyboard) {
    const hidden = narrow ? ` hidden: goes to ${asker} ` : ` typing is hidden: it goes to ${asker} `;
    const open = asksAsShell ? ` keys go to ${asker}${nestedText(nested, narrow)} ` : ' keys go to the program ';
    const who = echoOff ? hidden : open;
    return paint('button', who) + paint('dim', ` ${keys.back} brings ${narrow ? 'them' : 'the keys'} back`);
  }
  if (asks) {
    const what = echoOff ? 'something secret, such as a password' : 'your answer';
    const words = narrow ? `${asker} asks` : `${asker} waits for ${what}`;
    return `${paint('button', ` ${keys.give} answers `)} ${paint('warning', words)}`;
  }
  const rest = job ? `${keys.background} sends it back` : 'Ctrl-C interrupts';
  return paint('dim', `${keys.give} gives it the keyboard · ${rest}`);
}
