/**
 * The changes that an action would make, as lines of a question: the result of a trial (HA-10), a diff, the arguments
 * of a call, files to review. Names and contents are hostile: invisible characters in them are spelled out. Pure.
 */
import { dirname } from 'node:path';
import { isGitBookkeeping } from '../../../contracts/trials.ts';
import type { Question, Review, Trial, TrialRow } from '../../../session/question.ts';
import { type DiffLine, numberedLine, parseDiff } from '../../../text/diff.ts';
import { shortPath } from '../../../text/display.ts';
import { parseJsonObject } from '../../../text/json.ts';
import { visible, visibleWithTabs } from '../../../text/sanitize.ts';
import { bytesText, nameText } from '../../../text/spelled.ts';

import { wrapText } from '../../../text/wrap.ts';
import { padTo, type RenderContext } from '../../render/theme.ts';
import type { Choice } from './choices.ts';
import { MARK, markedText, oneLine, UNMARK } from './danger.ts';

const VERBS = { deleted: 'deletes', changed: 'changes', created: 'creates', mode: 'sets mode' } as const;
/** How many lines of the diff are shown below the list; the key `d` shows all. */
const FIRST_LINES = 12;

/** Returns the counts, such as `6 deleted · 1 changed`, without kinds that did not occur. */
export function countsText({ counts }: Extract<Trial, { kind: 'changes' }>): string {
  const all = (['deleted', 'changed', 'created'] as const).map((kind) => ({ kind, count: counts[kind] }));
  const some = all.filter(({ count }) => count > 0).map(({ kind, count }) => `${count} ${kind}`);
  return some.join(' · ') || 'nothing';
}

/** Returns the changes, losses first, then how the command ended and what the trial could not show. */
export function trialRows(trial: Trial, cwd: string, undoable?: boolean): readonly TreeLine[] {
  if (trial.kind === 'cannotTell') return [plainLine(`the trial can’t tell: ${oneLine(trial.why)}`)];
  const { rows, more, exit, moves, doubts, beyond } = trial;
  const shown = rows.filter(({ path }) => moves.length === 0 || !isGitBookkeeping(path));
  const listed = [...groupsOf(shown, cwd), ...moves.map((move) => ({ verb: 'git', name: oneLine(move), size: '' }))];
  const column =
    Math.min(MAX_NAME, Math.max(0, ...listed.map(({ name, size }) => (size === '' ? 0 : name.length)))) + 2;
  const right = undoable === undefined ? '' : undoable ? 'undoable' : 'not undoable';
  return [
    ...listed.map(({ verb, name, size }) => {
      const loses = verb === VERBS.deleted;
      const inked = (loses ? MARK + verb + UNMARK : verb) + ' '.repeat(VERB_COLUMN - verb.length);
      return { ...plainLine(inked + (size === '' ? name : name.padEnd(column) + size)), right };
    }),
    ...(more > 0 ? [plainLine(`… and ${more} more`)] : []),
    ...(rows.length === 0 ? [plainLine('it would change nothing')] : []),
    plainLine(`${exit === 0 ? '' : 'it failed: '}exit ${exit} · no network, signals or sockets in a trial`),
    ...doubts.map((doubt) => plainLine(oneLine(doubt))),
    ...(beyond === undefined ? [] : [plainLine(`can’t be applied: ${oneLine(beyond)}`)]),
  ];
}

/** The width of the column of verbs: the longest verb and two blanks. */
const VERB_COLUMN = VERBS.mode.length + 2;
/** The longest name for which the column of names is widened. */
const MAX_NAME = 40;
/** From this many files of one directory on, changes of their modes are one row. */
const MANY = 3;
const ORDER = { deleted: 0, changed: 1, mode: 2, created: 3 } as const;

type Group = { readonly verb: string; readonly name: string; readonly size: string };

