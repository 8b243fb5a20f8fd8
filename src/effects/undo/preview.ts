/**
 * What actions changed and an undo would put back, in words and diffs. Names and contents are hostile: they are spelled
 * out.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { type ChangedFile, type KeptAction, summaryOf } from '../../contracts/undo.ts';
import { visible } from '../../text/sanitize.ts';
import { shortPath } from '../../text/short-path.ts';
import { nameText } from '../../text/spelled.ts';

import type { Ran, Step } from './launcher.ts';
import { pathOf } from './paths.ts';
import type { Recorded } from './record.ts';

export const MAX_DIFF_FILE_BYTES = 60_000;
const MAX_DIFFS = 10;
const MAX_PATHS = 40;
const MAX_DIFF_CHARS = 8_000;

/** What each verb of the launcher means for the user; the undo turns it around. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    deleted: 'comes back',
    directory: 'comes back (directory)',
    moved: 'moves back',
    replaced: 'gets its old content back',
    changed: 'gets its old content back',
    created: 'goes',
    mode: 'gets its old mode and times back',
    refused: 'stays as it is',
    'put-back': 'is back',
    removed: 'is gone',
  }),
);

/** One line for each path, at most so many; refusals first, with the reason. */
export function describeSteps(steps: readonly Step[]): string {
  const sorted = [...steps].sort((a, b) => Number(b.verb === 'refused') - Number(a.verb === 'refused'));
  const lines = sorted.slice(0, MAX_PATHS).map(({ verb, path, source }) => {
    const name = (path: string) => nameText(shortPath(path));
    const why = verb === 'refused' ? ` (${visible(source)})` : '';
    const whence = verb === 'moved' && source.startsWith('/') ? ` from ${name(source)}` : '';
    return `  ${name(path)} ${WORDS.get(verb) ?? visible(verb)}${whence}${why}`;
  });
  const more = sorted.length - lines.length;
  return [...lines, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n');
}

/** Unified diffs from what is there to what will be there, of text files of moderate size. */
async function diffsOf(store: string, steps: readonly Step[], read: ReadText = readText): Promise<string> {
  const pairs = steps
    .filter(({ verb, source }) => ['changed', 'replaced', 'deleted'].includes(verb) && source !== '')
    .map(({ verb, path, source }) => ({
      path,
      now: verb === 'deleted' ? undefined : path,
      becomes: source === 'empty' ? undefined : join(store, source),
    }));
  return diffsBetween(pairs, 'after the undo', read);
}

/** The same between any two files; undefined stands for no content. */
export async function diffsBetween(
  pairs: readonly { readonly path: string; readonly now: string | undefined; readonly becomes: string | undefined }[],
  after: string,
  read: ReadText = readText,
): Promise<string> {
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
      diffs.push('… further diffs are left out');
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

/** A text file of moderate size, on whatever machine; undefined for anything else. */
export type ReadText = (path: string) => Promise<string | undefined> | string | undefined;

/** Undefined for what is missing, large, binary, or no regular file. Never waits for a FIFO's writer. */
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

/** What an undo of an action would put back, as the launcher told it. */
export async function previewOf(action: Recorded, { steps, code, error }: Ran, read?: ReadText): Promise<string> {
  if (code !== 0 && code !== 1) return `${headOf(action)}\n  ${visible(error)}`;
  const diffs = await diffsOf(action.directory, steps, read);
  const incomplete = action.complete ? '' : '\n  incomplete: something changed that was not kept';
  return [`${headOf(action)}${incomplete}`, describeSteps(steps), diffs].filter((part) => part !== '').join('\n');
}

/** What became of the undo of an action, one line, and the paths that were left alone. @param into its own number */
export function undoneOf(action: Recorded, into: number, { steps, code, error }: Ran): readonly string[] {
  const refused = steps.filter(({ verb }) => verb === 'refused');
  const line =
    code === 0 || code === 1
      ? `undone: ${headOf(action)} (:undo ${into} yes brings it back)`
      : `${headOf(action)} was not undone: ${visible(error)}`;
  return refused.length > 0 ? [line, describeSteps(refused)] : [line];
}

/** An action in one line. */
function headOf(action: KeptAction): string {
  const text = visible(action.text.split('\n')[0] ?? '');
  return `${action.number} · ${text.length > 80 ? `${text.slice(0, 79)}…` : text} · ${summaryOf([action])}`;
}

// Names alone, for a line at the end of a run and the rail beside it.

/** What the way back of a path says of what was done to it. Modes and times alone are no change of a file. */
const DONE: ReadonlyMap<string, ChangedFile['how']> = new Map([
  ['created', 'created'],
  ['deleted', 'deleted'],
  ['directory', 'deleted'],
  ['moved', 'moved'],
  ['replaced', 'changed'],
  ['changed', 'changed'],
]);

/** What one action did, as the launcher tells its way back. */
export function filesOf(steps: readonly Step[]): readonly ChangedFile[] {
  return steps.flatMap(({ verb, path, source }): readonly ChangedFile[] => {
    const how = DONE.get(verb);
    if (how === undefined) return [];
    return [how === 'moved' && source.startsWith('/') ? { path: source, how, from: path } : { path, how }];
  });
}

/** What several did, the oldest first: each path once. What was made and is gone again is none. */
export function together(actions: readonly (readonly ChangedFile[])[]): readonly ChangedFile[] {
  const files = new Map<string, ChangedFile>();
  for (const file of actions.flat()) {
    const { path, how, from } = file;
    if (from !== undefined) move(files, path, from);
    else if (how === 'deleted') drop(files, path);
    else if (how === 'moved' || !files.has(path)) files.set(path, file);
    else if (files.get(path)?.how !== 'created') files.set(path, { path, how: 'changed' });
  }
  return [...files.values()];
}

/** What was made, or moved before, has another name; it is told under that one. */
function move(files: Map<string, ChangedFile>, path: string, from: string): void {
  const before = files.get(from);
  files.delete(from);
  if (before?.how === 'created') files.set(path, { path, how: 'created' });
  else if (before?.from !== path) files.set(path, { path, how: 'moved', from: before?.from ?? from });
}

/** Of what was moved before, the name that the user knows is gone. */
function drop(files: Map<string, ChangedFile>, path: string): void {
  const before = files.get(path);
  const known = before?.from ?? path;
  if (before?.how === 'created' || known !== path) files.delete(path);
  if (before?.how !== 'created') files.set(known, { path: known, how: 'deleted' });
}
