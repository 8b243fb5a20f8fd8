/**
 * What actions changed and an undo would put back, in words and diffs. Names and contents are hostile: they are spelled
 * out.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { branchMoves, isGitBookkeeping } from '../../contracts/trials.ts';
import { type ChangedFile, type KeptAction, summaryOf } from '../../contracts/undo.ts';
import { numberedLine, parseDiff } from '../../text/diff.ts';
import { shortPath } from '../../text/display.ts';
import { visible } from '../../text/sanitize.ts';
import { nameText } from '../../text/spelled.ts';

import type { Ran, Step } from './launcher.ts';
import { Net, type NetChange } from './net.ts';
import { around, pathOf } from './paths.ts';
import type { Recorded } from './record.ts';

export const MAX_DIFF_FILE_BYTES = 60_000;
const MAX_DIFFS = 10;
const MAX_PATHS = 40;
const MAX_DIFF_CHARS = 8_000;

/** What the undo does about each of the launcher’s verbs. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    deleted: 'restores',
    directory: 'restores',
    moved: 'moves back',
    'moved-changed': 'moves back',
    replaced: 'changes back',
    changed: 'changes back',
    created: 'removes',
    mode: 'resets mode',
    refused: 'leaves',
    'put-back': 'restored',
    removed: 'removed',
  }),
);
/** The width of the column of verbs: the longest of these words and two blanks. */
const VERB_COLUMN = 14;
/** From this many files of one directory on, changes of their modes are one row. */
const MANY = 3;

const inColumns = (verb: string, text: string) => `  ${verb.padEnd(VERB_COLUMN)}${text}`;
const filesText = (count: number) => (count === 1 ? '1 file' : `${count} files`);
const shownName = (path: string) => nameText(shortPath(path));

/**
 * Returns one line for each path, up to a maximum: refused ones first, with the reason. What is in a restored directory
 * is counted in its line, and git's own files are one line.
 */
export function describeSteps(steps: readonly Step[]): string {
  const rest = steps.filter((step) => !isRefused(step));
  const gits = rest.filter(({ path }) => isGitBookkeeping(path));
  const own = rest.filter(({ path }) => !isGitBookkeeping(path));
  const { over } = around(
    own.flatMap(({ verb, path }) => (verb === 'directory' ? [path] : [])),
    (path) => path,
  );
  const isWithin = ({ verb, path }: Step) =>
    (verb === 'deleted' || verb === 'directory') && over(dirname(path)) !== undefined;
  const modes = Map.groupBy(
    own.filter(({ verb }) => verb === 'mode'),
    ({ path }) => dirname(path),
  );
  const alikeOf = ({ verb, path }: Step) => (verb === 'mode' && (modes.get(dirname(path)) ?? [])) || [];
  const listed = [...steps.filter(isRefused), ...own.filter((step) => !isWithin(step))].filter((step) => {
    const alike = alikeOf(step);
    return alike.length < MANY || alike[0] === step;
  });
  const lines = listed.slice(0, MAX_PATHS).map((step) => {
    const alike = alikeOf(step);
    if (alike.length < MANY) return stepLine(step, own);
    return inColumns(WORDS.get('mode') ?? '', `${filesText(alike.length)} in ${shownName(dirname(step.path))}`);
  });
  const more = listed.length - lines.length;
  return [
    ...lines,
    ...(more > 0 ? [`  … and ${more} more`] : []),
    ...(gits.length > 0 ? [inColumns('git', `${filesText(gits.length)} of its own`)] : []),
  ].join('\n');
}

const isRefused = ({ verb }: Step) => verb === 'refused';

function stepLine({ verb, path, source }: Step, all: readonly Step[]): string {
  const word = WORDS.get(verb) ?? visible(verb);
  if (verb === 'refused') return inColumns(word, `${shownName(path)} (${visible(source)})`);
  if (verb.startsWith('moved') && source.startsWith('/'))
    return inColumns(word, `${shownName(source)} → ${shownName(path)}`);
  if (verb !== 'directory') return inColumns(word, shownName(path));
  const below = all.filter((step) => step.verb === 'deleted' && step.path.startsWith(`${path}/`));
  return inColumns(word, `${shownName(path)}/${below.length > 0 ? `  ${filesText(below.length)}` : ''}`);
}

