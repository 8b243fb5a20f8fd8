/**
 * An entry of the transcript as lines, folded or open, and as plain text for searching and copying. Large kinds have
 * modules of their own.
 */
import type { Engine } from '../../../engine/engine.ts';
import type { TranscriptItem } from '../../../engine/transcript.ts';
import { describeAction, nameAction } from '../../../session/action.ts';
import { type Entry, resumedText } from '../../../session/entry.ts';
import { plainOutput } from '../../../session/exec-text.ts';
import { withoutMarkers } from '../../../session/reply.ts';
import { parseJsonObject } from '../../../text/json.ts';
import { clean, plainText, visible } from '../../../text/sanitize.ts';
import { stripStyles } from '../../../text/style.ts';
import { lineWidth, wrapText } from '../../../text/wrap.ts';
import { codeBlocks, MAX_PROSE } from '../../render/markdown.ts';
import { cut } from '../../render/segments.ts';
import type { Paint, RenderContext } from '../../render/theme.ts';
import { diffRowsOf, drawnDiff } from '../halt/changes.ts';
import { delegateHeading, delegateLines } from './delegate.ts';
import { execHeading, execLines } from './exec.ts';
import { allowedText, GUTTER, headingLines, refusalFacts, withGutter } from './frame.ts';
import { askedLines, norrisBeganLines, norrisEndedLines, norrisStepLines, planLines } from './norris.ts';
import { proseLines, proseWidth } from './prose.ts';

type Of<K extends Entry['kind']> = Extract<Entry, { kind: K }>;

/** Returns the lines of an entry, each at most `context.width` cells wide, with a blank line before them. */
export function entryLines(entry: Entry, context: RenderContext): string[] {
  const lines = drawn(entry, context);
  return lines.length === 0 ? lines : [' ', ...lines];
}

/**
 * Returns an entry with the secrets that the session replaced by handles: the user's own screen hides nothing from the
 * user (SE-3). The output of a `:` command stays, or `:secrets` would show values.
 */
export function revealEntry(engine: Engine, entry: Entry): Entry {
  return entry.kind === 'meta' ? entry : engine.services.secrets.reveal(entry);
}

function drawn(entry: Entry, context: RenderContext): string[] {
  switch (entry.kind) {
    case 'user':
      return userLines(entry, context);
    case 'assistant':
      return assistantLines(entry, context);
    case 'thoughts':
      return thoughtLines(entry, context);
    case 'exec':
      return execLines(entry, context);
    case 'tool':
      return toolLines(entry, context);
    case 'delegate':
      return delegateLines(entry, context);
    case 'refused':
      return refusedLines(entry, context);
    case 'norrisBegan':
      return norrisBeganLines(entry, context);
    case 'plan':
      return planLines(entry, context);
    case 'norrisStep':
      return norrisStepLines(entry, context);
    case 'norrisEnded':
      return norrisEndedLines(entry, context);
    case 'resumed':
      return [resumedLine(entry, context)];
    case 'notice':
      return noticeLines(entry, context);
    case 'meta':
      return metaLines(entry, context);
  }
}

function userLines({ text, queued, attached = [] }: Of<'user'>, context: RenderContext): string[] {
  const right = queued ? 'joins at the next step · Esc takes it back' : '';
  return askedLines({ glyph: '?', role: queued ? 'dim' : 'strong', text, right, attached }, context);
}

function assistantLines({ text, partial }: Of<'assistant'>, context: RenderContext): string[] {
  const { paint } = context;
  const lines = proseLines(text, { ...context, width: context.width - GUTTER });
  if (lines.every((line) => line === '') && !partial) return [];
  if (partial) lines.push(paint('dim', '⋯ the answer was cut off here'));
  return withGutter(lines, { first: paint('accent', '● '), rest: paint('rule', '│ ') });
}

function thoughtLines({ text }: Of<'thoughts'>, { width, paint }: RenderContext): string[] {
  const lines = wrapText(plainText(clean(text)), proseWidth(width)).map((line) => paint('quote', line));
  return withGutter(lines, { first: paint('rule', '┊ '), rest: paint('rule', '┊ ') });
}

