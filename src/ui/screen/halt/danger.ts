/**
 * The dangerous parts of an action as a HALT shows them: what each does, its words in the command, what it would
 * destroy. Pure.
 */
import type { Finding } from '../../../session/action.ts';
import { visible } from '../../../text/sanitize.ts';
import type { Paint, Role } from '../../render/theme.ts';

/** One dangerous part of an action. */
export type Danger = {
  /** The effect of the part, in plain words. */
  readonly verb: string;
  /** The words of the part in the command, marked; empty if it has none. */
  readonly part: string;
  readonly impact: readonly string[];
  readonly undoable?: boolean;
};

/** Surrounds dangerous words in text that `visible` has freed of escapes; drawing replaces it by a colour. */
export const MARK = '\x1b[1;4m';
export const UNMARK = '\x1b[22;24m';

/** Returns the text without marks. */
export function unmarked(text: string): string {
  return text.replaceAll(MARK, '').replaceAll(UNMARK, '');
}

/** Wrapping closes and reopens a mark at line ends; only which words are marked matters here. */
export function markedText(text: string, role: Role, mark: Role, paint: Paint): string {
  return text.split(/(\x1b\[[\d;]*m)/).reduce(
    ({ out, marked }, piece) => {
      if (piece.startsWith('\x1b[')) return { out, marked: piece === MARK };
      return { out: out + paint(marked ? mark : role, piece), marked };
    },
    { out: '', marked: false },
  ).out;
}

/** Longer commands are shown as excerpts first. */
const MAX_WHOLE_CHARS = 600;
/** Characters shown around a dangerous part, and at both ends of the command. */
const AROUND_CHARS = 60;

type Range = readonly [from: number, to: number];

/** Returns foreign text as one line: a newline in it is spelled out, so that it can't make rows of its own. */
export function oneLine(text: string): string {
  return visible(text).replaceAll('\n', '⟨U+000A⟩');
}

/** Returns every dangerous part, the worst first, each with its exact words in the command. */
export function dangersOf(command: string, findings: readonly Finding[]): readonly Danger[] {
  return findings.map(({ verb, rule, part: [from, to], impact = [], undoable }): Danger => {
    const marks = marksOf(command, { part: [from, to], rule });
    return {
      verb: oneLine(verb),
      part: marked(command, [from, to], marks, new Set(quotedNewlines(command))),
      impact: impact.map(oneLine),
      ...(undoable === undefined ? {} : { undoable }),
    };
  });
}

/** Returns whether the one dangerous part is the whole command, which the question shows already. */
export function isAllDanger(command: string, findings: readonly Finding[]): boolean {
  const [only, ...others] = dangersOf(command, findings);
  return others.length === 0 && only?.part.trim() === markedCommand(command, findings, true).trim();
}

/** Returns the command with its dangerous words marked; a long one as excerpts around them, unless `whole`. */
export function markedCommand(command: string, findings: readonly Finding[], whole: boolean): string {
  const marks = findings.flatMap((finding) => marksOf(command, finding)).sort(([a], [b]) => a - b);
  const newlines = new Set(quotedNewlines(command));
  const placed = findings.filter(({ part: [from, to] }) => to > from);
  if (whole || placed.length === 0 || command.length <= MAX_WHOLE_CHARS)
    return marked(command, [0, command.length], marks, newlines);
  const shown = joined(
    [
      [0, AROUND_CHARS],
      ...placed.map(
        ({ part: [from, to] }): Range => [from - AROUND_CHARS, Math.min(to, from + MAX_WHOLE_CHARS) + AROUND_CHARS],
      ),
      [command.length - AROUND_CHARS, command.length],
    ],
    command.length,
  );
  const pieces: string[] = [];
  let at = 0;
  for (const [from, to] of shown) {
    if (from > at) pieces.push(`… ${(from - at).toLocaleString('en')} characters …`);
    pieces.push(marked(command, [from, to], marks, newlines));
    at = to;
  }
  return pieces.join('\n');
}

/** Returns whether `markedCommand` leaves something out. */
export function isExcerpted(command: string, findings: readonly Finding[]): boolean {
  return command.length > MAX_WHOLE_CHARS && findings.some(({ part: [from, to] }) => to > from);
}

/**
 * Returns the ranges in order, joining those that touch or are a few characters apart, never within a surrogate pair.
 */
function joined(ranges: readonly Range[], length: number): readonly Range[] {
  const out: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = out.at(-1);
    if (last && from <= last[1] + AROUND_CHARS) last[1] = Math.max(last[1], Math.min(length, to));
    else out.push([Math.max(0, from), Math.min(length, to)]);
  }
  return out;
}

/** Returns the words that make a part dangerous: its program, its options, the word that the rule is named after. */
function marksOf(command: string, { part: [from, to], rule }: Pick<Finding, 'part' | 'rule'>): readonly Range[] {
  const named = new Set(rule.split(/[^\w.-]+/).filter((word) => word !== ''));
  const marks = [...command.slice(from, to).matchAll(/\S+/g)].flatMap(({ 0: word, index }): Range[] =>
    index === 0 || word.startsWith('-') || named.has(word) ? [[from + index, from + index + word.length]] : [],
  );
  // Adjacent words share one mark: `rm -rf`.
  return marks.reduce<readonly Range[]>((joined, [start, end]) => {
    const last = joined.at(-1);
    const beside = last !== undefined && command.slice(last[1], start) === ' ';
    return beside ? joined.with(-1, [last[0], end]) : [...joined, [start, end]];
  }, []);
}

function marked(command: string, [from, to]: Range, marks: readonly Range[], newlines: ReadonlySet<number>): string {
  const out: string[] = [];
  let at = from;
  for (const [start, end] of marks) {
    if (start < at || end > to) continue;
    out.push(spelled(command, [at, start], newlines), MARK, spelled(command, [start, end], newlines), UNMARK);
    at = end;
  }
  out.push(spelled(command, [at, to], newlines));
  return out.join('');
}

/** A newline between commands breaks the line; one within quotes is spelled out as well. */
function spelled(command: string, [from, to]: Range, newlines: ReadonlySet<number>): string {
  const out: string[] = [];
  let at = from;
  for (let index = from; index < to; index += 1) {
    if (!newlines.has(index)) continue;
    out.push(visible(command.slice(at, index)), '⟨U+000A⟩');
    at = index;
  }
  out.push(visible(command.slice(at, to)));
  return out.join('');
}

/**
 * Returns the places of newlines within quotes, as a shell reads them. Here-documents are not recognised, so their
 * newlines may be included.
 */
function quotedNewlines(command: string): readonly number[] {
  const found: number[] = [];
  let quote = '';
  for (let at = 0; at < command.length; at += 1) {
    const character = command[at] ?? '';
    if (character === '\\' && quote !== "'") at += 1;
    else if (quote === '' && (character === "'" || character === '"')) quote = character;
    else if (character === quote) quote = '';
    else if (quote !== '' && character === '\n') found.push(at);
  }
  return found;
}
