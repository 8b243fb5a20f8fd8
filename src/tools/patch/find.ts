/** Turns patches into edits, located in the original text. */
import { type Lines, toNewlines } from './lines.ts';
import { nearest, occurrences, type Place, type Squeezed, squeeze, tolerant } from './match.ts';
import type { Patch } from './patches.ts';

/** Replaces the original's text from `start` to `end` (offsets of `Lines`). */
export type Edit = {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Order of insertions at one place: the beginning of the file, behind what is before, before what is behind, its end. */
  readonly rank: 0 | 1 | 2 | 3;
  /** Appended and prepended texts are lines of their own; the others are taken as they are. */
  readonly form: 'plain' | 'append' | 'prepend';
  /** Index of the patch that it comes from. */
  readonly patch: number;
};

export type Found = { readonly edits: readonly Edit[]; readonly note?: string } | { readonly problem: string };

/** Patches whose near matches are looked for: that takes a walk through all lines. */
const MAX_SEARCHES = 3;
const MAX_LINES_NAMED = 8;
/** Places that one call may change. A hundred replaceAll of one letter would fill the memory. */
const MAX_PLACES = 50_000;
/** A shorter text would be found anywhere. */
const MIN_TELLING = 4;

/** Looks patches up in one text. The patches must be well-formed (`shapeProblem`). */
export function finder(lines: Lines): (patch: Patch, index: number) => Found {
  const { text } = lines;
  let squeezed: Squeezed | undefined;
  let searches = 0;
  let places = 0;
  return (patch, index) => {
    const newText = patch.newText ?? '';
    if (patch.operation === 'overwrite')
      return { edits: [{ start: 0, end: text.length, text: newText, rank: 0, form: 'plain', patch: index }] };
    if (patch.operation === 'prepend_bof')
      return { edits: [{ start: 0, end: 0, text: newText, rank: 0, form: 'prepend', patch: index }] };
    if (patch.operation === 'append_eof')
      return {
        edits: [{ start: text.length, end: text.length, text: newText, rank: 3, form: 'append', patch: index }],
      };

    const wanted = toNewlines(patch.oldText ?? '');
    const exact = occurrences(text, wanted);
    if (exact.length > 1 && patch.replaceAll !== true) return { problem: ambiguous(lines, exact) };
    if (exact.length > 0) {
      const starts = apart(exact, wanted.length);
      places += starts.length;
      if (places > MAX_PLACES)
        return { problem: `more than ${MAX_PLACES} places would change; use a command for that` };
      return { edits: starts.map((at) => beside(patch, index, at, at + wanted.length, newText)) };
    }

    squeezed ??= squeeze(text);
    const { at, place } = tolerant(text, squeezed, wanted);
    if (at.length === 1 && place) {
      const edit = beside(patch, index, place.start, place.end, fitted(patch, wanted, newText, place));
      return { edits: [edit], note: `matched line ${lines.line(place.start)} but for blanks; look at the diff` };
    }
    if (at.length > 1)
      return {
        problem: `oldText is not in the file as given; but for blanks it is there ${at.length} times (${named(lines, at)}): copy the exact text`,
      };
    searches += 1;
    const hints = searches > MAX_SEARCHES ? '' : hintsOf(lines, wanted, newText);
    return { problem: `${at.length === 1 ? IRREGULAR : 'oldText is not in the file'}${hints}` };
  };
}

const IRREGULAR =
  'oldText is in the file but for its indentation, which differs from line to line: copy the exact text';

function ambiguous(lines: Lines, offsets: readonly number[]): string {
  return (
    `oldText occurs ${offsets.length} times (${named(lines, offsets)}); ` +
    'take more lines around it to make it unique, or set replaceAll'
  );
}

function hintsOf(lines: Lines, wanted: string, newText: string): string {
  const near = nearest(lines.text, wanted);
  const [already] = newText.trim().length < MIN_TELLING ? [] : occurrences(lines.text, toNewlines(newText));
  const hints = [
    ...(near.length > 0 ? near : ['nothing in it is close']),
    ...(already === undefined ? [] : [`newText is there already, at line ${lines.line(already)}`]),
  ];
  return hints.map((hint) => `\n  ${hint}`).join('');
}

/** The edit that a patch makes at the place of its old text. */
function beside(patch: Patch, index: number, start: number, end: number, text: string): Edit {
  const edit = { text, form: 'plain', patch: index } as const;
  if (patch.operation === 'insert_before') return { ...edit, start, end: start, rank: 2 };
  if (patch.operation === 'insert_after') return { ...edit, start: end, end, rank: 1 };
  return { ...edit, start, end, rank: 2 };
}

/** A new text for a place that was found but for blanks: with the file's indentation, and its end of file kept. */
function fitted(patch: Patch, wanted: string, newText: string, place: Place): string {
  const after = patch.operation === 'insert_after';
  const text = place.reindent(newText, after ? wanted.endsWith('\n') : place.indented);
  if (!place.lacksBreak || patch.operation === 'insert_before') return text;
  return (after ? '\n' : '') + text.replace(/\r?\n$/, '');
}

/** The non-overlapping occurrences, from the left. */
function apart(starts: readonly number[], length: number): number[] {
  const kept: number[] = [];
  let end = 0;
  for (const start of starts) {
    if (start < end) continue;
    kept.push(start);
    end = start + length;
  }
  return kept;
}

function named(lines: Lines, offsets: readonly number[]): string {
  const numbers = [...new Set(offsets.slice(0, MAX_LINES_NAMED).map((offset) => lines.line(offset)))];
  const more = offsets.length > MAX_LINES_NAMED ? ', …' : '';
  return `${numbers.length === 1 ? 'line' : 'lines'} ${numbers.join(', ')}${more}`;
}