function toolLines(entry: Of<'tool'>, context: RenderContext): string[] {
  const { name, arguments: given, result } = entry;
  const { width, paint } = context;
  const note = allowedText(entry);
  const patch = name === 'patch' && result && !result.failed ? patched(result.text) : undefined;
  const went = result === undefined ? '' : result.failed ? paint('error', '✗') : paint('success', '✓');
  const head = headingLines(
    {
      glyph: '▸',
      role: 'accent',
      text: paint('function', visible(`${name} ${subjectOf(name, given)}`)),
      right: [note && paint('dim', note), patch?.size, went].filter(Boolean).join(paint('dim', ' · ')),
    },
    context,
  );
  if (!result) return head;
  const bar = paint(result.failed ? 'error' : 'rule', '│ ');
  const room = { ...context, width: width - GUTTER };
  const answer = wrapText(patch ? patch.notes : clean(result.text), room.width);
  const shown = patch ? [...(patch.notes === '' ? [] : answer), ...drawnDiff(patch.rows, room)] : answer;
  return [...head, ...withGutter(shown, { first: bar, rest: bar })];

  /** Splits the tool's text: its first line only repeats the heading, remarks are shown above the diff. */
  function patched(text: string) {
    const { added, removed, rows } = diffRowsOf(text);
    if (rows.length === 0) return undefined;
    const remarks = (text.split('\n--- ')[0] ?? '').split('\n').slice(1);
    const left = /^\[… .*\]$/m.exec(text)?.[0];
    const notes = plainText([...remarks, ...(left === undefined ? [] : [left])].join('\n'));
    return { rows, notes, size: `${paint('added', `+${added}`)} ${paint('removed', `−${removed}`)}` };
  }
}

/** A patch is named by its file, since its diff shows the rest. */
function subjectOf(name: string, given: string): string {
  const path = name === 'patch' ? parseJsonObject(given)?.path : undefined;
  return typeof path === 'string' ? path : given;
}

const REFUSED = { skipped: 'skipped', aborted: 'aborted', invalid: 'refused', unapplied: 'not applied' } as const;

function refusedLines({ action, how, reason, at, note }: Of<'refused'>, { width, paint }: RenderContext): string[] {
  const text = `${REFUSED[how]}: ${visible(nameAction(action))}`;
  const lines = [text, plainText(refusalFacts({ reason, at, note })).trim()].flatMap((line) =>
    wrapText(line, proseWidth(width)),
  );
  return withGutter(
    lines.map((line) => paint('dim', line)),
    { first: paint('dim', '○ '), rest: '  ' },
  );
}

const NOTICES = { info: ['dim', '· '], warning: ['text', '! '], error: ['error', '✗ '] } as const;

function noticeLines({ level, text }: Of<'notice'>, { width, paint }: RenderContext): string[] {
  const [role, mark] = NOTICES[level];
  // The gutter shows who speaks; `:history` has the text that the model got.
  const lines = wrapText(clean(text.replace(/^\[aish\] /, '')), proseWidth(width)).map((line) => paint(role, line));
  return withGutter(lines, { first: paint(role, mark), rest: '  ' });
}

function metaLines({ line, text, failed }: Of<'meta'>, context: RenderContext): string[] {
  const { width, paint } = context;
  const command = paint('strong', `:${plainText(line).replace(/^:/, '')}`);
  const right = failed ? paint('error', '✗') : '';
  const head = headingLines({ glyph: '❯', role: 'user', text: command, right, raised: true }, context);
  const bar = paint(failed ? 'error' : 'rule', '│ ');
  return [...head, ...withGutter(hanging(clean(text), width - GUTTER), { first: bar, rest: bar })];
}

/** Wraps a text. If a line has a description after a gap, its continuation is indented to the description. */
function hanging(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const half = stripStyles(line).slice(0, Math.ceil(width / 2));
    const column = /^.*\S {2,}(?=\S)/.exec(half)?.[0].length ?? 2;
    // A table keeps its columns, and a long address its place in one row, to be clicked and copied.
    const isProse = column === 2 && !/\S{60}/.test(line);
    return wrapText(line, isProse ? Math.min(width, MAX_PROSE) : width, { indent: ' '.repeat(column) });
  });
}