/** Returns a row for each change; what is in a directory is counted in its row. git's own files are the last. */
function groupsOf(rows: readonly TrialRow[], cwd: string): readonly Group[] {
  const isGits = ({ path }: TrialRow) => /(^|\/)\.git(\/|$)/.test(path);
  const sorted = rows.toSorted(
    (one, other) => Number(isGits(one)) - Number(isGits(other)) || ORDER[one.kind] - ORDER[other.kind],
  );
  const folders = sorted.filter(({ kind, type }) => type === 'directory' && (kind === 'deleted' || kind === 'created'));
  const isWithin = (row: TrialRow, folder: TrialRow) =>
    row.kind === folder.kind && row.path.startsWith(`${folder.path}/`);
  const near = (path: string) => oneLine(path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : shortPath(path));
  const modes = sorted.filter(({ kind }) => kind === 'mode');
  return sorted.flatMap((row): readonly Group[] => {
    if (folders.some((folder) => isWithin(row, folder))) return [];
    const alike = row.kind === 'mode' ? modes.filter(({ path }) => dirname(path) === dirname(row.path)) : [];
    if (alike.length < MANY)
      return [
        groupOf(
          row,
          sorted.filter((other) => isWithin(other, row)),
          near(row.path),
        ),
      ];
    const name = `${alike.length} files in ${near(dirname(row.path))}`;
    return alike[0] === row ? [{ verb: VERBS.mode, name, size: '' }] : [];
  });
}

function groupOf({ kind, type, bytes, shared }: TrialRow, below: readonly TrialRow[], name: string): Group {
  const files = below.filter((each) => each.type !== 'directory').length;
  const total = below.reduce((sum, each) => sum + each.bytes, bytes);
  const size = [
    ...(files > 0 ? [files === 1 ? '1 file' : `${files} files`] : []),
    ...(type === 'file' || kind === 'deleted' ? [bytesText(total)] : []),
    ...(shared ? ['its other names change too'] : []),
  ].join(' · ');
  const what = type === 'directory' ? '/' : type === 'link' ? ' (link)' : type === 'other' ? ' (special)' : '';
  return { verb: VERBS[kind], name: `${name}${what}`, size };
}

/** Returns the diff of each file with line numbers: its first lines, or all of it. git's own files are left out. */
export function diffRows(trial: Trial, whole: boolean): readonly TreeLine[] {
  if (trial.kind === 'cannotTell' || trial.diff.trim() === '') return [];
  const files = trial.diff.split(/^(?=--- .*\n\+\+\+ .*\n@@)/m).map(diffRowsOf);
  const rows = files.flatMap(({ name, added, removed, rows }): readonly TreeLine[] =>
    rows.length === 0 || isGitBookkeeping(name)
      ? []
      : [{ ...plainLine(`${name} · +${added} −${removed}`), role: 'hunk' }, ...rows],
  );
  const shown = whole ? rows : rows.slice(0, FIRST_LINES);
  const left = rows.length - shown.length;
  return [...shown, ...(left > 0 ? [plainLine(`… ${left} more lines · press d`)] : [])];
}

/** A unified diff, coloured by what each line does. */
function diffLines(diff: string): readonly TreeLine[] {
  if (diff.trim() === '') return [];
  return diff.split('\n').map((text) => ({ ...plainLine(visibleWithTabs(text)), ...roleOf(text) }));
}

function roleOf(text: string): Pick<TreeLine, 'role'> {
  if (text.startsWith('+')) return { role: 'added' };
  if (text.startsWith('-')) return { role: 'removed' };
  return text.startsWith('@') ? { role: 'hunk' } : {};
}

function plainLine(text: string): TreeLine {
  return { text, indent: '    ' };
}

// A unified diff of one file as rows of a question: line numbers, signs, and the words in which two lines differ.

type DiffRows = {
  /** The file name in the diff's header. */
  readonly name: string;
  readonly added: number;
  readonly removed: number;
  readonly rows: readonly TreeLine[];
};

const ROLES = { '+': 'added', '-': 'removed', ' ': undefined } as const;
/** The longest lines that are compared word by word. */
const MAX_COMPARED_CHARS = 500;

/**
 * Returns every line of the diff. Invisible characters are spelled out, and the file's text can't make rows of its own.
 */
export function diffRowsOf(diff: string): DiffRows {
  const { name, added, removed, hunks, width } = parseDiff(diff);
  return {
    name: oneLine(name),
    added,
    removed,
    rows: hunks.flatMap((hunk, at) => [
      ...(at > 0 ? [{ text: `${' '.repeat(width)} …`, indent: '' }] : []),
      ...compared(hunk).map((line) => rowOf(line, width)),
    ]),
  };
}

