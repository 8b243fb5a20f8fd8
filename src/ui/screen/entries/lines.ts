/** Entry → lines. Every kind of entry has its drawing here or in a file of its own; nothing here knows React. */
import type { Engine } from '../../../engine/engine.ts';
import { nameAction } from '../../../session/action.ts';
import { type Entry, resumedText } from '../../../session/entry.ts';
import { parseJsonObject } from '../../../text/json.ts';
import { clean, plainText, visible } from '../../../text/sanitize.ts';
import { stripStyles } from '../../../text/style.ts';
import { lineWidth, wrapText } from '../../../text/wrap.ts';
import { highlightDiff } from '../../render/highlight.ts';
import { cut } from '../../render/segments.ts';
import type { RenderContext } from '../../render/theme.ts';
import { askedLines } from './asked.ts';
import { delegateLines } from './delegate.ts';
import { execLines } from './exec.ts';
import { allowedText, GUTTER, headingLines, refusalFacts, withGutter } from './frame.ts';
import { norrisBeganLines, norrisEndedLines, norrisStepLines, planLines } from './norris.ts';
import { proseLines } from './prose.ts';

/** No wider than prose. */
const MAX_RULE = 100;

type Of<K extends Entry['kind']> = Extract<Entry, { kind: K }>;

/** The lines of an entry, each at most `context.width` cells wide, with a blank one before it where that reads better. */
export function entryLines(entry: Entry, context: RenderContext): string[] {
  const lines = drawn(entry, context);
  return CLOSE.has(entry.kind) || lines.length === 0 ? lines : [' ', ...lines];
}

/** Kinds that stand close to what is above them. */
const CLOSE: ReadonlySet<Entry['kind']> = new Set(['notice', 'refused']);

/**
 * An entry with the true texts where the session has handles: the user's own screen hides nothing from the user (SE-3).
 * What a `:` command says stays, or `:secrets` would show values.
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
  if (partial) lines.push(paint('warning', '⋯ the answer was cut off here'));
  return withGutter(lines, { first: paint('accent', '● '), rest: paint('rule', '│ ') });
}

function toolLines(entry: Of<'tool'>, context: RenderContext): string[] {
  const { name, arguments: given, result } = entry;
  const { width, paint, theme } = context;
  const note = allowedText(entry);
  const went = result === undefined ? '' : result.failed ? paint('error', '✗') : paint('success', '✓');
  const head = headingLines(
    {
      glyph: '▸',
      role: 'accent',
      text: paint('function', visible(`${name} ${subjectOf(name, given)}`)),
      right: [note && paint('dim', note), went].filter(Boolean).join(paint('dim', ' · ')),
    },
    context,
  );
  if (!result) return head;
  const bar = paint(result.failed ? 'error' : 'rule', '│ ');
  const isDiff = name === 'patch' && !result.failed;
  const answer = isDiff ? highlightDiff(plainText(result.text), theme) : clean(result.text);
  return [...head, ...withGutter(wrapText(answer, width - GUTTER), { first: bar, rest: bar })];
}

/** A patch is named by its file: its diff says the rest. */
function subjectOf(name: string, given: string): string {
  const path = name === 'patch' ? parseJsonObject(given)?.path : undefined;
  return typeof path === 'string' ? path : given;
}

const REFUSED = { skipped: 'skipped', aborted: 'aborted', invalid: 'refused', unapplied: 'not applied' } as const;

function refusedLines({ action, how, reason, at, note }: Of<'refused'>, { width, paint }: RenderContext): string[] {
  const text = `${REFUSED[how]}: ${visible(nameAction(action))}`;
  const lines = [text, plainText(refusalFacts({ reason, at, note })).trim()].flatMap((line) =>
    wrapText(line, width - GUTTER),
  );
  return withGutter(
    lines.map((line, index) => paint(index === 0 ? 'warning' : 'dim', line)),
    { first: paint('warning', '○ '), rest: '  ' },
  );
}

const NOTICES = { info: ['dim', '· '], warning: ['warning', '! '], error: ['error', '✗ '] } as const;

function noticeLines({ level, text }: Of<'notice'>, { width, paint }: RenderContext): string[] {
  const [role, mark] = NOTICES[level];
  // Whose word it is the gutter says; `:history` has it as the model was told.
  const lines = wrapText(clean(text.replace(/^\[aish\] /, '')), width - GUTTER).map((line) => paint(role, line));
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

/** Wraps a text; where a line has a description behind a gap, what goes on stands below its beginning. */
function hanging(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const column = /^\S.*? {2,}(?=\S)/.exec(stripStyles(line))?.[0].length ?? 2;
    return wrapText(line, width, { indent: ' '.repeat(column <= width / 2 ? column : 2) });
  });
}

/** A rule across: what is above it was said before, in another sitting. */
function resumedLine(entry: Of<'resumed'>, { width, paint }: RenderContext): string {
  const said = cut(` ${resumedText(entry)} `, Math.max(1, width - 2));
  const rest = Math.max(0, Math.min(width, MAX_RULE) - lineWidth(said) - 2);
  return paint('rule', '──') + paint('dim', said) + paint('rule', '─'.repeat(rest));
}
