/** A unified diff of one file as rows of a question: line numbers, signs, and the words in which two lines differ. Pure. */
import type { Question } from '../../../session/question.ts';
import { visible } from '../../../text/sanitize.ts';
import { argumentTree, type TreeLine } from './arguments.ts';
import { MARK, oneLine, UNMARK } from './danger.ts';

export type DiffRows = {
  /** The file as its header names it. */
  readonly name: string;
  readonly added: number;
  readonly removed: number;
  readonly rows: readonly TreeLine[];
};

type Line = { readonly sign: '+' | '-' | ' '; readonly number: number; readonly text: string };

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const ROLES = { '+': 'added', '-': 'removed', ' ': undefined } as const;
/** Lines up to here are compared word by word. */
const MAX_COMPARED_CHARS = 500;

/** Every line of the diff; what can't be seen in it is spelled out, and the text of the file can't make rows of its own. */
export function diffRowsOf(diff: string): DiffRows {
  const hunks = hunksOf(diff);
  const lines = hunks.flat();
  const width = String(Math.max(1, ...lines.map(({ number }) => number))).length;
  const [, name = ''] = /^\+\+\+ (.*)$/m.exec(diff) ?? [];
  const [, old = ''] = /^--- (.*)$/m.exec(diff) ?? [];
  return {
    name: oneLine(name === '/dev/null' ? old : name),
    added: lines.filter(({ sign }) => sign === '+').length,
    removed: lines.filter(({ sign }) => sign === '-').length,
    rows: hunks.flatMap((hunk, at) => [
      ...(at > 0 ? [{ text: `${' '.repeat(width)} …`, indent: '' }] : []),
      ...compared(hunk).map((line) => rowOf(line, width)),
    ]),
  };
}

function hunksOf(diff: string): readonly (readonly Line[])[] {
  const hunks: Line[][] = [];
  let [before, after] = [0, 0];
  for (const row of diff.split('\n')) {
    const [, from, to] = HUNK.exec(row) ?? [];
    const hunk = hunks.at(-1);
    if (from !== undefined && to !== undefined) {
      [before, after] = [Number(from), Number(to)];
      hunks.push([]);
    } else if (hunk && row.startsWith('+')) hunk.push({ sign: '+', number: after++, text: spelled(row.slice(1)) });
    else if (hunk && row.startsWith('-')) hunk.push({ sign: '-', number: before++, text: spelled(row.slice(1)) });
    else if (hunk && row.startsWith(' ')) {
      before += 1;
      hunk.push({ sign: ' ', number: after++, text: spelled(row.slice(1)) });
    } else if (hunk && row.startsWith('\\')) hunk.push({ sign: ' ', number: after, text: '(no newline at the end)' });
  }
  return hunks;
}

function spelled(text: string): string {
  return visible(text.replaceAll('\t', '    '));
}

/** A line that goes is held against the one that comes in its place. */
function compared(hunk: readonly Line[]): readonly Line[] {
  const out: Line[] = [];
  for (let at = 0; at < hunk.length; ) {
    const run = (sign: Line['sign'], from: number) => {
      let to = from;
      while (hunk[to]?.sign === sign) to += 1;
      return hunk.slice(from, to);
    };
    const gone = run('-', at);
    const came = run('+', at + gone.length);
    const pairs = gone.slice(0, came.length).map((line, index) => pair(line, came[index] ?? line));
    const [before, after] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)];
    out.push(...before, ...gone.slice(pairs.length), ...after, ...came.slice(pairs.length));
    at += gone.length + came.length;
    const plain = hunk[at];
    if (gone.length + came.length === 0 && plain) {
      out.push(plain);
      at += 1;
    }
  }
  return out;
}

/** Both with the words marked in which they differ, unless they have little in common. */
function pair(one: Line, other: Line): readonly [Line, Line] {
  if (one.text.length > MAX_COMPARED_CHARS || other.text.length > MAX_COMPARED_CHARS) return [one, other];
  const [a, b] = [wordsOf(one.text), wordsOf(other.text)];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const alike = (words: readonly string[]) => words.filter((word) => word.trim() !== '').length;
  const same = alike(a.slice(0, start)) + alike(a.slice(a.length - end));
  if (same * 2 < Math.max(alike(a), alike(b))) return [one, other];
  return [marked(one, a, start, end), marked(other, b, start, end)];
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\w+|\s+|[^\w\s]/gu) ?? [];
}

function marked(line: Line, words: readonly string[], start: number, end: number): Line {
  const differs = words.slice(start, words.length - end).join('');
  if (differs === '') return line;
  const behind = words.slice(words.length - end).join('');
  return { ...line, text: words.slice(0, start).join('') + MARK + differs + UNMARK + behind };
}

function rowOf({ sign, number, text }: Line, width: number): TreeLine {
  const role = ROLES[sign];
  const shown = sign === '-' ? '−' : sign;
  return {
    text: `${String(number).padStart(width)} ${shown} ${text}`,
    indent: `${' '.repeat(width)} ↪ `,
    ...(role ? { role } : {}),
  };
}

/** What a tool call would do: the diff that it would make, or else its arguments. */
export function changeOf({ diff, action }: Extract<Question, { kind: 'halt' }>) {
  if (diff === undefined) {
    const rows = action.kind === 'tool' ? argumentTree(action.arguments) : [];
    return { chip: 'RUN THIS?', title: '', isDiff: false, rows };
  }
  const { name, added, removed, rows } = diffRowsOf(diff);
  return { chip: 'CHANGE THIS FILE?', title: `${name} · +${added} −${removed}`, isDiff: true, rows };
}