/** Draws the rows of a diff; a long line continues under its text. */
export function drawnDiff(rows: readonly TreeLine[], { width, paint }: RenderContext): string[] {
  return rows.flatMap(({ text, indent, role = 'tree' }) =>
    wrapText(text, width, { mode: 'hard', indent }).map((line) =>
      role === 'added' || role === 'removed'
        ? markedText(padTo(line, width), role, `${role}Word`, paint)
        : paint('text', line),
    ),
  );
}

/** Compares each removed line with the line that replaces it. */
function compared(hunk: readonly DiffLine[]): readonly DiffLine[] {
  const out: DiffLine[] = [];
  for (let at = 0; at < hunk.length; ) {
    const run = (sign: DiffLine['sign'], from: number) => {
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

/** Marks the words in which two lines differ, unless they have little in common. */
function pair(one: DiffLine, other: DiffLine): readonly [DiffLine, DiffLine] {
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

function marked(line: DiffLine, words: readonly string[], start: number, end: number): DiffLine {
  const differs = words.slice(start, words.length - end).join('');
  if (differs === '') return line;
  const behind = words.slice(words.length - end).join('');
  return { ...line, text: words.slice(0, start).join('') + MARK + differs + UNMARK + behind };
}

function rowOf(line: DiffLine, width: number): TreeLine {
  const role = ROLES[line.sign];
  return { text: numberedLine(line, width), indent: `${' '.repeat(width)} ↪ `, ...(role ? { role } : {}) };
}

/** Returns what a tool call would do: the diff that it would make, or else its arguments. */
export function changeOf({ diff, action, others = [] }: Extract<Question, { kind: 'halt' }>) {
  if (diff === undefined) {
    const tasks = others.map((task) => ({ ...plainLine(`then  ${oneLine(task)}`), indent: '      ' }));
    const rows = action.kind === 'tool' ? argumentTree(action.arguments) : tasks;
    const agents = others.length === 0 ? 'START A SUB-AGENT?' : `START ${others.length + 1} SUB-AGENTS?`;
    return { chip: action.kind === 'delegate' ? agents : 'RUN THIS?', title: '', isDiff: false, rows };
  }
  const { name, added, removed, rows } = diffRowsOf(diff);
  return { chip: 'CHANGE THIS FILE?', title: `${name} · +${added} −${removed}`, isDiff: true, rows };
}

// Files that a command left for the user to decide on, as lines of a question. Names and contents are hostile.

const ABORT: Choice = { answer: 'abort', key: 'a', label: 'abort', does: 'says no, and ends the run' };

const CHOICES: Readonly<Record<Review['about'], readonly Choice[]>> = {
  later: [
    { answer: 'skip', key: 's', label: 'refuse', does: 'leaves it out; :undo can still add it' },
    { answer: 'proceed', key: 'p', label: 'accept', does: 'puts it into the project', harmful: true },
    ABORT,
  ],
  start: [
    { answer: 'skip', key: 's', label: 'leave', does: 'does not start it' },
    { answer: 'proceed', key: 'p', label: 'start', does: 'starts it, outside the sandbox', harmful: true },
    ABORT,
  ],
  network: [
    { answer: 'skip', key: 's', label: 'no', does: 'blocks it for as long as P would allow it' },
    {
      answer: 'proceed',
      key: 'p',
      label: 'once',
      does: 'lets this command connect there',
      works: 'connects',
      harmful: true,
    },
    {
      answer: 'always',
      key: 'P',
      label: 'session',
      does: 'lets all commands of the session connect there',
      harmful: true,
    },
    ABORT,
  ],
  room: [
    { answer: 'skip', key: 's', label: 'leave', does: 'keeps every undo; the command stays blocked' },
    { answer: 'proceed', key: 'p', label: 'forget', does: 'gives up the undo of older actions', harmful: true },
    ABORT,
  ],
};

const WORDS: Readonly<Record<Review['about'], Record<'chip' | 'title' | 'by' | 'reason' | 'under', string>>> = {
  later: {
    chip: 'SET ASIDE',
    title: 'a later program would run this',
    by: 'By',
    reason: 'accept puts it into the project. refuse leaves it out; :undo can still add it later.',
    under: 'not in the project until you accept it',
  },
  start: {
    chip: 'START?',
    title: 'a model changed these files',
    by: 'To start',
    reason: 'The program may run them with your rights. Read them before you press start.',
    under: 'not started until you press start',
  },
  network: {
    chip: 'CONNECT?',
    title: 'from Project mode to the network',
    by: 'Program',
    reason: 'Data it sends there leaves this machine. :net lists and revokes what you allow.',
    under: 'not connected until you answer',
  },
  room: {
    chip: 'NO ROOM',
    title: 'for the undo of this command',
    by: 'By',
    reason: 'The command got the error “disk full”. forget gives up the undo of older actions.',
    under: 'nothing else is deleted',
  },
};

/** The effect of a yes, for a program that has ended before the answer. */
const AGAIN: Readonly<Record<NonNullable<Review['again']>, string>> = {
  undone: 'The command gave up waiting for you. A yes undoes its changes and runs it again.',
  partly: 'The command gave up waiting for you. Its first part has already run: run all of it again?',
};

/** Title, reasons, lines and answers. */
export function reviewParts({ about, command, items, diff, holds = 'session', again }: Review) {
  const listed = items.map((item): TreeLine => ({ text: nameText(item), indent: '    ' }));
  const { chip, title, by, reason, under } = WORDS[about];
  return {
    chip,
    title,
    danger: about === 'room',
    reasons: [`${by}: ${oneLine(command)}`, again ? AGAIN[again] : reason],
    tree: [...listed, ...diffLines(diff)],
    choices: CHOICES[about].map((choice) => (choice.answer === 'always' ? { ...choice, label: holds } : choice)),
    place: { path: '', under },
  };
}

// The arguments of a tool call for people: one value a line, nothing invisible, nothing that could pass for another
// value.

export type TreeLine = {
  readonly text: string;
  /** Precedes the continuation of a long value, so that it can't pass for the next one. */
  readonly indent: string;
  /** Stands at the right end of the row. */
  readonly right?: string;
  /** The role of a line in a diff, or `help` for the help of a key. */
  readonly role?: 'added' | 'removed' | 'hunk' | 'help';
  /** The key that the help explains. */
  readonly key?: string;
};

const MAX_LINES = 2000;
const MAX_DEPTH = 12;
/** Names that are unambiguous without quotes. */
const PLAIN_NAME = /^[\w$.-]+$/;

/**
 * Returns a line for each value, as `name: value`, lists with `-`. A text is quoted with its control characters
 * escaped; a text of several lines is below its name, after bars. Values omitted at the end are counted.
 */
export function argumentTree(json: string): readonly TreeLine[] {
  const value = parseJsonObject(json || '{}');
  if (value === undefined) return [line('', visible(json))];
  const lines: TreeLine[] = [];
  const left = fields(value, '', 0, lines);
  if (left > 0) lines.push(line('', `… ${left} more values are not shown; ${json.length} characters in all`));
  return lines;
}

/** Returns how many values found no room. */
function fields(of: object, pad: string, depth: number, lines: TreeLine[]): number {
  let left = 0;
  for (const [name, value] of Object.entries(of)) {
    const label = Array.isArray(of) ? '- ' : `${PLAIN_NAME.test(name) ? name : quoted(name)}: `;
    if (lines.length >= MAX_LINES) left += 1;
    else left += put(label, value, pad, depth, lines);
  }
  return left;
}

function put(label: string, value: unknown, pad: string, depth: number, lines: TreeLine[]): number {
  if (typeof value === 'string' && value.includes('\n')) {
    lines.push(line(pad, label.trimEnd()));
    const texts = value.split('\n');
    for (const text of texts.slice(0, MAX_LINES - lines.length)) lines.push(line(pad, `  │ ${visible(text)}`));
    return lines.length >= MAX_LINES ? 1 : 0;
  }
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0 || depth >= MAX_DEPTH) {
    lines.push(line(pad, label + (typeof value === 'string' ? quoted(value) : visible(JSON.stringify(value)))));
    return 0;
  }
  lines.push(line(pad, label.trimEnd()));
  return fields(value, `${pad}  `, depth + 1, lines);
}

function quoted(text: string): string {
  return visible(JSON.stringify(text));
}

function line(pad: string, text: string): TreeLine {
  return { text: pad + text, indent: `${pad}  ┊ ` };
}