/** Returns the rule across the screen below which a resumed session continues. */
function resumedLine(entry: Of<'resumed'>, { width, paint }: RenderContext): string {
  const said = cut(` ${resumedText(entry)} `, Math.max(1, width - 2));
  const rest = Math.max(0, width - lineWidth(said) - 2);
  return paint('rule', '──') + paint('dim', said) + paint('rule', '─'.repeat(rest));
}

// Shows all the work of an unfolded sub-agent, as a transcript beside a line (TO-4).

const INDENT = 2;

/**
 * Returns an entry; for a sub-agent everything that it did. Its last message is its report and not repeated.
 * @param reveal returns an entry as the user sees it
 */
export function itemLines(item: TranscriptItem, context: RenderContext, reveal: (entry: Entry) => Entry): string[] {
  const entry = reveal(item.entry);
  if (entry.kind !== 'delegate') return entryLines(entry, context);
  const inner = { ...context, width: Math.max(1, context.width - INDENT) };
  const lines = (item.children?.entries ?? []).flatMap((child) => childLines(reveal(child.entry), inner));
  const bar = context.paint('dim', '┆ ');
  return [' ', ...delegateHeading(entry.task, entry.result, context), ...withGutter(lines, { first: bar, rest: bar })];
}

/** A running command is drawn separately only in the user's own conversation. */
function childLines(entry: Entry, context: RenderContext): string[] {
  return entry.kind === 'exec' && !entry.result ? [' ', ...execHeading(entry, context)] : entryLines(entry, context);
}

// Folds: an entry is open, or folded to its most useful lines, with the number of lines left out (UI-2).

/** The state of an entry; `auto` until the user chooses. */
export type Fold = 'auto' | 'open' | 'closed';

/** Entries up to this many lines are never folded automatically. */
export const MAX_UNFOLDED_LINES = 30;
/** The index of an entry’s heading, after an empty line. */
export const HEADING = 1;
/** Lines that a fold keeps at both ends; and those of a closed entry: the blank line and the heading. */
const ENDS = 8;
const CLOSED = 2;

/**
 * Output of commands that the user did not type is folded automatically, and so is a pasted question. Output of the
 * user's own commands is not.
 */
function foldsByItself(entry: Entry, lines: number): boolean {
  return (
    lines > MAX_UNFOLDED_LINES &&
    ((entry.kind === 'exec' && entry.by === 'model') || entry.kind === 'tool' || entry.kind === 'user')
  );
}

/** Shown only when the user opens them: a sub-agent's work, and a model's thoughts. */
const SHOWN_WHEN_ASKED: ReadonlySet<Entry['kind']> = new Set(['delegate', 'thoughts']);

/** Returns whether an entry of this many lines is drawn with lines left out. */
export function isFolded(fold: Fold, entry: Entry, lines: number): boolean {
  if (SHOWN_WHEN_ASKED.has(entry.kind)) return fold !== 'open';
  if (fold === 'closed') return lines > CLOSED + 1;
  return fold === 'auto' && foldsByItself(entry, lines);
}

/**
 * Returns the other state of an entry; an entry that folds automatically returns to `auto`. Undefined: too short to
 * fold.
 */
export function otherFold(fold: Fold, entry: Entry, lines: number, isStep: boolean): Fold | undefined {
  if (isStep || SHOWN_WHEN_ASKED.has(entry.kind) || foldsByItself(entry, lines))
    return fold === 'open' ? 'auto' : 'open';
  if (isFolded(fold, entry, lines)) return 'open';
  return isFolded('closed', entry, lines) ? 'closed' : undefined;
}