/** Returns what changes in text files of moderate size from the current to the restored content. */
async function diffsOf(store: string, steps: readonly Step[], read?: ReadText): Promise<string> {
  const pairs = steps
    .filter(({ verb, source }) => ['changed', 'replaced', 'deleted'].includes(verb) && source !== '')
    .map(({ verb, path, source }) => ({
      path,
      now: verb === 'deleted' ? undefined : path,
      becomes: source === 'empty' ? undefined : join(store, source),
    }));
  return numbered(pairs, read);
}

type Pair = { readonly path: string; readonly now: string | undefined; readonly becomes: string | undefined };

/** Matches git's own files whose diff tells where a branch moves. */
const BRANCH = /(^|\/)\.git\/(?:logs\/)?refs\/(?:heads|tags)\//;

/** Returns where git's branches move, and the diffs of all other files with line numbers. */
async function numbered(pairs: readonly Pair[], read?: ReadText): Promise<string> {
  const moves = branchMoves(
    await diffsBetween(
      pairs.filter(({ path }) => BRANCH.test(path)),
      'after the undo',
      read,
    ),
  );
  const diffs = await diffsBetween(
    pairs.filter(({ path }) => !isGitBookkeeping(path)),
    'after the undo',
    read,
  );
  const shown = diffs.split(/^(?=--- .*\n\+\+\+ .*\n)/m).map((diff) => {
    const { name, added, removed, hunks, width } = parseDiff(diff);
    if (hunks.length === 0) return diff.trimEnd();
    const rows = hunks.map((hunk) => hunk.map((line) => `  ${numberedLine(line, width)}`).join('\n'));
    return `  ${name}  +${added} −${removed}\n${rows.join(`\n  ${' '.repeat(width)} …\n`)}`;
  });
  return [...moves.map((move) => inColumns('git', visible(move))), ...shown].filter((part) => part !== '').join('\n');
}

/** Returns the diffs between any two files; undefined means no content. */
export async function diffsBetween(pairs: readonly Pair[], after: string, read: ReadText = readText): Promise<string> {
  const { createTwoFilesPatch } = await import('diff');
  const diffs: string[] = [];
  let length = 0;
  for (const { path, now, becomes } of pairs) {
    const [old, fresh] = await Promise.all([now, becomes].map(async (file) => (file === undefined ? '' : read(file))));
    if (old === undefined || fresh === undefined) continue;
    const name = nameText(shortPath(path));
    const diff = createTwoFilesPatch(name, name, old, fresh, 'now', after, { context: 2 });
    const shown = visibleLines(diff.slice(diff.indexOf('---')));
    if (diffs.length >= MAX_DIFFS || length + shown.length > MAX_DIFF_CHARS) {
      diffs.push('… more diffs are not shown');
      break;
    }
    diffs.push(shown);
    length += shown.length;
  }
  return diffs.join('\n');
}

function visibleLines(text: string): string {
  return text
    .split('\n')
    .map((line) => visible(line.replaceAll('\t', '    ')))
    .join('\n')
    .trimEnd();
}

/** Reads a text file of moderate size, here or on a host; undefined for anything else. */
export type ReadText = (path: string) => Promise<string | undefined> | string | undefined;

/**
 * Reads a text file of this machine; undefined if it is missing, large, binary, or not a regular file. Never waits for
 * a FIFO.
 */
export function readText(path: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(pathOf(path), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    const { size } = fstatSync(fd);
    if (!fstatSync(fd).isFile() || size > MAX_DIFF_FILE_BYTES) return undefined;
    const bytes = Buffer.alloc(size);
    const read = readSync(fd, bytes, 0, size, 0);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, read));
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** The most files of a run whose lines are counted. */
const MAX_COUNTED = 12;

/**
 * Returns the files that actions changed; for the first ones of moderate size with the numbers of added and removed
 * lines.
 */
export async function countedFiles(net: Net): Promise<readonly ChangedFile[]> {
  const { diffLines } = await import('diff');
  const olds = new Map(net.changes.map(({ path, how, old }) => [path, how === 'created' ? 'empty' : old]));
  return net.files.map((file, at) => {
    const old = olds.get(file.path);
    if (at >= MAX_COUNTED || old === undefined || file.how === 'deleted') return file;
    const before = old === 'empty' ? '' : readText(old);
    const after = readText(file.path);
    if (before === undefined || after === undefined) return file;
    const parts = diffLines(before, after);
    const sum = (wanted: 'added' | 'removed') =>
      parts.reduce((lines, part) => lines + (part[wanted] ? (part.count ?? 0) : 0), 0);
    return { ...file, lines: { added: sum('added'), removed: sum('removed') } };
  });
}

