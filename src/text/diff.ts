/** Reads a unified diff of one file for people: line numbers, signs, and nothing invisible. */
import { visibleWithTabs } from './sanitize.ts';

/** A line of a diff. `number` is its line number, or 0 for a remark about the line before. */
export type DiffLine = { readonly sign: '+' | '-' | ' '; readonly number: number; readonly text: string };

export type ParsedDiff = {
  /** The file name in the diff's header; hostile. */
  readonly name: string;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly (readonly DiffLine[])[];
  /** The width of the line numbers. */
  readonly width: number;
};

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
/** What this program writes behind a file's name. */
const STATE = /(\t| {4})(now|after .*)$/;

export function parseDiff(diff: string): ParsedDiff {
  const hunks = hunksOf(diff);
  const lines = hunks.flat();
  const [, name = ''] = /^\+\+\+ (.*)$/m.exec(diff) ?? [];
  const [, old = ''] = /^--- (.*)$/m.exec(diff) ?? [];
  return {
    name: (name === '/dev/null' ? old : name).replace(STATE, ''),
    added: lines.filter(({ sign }) => sign === '+').length,
    removed: lines.filter(({ sign }) => sign === '-').length,
    hunks,
    width: String(Math.max(1, ...lines.map(({ number }) => number))).length,
  };
}

/** Returns the line with its number and sign, as in `12 − text`. */
export function numberedLine({ sign, number, text }: DiffLine, width: number): string {
  return `${(number === 0 ? '' : String(number)).padStart(width)} ${sign === '-' ? '−' : sign} ${text}`;
}

function hunksOf(diff: string): readonly (readonly DiffLine[])[] {
  const hunks: DiffLine[][] = [];
  let [before, after] = [0, 0];
  for (const row of diff.split('\n')) {
    const [, from, to] = HUNK.exec(row) ?? [];
    const hunk = hunks.at(-1);
    if (from !== undefined && to !== undefined) {
      [before, after] = [Number(from), Number(to)];
      hunks.push([]);
    } else if (hunk && row.startsWith('+'))
      hunk.push({ sign: '+', number: after++, text: visibleWithTabs(row.slice(1)) });
    else if (hunk && row.startsWith('-'))
      hunk.push({ sign: '-', number: before++, text: visibleWithTabs(row.slice(1)) });
    else if (hunk && row.startsWith(' ')) {
      before += 1;
      hunk.push({ sign: ' ', number: after++, text: visibleWithTabs(row.slice(1)) });
    } else if (hunk && row.startsWith('\\')) hunk.push({ sign: ' ', number: 0, text: '(no newline at the end)' });
  }
  return hunks;
}