/** Returns the remaining lines of an entry, with a row that counts the others: `┆ 287 more · Ctrl-O`. */
export function foldLines(lines: readonly string[], fold: Fold, paint: Paint, key: string): readonly string[] {
  const head = lines.slice(0, fold === 'closed' ? CLOSED : ENDS);
  const tail = fold === 'closed' ? [] : lines.slice(-ENDS);
  const left = lines.length - head.length - tail.length;
  const count = `${left.toLocaleString('en')} ${fold === 'closed' ? (left === 1 ? 'line' : 'lines') : 'more'}`;
  return [...head, paint('dim', `┆ ${[count, key].filter(Boolean).join(' · ')}`), ...tail];
}

/** Returns the row in place of a model's thoughts, with the key that opens them. */
export function foldedThoughts(lines: number, paint: Paint, key: string): string {
  const named = lines > MAX_UNFOLDED_LINES && key !== '' ? ` · ${key}` : '';
  return paint('dim', `┆ thoughts, ${lines.toLocaleString('en')} ${lines === 1 ? 'line' : 'lines'}${named}`);
}

/** Returns the heading, and the other lines that contain the text; case counts only where the text has a capital. */
export function filteredLines(lines: readonly string[], text: string): readonly string[] {
  const exact = text !== text.toLowerCase();
  return lines.filter((line, index) => {
    const plain = stripStyles(line);
    return index <= HEADING || (exact ? plain : plain.toLowerCase()).includes(text);
  });
}

// An entry as plain text, which is searched and copied (UI-2).

/** Returns the text without styles; for a command the command line above its output, as far as that is kept here. */
export function entryText(entry: Entry): string {
  switch (entry.kind) {
    case 'user':
      return askedText(entry.text, entry.attached);
    case 'assistant':
    case 'thoughts':
      return plainText(entry.text);
    case 'exec':
      return execText(entry);
    case 'tool':
      return `${entry.name} ${visible(entry.arguments)}\n${plainText(entry.result?.text ?? '')}`;
    case 'delegate':
      return `${plainText(entry.task)}\n${plainText(entry.result?.text ?? '')}`;
    case 'refused':
      return `${visible(describeAction(entry.action))}\n${plainText(entry.reason)}`;
    case 'norrisBegan':
      return askedText(entry.goal, entry.attached);
    case 'plan':
      return entry.tasks.map(plainText).join('\n');
    case 'norrisStep':
      return stepText(entry);
    case 'norrisEnded':
      return `${entry.status} ${plainText(entry.reason ?? '')}`;
    case 'resumed':
      return resumedText(entry);
    case 'notice':
      return plainText(entry.text);
    case 'meta':
      return `${plainText(entry.line)}\n${plainText(entry.text)}`;
  }
}

function stepText({ step, maxSteps, task }: Extract<Entry, { kind: 'norrisStep' }>): string {
  return `step ${step}/${maxSteps}${task ? ` ${plainText(task.text)}` : ''}`;
}

function askedText(text: string, attached: readonly string[] = []): string {
  return [plainText(text), ...attached.map((name) => `with ${visible(name)}`)].join('\n');
}

function execText(entry: Of<'exec'>): string {
  return [`$ ${visible(entry.command)}`, outputOf(entry) ?? ''].filter((part) => part !== '').join('\n');
}

function outputOf({ result }: Extract<Entry, { kind: 'exec' }>): string | undefined {
  return result && plainOutput(result, Number.MAX_SAFE_INTEGER).replace(/\n+$/, '');
}

/** Returns the code blocks of an answer, as they are drawn. */
export function codeOf(entry: Entry): readonly string[] {
  return entry.kind === 'assistant' ? codeBlocks(withoutMarkers(entry.text)) : [];
}

/** Returns a command alone, or its output, as far as that is kept here; undefined for other entries. */
export function partOf(entry: Entry, part: 'command' | 'output'): string | undefined {
  if (entry.kind !== 'exec') return undefined;
  if (part === 'command') return visible(entry.command);
  return outputOf(entry);
}

/** Returns the first words of an entry as its name, at most `most` characters. */
export function entryName(entry: Entry, most = 30): string {
  const [line = ''] = entryText(entry).trim().split('\n');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