/** Returns the preview of undoing one action, from the launcher’s steps. */
export async function previewOf(action: Recorded, { steps, code, error }: Ran, read?: ReadText): Promise<string> {
  if (code !== 0 && code !== 1) return `${headOf(action)}\n  ${visible(error)}`;
  const diffs = await diffsOf(action.directory, steps, read);
  const incomplete = action.complete ? '' : '\n  incomplete: undo has no copy of some changes';
  return [`${headOf(action)}${incomplete}`, describeSteps(steps), diffs].filter((part) => part !== '').join('\n');
}

/**
 * Returns the result of undoing an action as one line, and the paths left alone.
 * @param into the number of the undo itself
 */
export function undoneOf(action: Recorded, into: number, { steps, code, error, lost }: Ran): readonly string[] {
  const refused = steps.filter(({ verb }) => verb === 'refused');
  const line =
    code === 0 || code === 1
      ? `undone: ${headOf(action)} (:undo ${into} yes redoes it)`
      : lost
        ? `it is not known whether this was undone: ${headOf(action)} (${visible(error)})`
        : `${headOf(action)} was not undone: ${visible(error)}`;
  return refused.length > 0 ? [line, describeSteps(refused)] : [line];
}

/** Returns the one-line label of an action. */
function headOf(action: KeptAction): string {
  const text = visible(action.text.split('\n')[0] ?? '');
  return `${action.number} · ${text.length > 80 ? `${text.slice(0, 79)}…` : text} · ${summaryOf([action])}`;
}

/** An action of a run with its current steps, and the steps stored when it had just ended. */
export type PartOfRun = { readonly action: Recorded; readonly ran: Ran; readonly atEnd?: readonly Step[] | undefined };

/**
 * Returns the preview of undoing several actions, the newest first: each path once. A refusal is omitted if a newer
 * action explains it, since that one is undone first.
 */
export async function previewOfRun(parts: readonly PartOfRun[], read?: ReadText): Promise<string> {
  const net = new Net();
  for (const { action, ran, atEnd } of parts.toReversed())
    net.add(action.directory, atEnd ?? ran.steps.filter(({ verb }) => verb !== 'refused'));
  const newer: string[] = [];
  const stays = new Map<string, Step>();
  for (const { ran, atEnd } of parts) {
    const { over, below } = around(newer, (path) => path);
    const isNewer = (path: string) => over(path) !== undefined || below(path) !== undefined;
    // A moved file may be refused under each of its names.
    const moves = (atEnd ?? []).filter(({ verb }) => verb === 'moved').map(({ path, source }) => [path, source]);
    const isMovedNewer = (path: string) => moves.some((names) => names.includes(path) && names.some(isNewer));
    for (const step of ran.steps)
      if (step.verb === 'refused' && !isNewer(step.path) && !isMovedNewer(step.path)) stays.set(step.path, step);
    newer.push(
      ...(atEnd ?? ran.steps).flatMap(({ path, source }) => (source.startsWith('/') ? [path, source] : [path])),
    );
  }
  // A file that now has the old place of a moved one disappears when that moves back.
  const left = new Set(net.changes.map(({ from }) => from));
  const isTold = ({ path, from = path }: NetChange) => !stays.has(path) && !stays.has(from);
  const changes = net.changes.filter(
    (change) => isTold(change) && (change.from !== undefined || !left.has(change.path)),
  );
  const failed = parts.filter(({ ran }) => ran.code !== 0 && ran.code !== 1);
  const diffs = await numbered(
    changes.flatMap(({ path, how, old, from = path }) => {
      if (how === 'created' || how === 'mode' || old === undefined) return [];
      return [{ path: from, now: how === 'deleted' ? undefined : path, becomes: old === 'empty' ? undefined : old }];
    }),
    read,
  );
  const incomplete = parts.some(({ action }) => !action.complete);
  return [
    `${parts.length} actions · ${changes.length === 1 ? '1 path' : `${changes.length} paths`}`,
    ...failed.map(({ action, ran }) => `${headOf(action)}\n  ${visible(ran.error)}`),
    ...(incomplete ? ['  incomplete: undo has no copy of some changes'] : []),
    describeSteps([...stays.values(), ...changes.map(stepOf)]),
    diffs,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Returns the undo step for a change. */
function stepOf({ path, how, from, old, isDirectory }: NetChange): Step {
  if (how === 'moved' && from !== undefined)
    return { verb: old === undefined ? 'moved' : 'moved-changed', path: from, source: path };
  return { verb: how === 'deleted' && isDirectory ? 'directory' : how, path, source: '' };
}
