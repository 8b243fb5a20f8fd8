/** The built-in `patch` tool (TO-2) and its undo (TO-3). */

import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants, lstatSync } from 'node:fs';
import { access, link, lstat, open, readlink, realpath, rename, stat, unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Preview } from '../../contracts/gate.ts';
import type { ToolCallOptions, ToolOutcome } from '../../contracts/tools.ts';
import { runsLater } from '../../knowledge/control-files.ts';
import { sha256 } from '../../text/digest.ts';
import { parseJson } from '../../text/json.ts';
import { plainText } from '../../text/sanitize.ts';
import type { BuiltinTool } from '../registry.ts';
import { boundDiff, exactDiff, type Lines, linesOf, toNewlines, unifiedDiff } from './lines.ts';
import { type Edit, type Found, finder } from './match.ts';
import {
  MAX_FILE_BYTES,
  MAX_INPUT_BYTES,
  PATCH,
  type Patch,
  type PatchCall,
  readCall,
  shapeProblem,
} from './patches.ts';

/** The maximum characters of a diff for the model, as for a command's output (EX-7), and for the user. */
const MAX_MODEL_DIFF_CHARS = 8_000;
const MAX_USER_DIFF_CHARS = 100_000;
/** How many applied patches can be undone, last one first. Each may contain a whole file. */
const MAX_UNDO_STEPS = 20;
/** How many bytes of a file the gate reads again before a launch. */
const MAX_BOUND_BYTES = 256 * 1024;
const APPEARED =
  'exists by now: someone made it after this overwrite was judged as the making of a new file. ' +
  'Nothing was changed. Read it; call patch again if it is to be replaced, and the user will be asked.';

export type PatchOptions = {
  /** Called after a file has changed. `path` as the model gave it, `diff` unified; both clean text. */
  onApplied?(change: { readonly path: string; readonly diff: string }): void;
  /**
   * Records the old state of a file (absolute, symlinks resolved) before it changes; rejects if it must not change
   * then.
   */
  readonly keep?: {
    keepFile(file: string, text: string, cwd: string): Promise<{ end(changed: boolean): Promise<void> } | undefined>;
  };
  /** Whether a file (absolute, symlinks resolved) belongs to aish-tui itself; no patch changes such a file. */
  isOwn?(file: string): boolean;
  /** Replaces file system calls in tests. */
  readonly steps?: FileSteps;
};

export type PatchTool = BuiltinTool & {
  /** Shows what `undo` would do, with a diff. */
  preview(): Promise<PatchUndo>;
  /**
   * Undoes the last applied patch if the file is unchanged since; another call then undoes the patch before it (TO-3).
   */
  undo(): Promise<PatchUndo>;
};

type PatchUndo = { readonly ok: boolean; readonly text: string };

type Applied = {
  readonly path: string;
  readonly file: string;
  readonly before: Buffer | undefined;
  readonly after: Buffer;
};

/** The tool runs its calls one after the other, including undo. */
export function patchTool(options: PatchOptions = {}): PatchTool {
  const steps = options.steps ?? FILE_STEPS;
  const applied: Applied[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };
  return {
    spec: PATCH,
    readOnly: false,
    judge: (args, cwd) => ({
      ...(isOverwrite(args, cwd)
        ? { destructive: true, reason: 'overwrites an existing file', source: 'static', kept: true }
        : { destructive: false, reason: 'changes part of a file; :undo takes it back', source: 'static', kept: true }),
      basis: { reads: [], own: [], writes: targetsOf(args, cwd) },
    }),
    diffOf: async (args, cwd) => {
      const call = readCall(args);
      return call && previewOf(call, cwd);
    },
    onlyReads: () => false,
    run: (args, options) =>
      inTurn(async () => {
        const call = readCall(args);
        return call ? apply(call, options) : failed('the arguments are not those of patch');
      }),
    preview: () => inTurn(() => takeBack(false)),
    undo: () => inTurn(() => takeBack(true)),
  };

  function outOfReach(file: string, tree: string | null | undefined, links: bigint | undefined): string | undefined {
    if (options.isOwn?.(file)) return 'belongs to aish-tui itself; only the user changes it';
    return tree === undefined ? undefined : beyondTree(file, tree, links);
  }

  async function apply(call: PatchCall, { cwd, signal, destructive, tree }: ToolCallOptions): Promise<ToolOutcome> {
    const path = plainText(call.path);
    const read = await readTarget(locate(call.path, cwd));
    if (!read.ok) return failed(`${path} ${read.message}`);
    const { existing } = read.target;
    const beyond = outOfReach(read.target.path, tree, existing?.stat.nlink);
    if (beyond !== undefined) return failed(`${path} ${beyond}`);
    // The file did not exist at the judgement, so nobody was asked. In Project recorded changes need no question.
    if (existing && destructive !== true && tree === undefined && isWhole(call)) return failed(`${path} ${APPEARED}`);
    const result = applyPatches(existing?.text, call.patches);
    if (!result.ok) return failed(`${result.message}\nNothing was changed in ${path}.`);
    const diff = await unifiedDiff(path, existing?.text, result.text);
    if (signal.aborted) return failed(`stopped; nothing was changed in ${path}`);
    const after = Buffer.from(result.text);
    const problem = await replaceKept(read.target, after, `patch ${path}`, cwd);
    if (problem !== undefined) return failed(`${path} ${problem}. Nothing was changed.`);
    applied.push({ path, file: read.target.path, before: existing?.bytes, after });
    if (applied.length > MAX_UNDO_STEPS) applied.shift();
    options.onApplied?.({ path, diff: boundDiff(diff, MAX_USER_DIFF_CHARS) });
    const links = existing && existing.stat.nlink > 1n ? ['its other hard links keep the old text'] : [];
    const head = [existing ? `patched ${path}` : `created ${path}`, ...result.notes, ...links].join('\n');
    return { text: `${head}\n${boundDiff(diff, MAX_MODEL_DIFF_CHARS)}`, failed: false };
  }

  /** Fails closed: if recording works here but this file can't be recorded, it is not changed. */
  async function replaceKept(target: Target, after: Buffer, text: string, cwd: string): Promise<string | undefined> {
    let keeping: { end(changed: boolean): Promise<void> } | undefined;
    try {
      keeping = await options.keep?.keepFile(target.path, text, cwd);
    } catch (error) {
      return `can't be kept for :undo (${error instanceof Error ? error.message : String(error)})`;
    }
    let problem: string | undefined = CHANGED;
    try {
      // Recording adds a hard link to the old file, which changes its ctime.
      const now = keeping ? await readTarget(target.path) : { ok: true as const, target };
      if (now.ok && isSame(target, now.target)) problem = await replaceFile(now.target, after, steps);
    } finally {
      await keeping?.end(problem === undefined);
    }
    return problem;
  }

  async function takeBack(really: boolean): Promise<PatchUndo> {
    const last = applied.at(-1);
    if (!last) return { ok: false, text: 'no patch to undo' };
    const read = await readTarget(last.file);
    if (!read.ok) return { ok: false, text: `can't undo: ${last.path} ${read.message}` };
    const { target } = read;
    if (target.path !== last.file || !target.existing?.bytes.equals(last.after))
      return { ok: false, text: `can't undo: ${last.path} has changed since it was patched` };
    const { before } = last;
    const diff = await unifiedDiff(last.path, target.existing.text, before?.toString());
    const shown = boundDiff(diff, MAX_USER_DIFF_CHARS);
    if (!really)
      return { ok: true, text: `patch ${last.path}: the undo ${before ? 'changes it back' : 'removes it'}\n${shown}` };
    const problem = before ? await replaceFile(target, before, steps) : await removeFile(target, steps);
    if (problem !== undefined) return { ok: false, text: `can't undo: ${last.path} ${problem}` };
    applied.pop();
    return { ok: true, text: `undone: patch ${last.path}${before ? '' : ', which had created it'}\n${shown}` };
  }
}

/**
 * Returns the complete diff of a call now, and the text that it depends on: if the file's text changes, the user is
 * asked again. A file larger than `MAX_BOUND_BYTES` is not bound.
 */
async function previewOf(call: PatchCall, cwd: string): Promise<Preview | undefined> {
  const read = await readTarget(locate(call.path, cwd));
  if (!read.ok) return undefined;
  const { path, existing } = read.target;
  const result = applyPatches(existing?.text, call.patches);
  if (!result.ok) return undefined;
  const name = path === locate(call.path, cwd) ? call.path : `${call.path} → ${path}`;
  const diff = await exactDiff(name, existing?.text, result.text);
  if (diff.length > MAX_USER_DIFF_CHARS) return undefined;
  const bound = existing === undefined || existing.bytes.length <= MAX_BOUND_BYTES;
  const was = existing ? { path, hash: sha256(existing.bytes) } : { path, absent: true as const };
  return { diff, reads: bound ? [was] : [] };
}

function isSame(then: Target, now: Target): boolean {
  const [a, b] = [then.existing, now.existing];
  if (!a || !b) return !a && !b && then.path === now.path;
  return (
    then.path === now.path && a.stat.ino === b.stat.ino && a.stat.mtimeNs === b.stat.mtimeNs && a.bytes.equals(b.bytes)
  );
}

function failed(text: string): ToolOutcome {
  return { text: plainText(text), failed: true };
}

/**
 * Whether a call replaces a complete existing file, which counts as destructive (TO-2).
 * Unknown counts too: unreadable arguments, or a path that can't be examined.
 */
function isOverwrite(argumentsJson: string, cwd: string): boolean {
  const call = parse(argumentsJson);
  if (!call) return true;
  if (!isWhole(call)) return false;
  try {
    lstatSync(locate(call.path, cwd));
    return true;
  } catch (error) {
    return codeOf(error) !== 'ENOENT';
  }
}

/** Returns the file that a call writes to. */
function targetsOf(argumentsJson: string, cwd: string): readonly string[] {
  const call = parse(argumentsJson);
  return call ? [locate(call.path, cwd)] : [];
}

function isWhole({ patches }: PatchCall): boolean {
  return patches.some((patch) => patch.operation === 'overwrite');
}

function parse(argumentsJson: string): PatchCall | undefined {
  return readCall(parseJson(argumentsJson));
}

// What a patch may change in Project mode: the same as the kernel allows a command (MO-9).

const ASK = 'Use request_mode_upgrade to request write access.';

/**
 * Returns why a file is out of reach; undefined if it is not.
 * @param file absolute, symlinks resolved
 * @param tree symlinks resolved; null if there is none
 * @param links its number of hard links, which may be outside the tree
 */
function beyondTree(file: string, tree: string | null, links = 1n): string | undefined {
  if (tree === null) return `can't be patched: Project mode has no tree here. ${ASK}`;
  if (!file.startsWith(`${tree}/`)) return `lies outside ${tree}, the project's tree. ${ASK}`;
  const what = runsLater(file.slice(tree.length + 1));
  if (what !== undefined) return `${what}, which is out of reach in Project mode. ${ASK}`;
  return links > 1n ? `has several names (hard links), and one may lie outside the project. ${ASK}` : undefined;
}

// The pure core of `patch`: a text and its patches give the new text, or the reason why not (TO-2).

type PatchResult =
  | { readonly ok: true; readonly text: string; readonly notes: readonly string[] }
  | { readonly ok: false; readonly message: string };

const BYTE_ORDER_MARK = '\ufeff';
/** How many problems one answer explains; the model fixes these first. */
const MAX_PROBLEMS = 5;

/**
 * Applies all patches to the original, or none. Every patch is searched in the original, not in the result of others.
 * @param original the file with its byte order mark and line breaks; undefined if it does not exist
 * @returns the new text with the original's mark and line breaks, or lines for the model: which patch, why, and the
 * file's actual text. `notes` name inexact matches.
 */
export function applyPatches(original: string | undefined, patches: readonly Patch[]): PatchResult {
  const problem = callProblem(patches);
  if (problem !== undefined) return { ok: false, message: problem };
  const mark = original?.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const body = (original ?? '').slice(mark.length);
  const lines = linesOf(body);
  const find = finder(lines);
  const problems: string[] = [];
  const edits: Edit[] = [];
  const notes: string[] = [];
  for (const [index, given] of patches.entries()) {
    const wrong = shapeProblem(given, original !== undefined);
    const found: Found = wrong === undefined ? find(withoutMark(given, mark), index) : { problem: wrong };
    if ('problem' in found) problems.push(`${nameOf(patches, index)}: ${found.problem}`);
    // Inserting nothing is not an edit: at the end of the file it would still add a line.
    else edits.push(...found.edits.filter((edit) => edit.text !== '' || edit.start < edit.end));
    if ('note' in found) notes.push(`${nameOf(patches, index)} ${found.note}`);
    if (problems.length === MAX_PROBLEMS) break;
  }
  if (problems.length > 0) return { ok: false, message: problems.join('\n') };
  edits.sort(byPosition);
  const clash = clashOf(edits, lines, patches);
  if (clash !== undefined) return { ok: false, message: clash };
  const tooLarge = { ok: false, message: `the file would be larger than ${MAX_FILE_BYTES} bytes` } as const;
  // Check the size first: replaceAll can turn a small call into more than fits into memory.
  const size = edits.reduce((sum, edit) => sum + edit.text.length - (edit.end - edit.start), body.length);
  if (size > MAX_FILE_BYTES) return tooLarge;
  const text = mark + assemble(body, lines, edits);
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) return tooLarge;
  if (text === original) return { ok: false, message: 'the patches change nothing: the file already has this text' };
  return { ok: true, text, notes };
}

function callProblem(patches: readonly Patch[]): string | undefined {
  if (patches.length === 0) return 'there are no patches';
  const texts = patches.flatMap(({ oldText, newText }) => [oldText ?? '', newText ?? '']);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > MAX_INPUT_BYTES)
    return `the patches carry ${bytes} bytes of text; at most ${MAX_INPUT_BYTES} go into one call: split it`;
  const overwrite = patches.findIndex((patch) => patch.operation === 'overwrite');
  if (overwrite === -1 || patches.length === 1) return undefined;
  return `${nameOf(patches, overwrite)}: overlaps every other patch; an overwrite stands alone in its call`;
}

function nameOf(patches: readonly Patch[], index: number): string {
  return `patch ${index + 1} (${patches[index]?.operation ?? ''})`;
}

/** A model that copied the file's mark into its texts does not want a second one. */
function withoutMark(patch: Patch, mark: string): Patch {
  const strip = (text: string) => (mark !== '' && text.startsWith(mark) ? text.slice(mark.length) : text);
  return {
    ...patch,
    ...(patch.oldText === undefined ? {} : { oldText: strip(patch.oldText) }),
    ...(patch.newText === undefined ? {} : { newText: strip(patch.newText) }),
  };
}

/** An insertion comes before a replacement at the same position. */
function byPosition(one: Edit, other: Edit): number {
  const insertion = (edit: Edit) => (edit.start === edit.end ? 0 : 1);
  return (
    one.start - other.start || insertion(one) - insertion(other) || one.rank - other.rank || one.patch - other.patch
  );
}

function clashOf(edits: readonly Edit[], lines: Lines, patches: readonly Patch[]): string | undefined {
  let before: Edit | undefined;
  for (const edit of edits) {
    if (before && edit.start < before.end)
      return (
        `${nameOf(patches, edit.patch)}: overlaps ${nameOf(patches, before.patch)} at line ${lines.line(edit.start)}; ` +
        'each applies to the original file, so combine them into one patch'
      );
    if (!before || edit.end > before.end) before = edit;
  }
  return undefined;
}

function assemble(body: string, lines: Lines, edits: readonly Edit[]): string {
  const out: string[] = [];
  let last = '';
  const put = (text: string) => {
    if (text === '') return;
    out.push(text);
    last = text;
  };
  let from = 0;
  for (const [index, edit] of edits.entries()) {
    put(body.slice(from, lines.original(edit.start)));
    from = lines.original(edit.end);
    const brk = lines.breakAt(edit.start);
    const text = brk === undefined ? edit.text : toNewlines(edit.text).replaceAll('\n', brk);
    const isLast = index === edits.length - 1;
    if (edit.form === 'append' && last !== '' && !last.endsWith('\n')) put(brk ?? '\n');
    put(edit.form === 'append' && isLast ? endLike(text, body, brk ?? '\n') : text);
    const open = edit.form === 'prepend' && text !== '' && !text.endsWith('\n');
    if (open && !(isLast && from === body.length)) put(brk ?? '\n');
  }
  put(body.slice(from));
  return out.join('');
}

/** The end of appended text: with a line break if the file ended with one, else without. */
function endLike(text: string, body: string, brk: string): string {
  if (body === '' || text === '') return text;
  if (body.endsWith('\n')) return text.endsWith('\n') ? text : text + brk;
  return text.replace(/\r?\n$/, '');
}

// The file of a patch: finds it, reads it as text, and replaces it atomically.

/** The steps that change the file system, so that a test can stop between any two. */
export type FileSteps = {
  open(path: string, flags: string, mode?: number): Promise<StepHandle>;
  rename(from: string, to: string): Promise<void>;
  /** Fails with EEXIST if `to` exists, which `rename` would replace. */
  link(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
};

export type StepHandle = {
  writeFile(data: Uint8Array): Promise<void>;
  stat(): Promise<{ readonly uid: number; readonly gid: number }>;
  chown(uid: number, gid: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
};

/** Opens a directory without read permission; Node does not export the constant. */
const O_PATH = 0o10000000;

const CHANGED = 'was changed by someone else just now; read it again';

export const FILE_STEPS: FileSteps = { open, rename, link, unlink };

/** A regular file at the time of reading; `stat` and `bytes` are undefined if it does not exist yet. */
type Target = {
  /** The path of the data, with symlinks resolved. */
  readonly path: string;
  readonly existing?: { readonly bytes: Buffer; readonly text: string; readonly stat: BigIntStats };
};

type Read = { readonly ok: true; readonly target: Target } | { readonly ok: false; readonly message: string };

/** Returns the path for system calls. The kernel resolves `..` after following links; `~` is the home directory. */
function locate(path: string, cwd: string): string {
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1));
  return isAbsolute(path) ? path : `${cwd}/${path}`;
}

/** Finds and reads the file of a patch. An unusable file is a result, not an exception. */
async function readTarget(path: string): Promise<Read> {
  try {
    const real = await realpath(path).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    });
    return real === undefined ? await missing(path) : await existing(real);
  } catch (error) {
    return refuse(`can't be read: ${reasonOf(error)}`);
  }
}

async function missing(path: string): Promise<Read> {
  const name = basename(path);
  if (path.endsWith('/') || name === '.' || name === '..')
    return refuse('is no file but a directory that does not exist');
  if (await lstat(path).catch(() => undefined)) return refuse('is a symbolic link to nothing');
  const directory = await realpath(dirname(path)).catch(() => undefined);
  if (directory === undefined || !(await stat(directory)).isDirectory())
    return refuse('is in a directory that does not exist; make that first (mkdir -p)');
  return { ok: true, target: { path: join(directory, name) } };
}

async function existing(path: string): Promise<Read> {
  // Without O_NONBLOCK, opening a FIFO would wait for its writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = await handle.stat({ bigint: true });
    if (found.isDirectory()) return refuse('is a directory');
    if (!found.isFile()) return refuse('is not a regular file');
    if (found.size > MAX_FILE_BYTES) return refuse(`is larger than ${MAX_FILE_BYTES} bytes; change it with a command`);
    // The later rename needs write permission only for the directory, so check the file's permission here.
    await access(path, constants.W_OK);
    const bytes = await handle.readFile();
    if (bytes.includes(0)) return refuse('is binary');
    const text = decode(bytes);
    if (text === undefined) return refuse('is not UTF-8 text');
    return { ok: true, target: { path, existing: { bytes, text, stat: found } } };
  } finally {
    await handle.close();
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Replaces the target's bytes atomically: a reader, even after a crash, finds either the old or the new content. Mode
 * and owner stay; a new file follows the umask. Returns the reason of a failure, in which case nothing has changed.
 */
function replaceFile(target: Target, bytes: Uint8Array, steps: FileSteps): Promise<string | undefined> {
  return inPlace(target, (held) => replaceHeld(held, bytes, steps));
}

async function replaceHeld(target: Target, bytes: Uint8Array, steps: FileSteps): Promise<string | undefined> {
  const old = target.existing?.stat;
  const fresh = join(dirname(target.path), `.aish-patch-${randomBytes(8).toString('hex')}`);
  let made = false;
  try {
    const handle = await steps.open(fresh, 'wx', old ? 0o600 : 0o666);
    made = true;
    try {
      await handle.writeFile(bytes);
      if (old && !(await takeOver(handle, old)))
        return `belongs to user ${old.uid}, group ${old.gid}, which could not be kept; change it with a command`;
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (old || !(await linked(fresh, target.path, steps))) {
      if (!(await isAsRead(target))) return CHANGED;
      await steps.rename(fresh, target.path);
      made = false;
    }
  } catch (error) {
    return codeOf(error) === 'EEXIST' ? CHANGED : `can't be written: ${reasonOf(error)}`;
  } finally {
    if (made) await steps.unlink(fresh).catch(() => undefined);
  }
  await syncDirectory(dirname(target.path), steps);
  return undefined;
}

/** Puts a new file in place if there is still none; returns false if the file system has no hard links. */
async function linked(fresh: string, path: string, steps: FileSteps): Promise<boolean> {
  try {
    await steps.link(fresh, path);
    return true;
  } catch (error) {
    if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

/** Removes a file that is unchanged since it was read. Returns the reason of a failure. */
function removeFile(target: Target, steps: FileSteps): Promise<string | undefined> {
  return inPlace(target, (held) => removeHeld(held, steps));
}

/**
 * Works through the directory's own descriptor, so that a program that replaces a directory by a symlink can't
 * redirect it. If the directory is not the judged one any more, it does nothing.
 */
async function inPlace(
  target: Target,
  work: (held: Target) => Promise<string | undefined>,
): Promise<string | undefined> {
  if (process.platform !== 'linux') return work(target);
  const directory = dirname(target.path);
  const handle = await open(directory, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(() => undefined);
  if (!handle) return CHANGED;
  try {
    const held = `/proc/self/fd/${handle.fd}`;
    if ((await readlink(held).catch(() => undefined)) !== directory) return CHANGED;
    return await work({ ...target, path: join(held, basename(target.path)) });
  } finally {
    await handle.close();
  }
}

async function removeHeld(target: Target, steps: FileSteps): Promise<string | undefined> {
  try {
    if (!(await isAsRead(target))) return 'was changed by someone else just now';
    await steps.unlink(target.path);
  } catch (error) {
    return `can't be removed: ${reasonOf(error)}`;
  }
  await syncDirectory(dirname(target.path), steps);
  return undefined;
}

/** Owner first: changing it clears a set-user-id bit in the mode. */
async function takeOver(handle: StepHandle, old: BigIntStats): Promise<boolean> {
  const [uid, gid] = [Number(old.uid), Number(old.gid)];
  const mine = await handle.stat();
  if (mine.uid !== uid || mine.gid !== gid) {
    const refused = await handle.chown(uid, gid).then(
      () => false,
      () => true,
    );
    if (refused) return false;
  }
  await handle.chmod(Number(old.mode & 0o7777n));
  return true;
}

async function isAsRead(target: Target): Promise<boolean> {
  const now = await lstat(target.path, { bigint: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  const then = target.existing?.stat;
  if (!now || !then) return !now && !then;
  return (['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const).every((key) => now[key] === then[key]);
}

/**
 * Makes the rename durable. The rename itself is done, so a file system that can't sync a directory is not an error.
 */
async function syncDirectory(path: string, steps: FileSteps): Promise<void> {
  try {
    const handle = await steps.open(path, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {
    // A directory may be writable and not readable, and some file systems refuse.
  }
}

function refuse(message: string): Read {
  return { ok: false, message };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it no longer exists',
  EACCES: 'permission denied',
  EPERM: 'the system does not permit it',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the device failed',
  ELOOP: 'its symbolic links go round in circles',
  ENOTDIR: 'a part of the path is no directory',
  ENAMETOOLONG: 'the name is too long',
  ERR_INVALID_ARG_VALUE: 'the path contains a NUL character',
};

function reasonOf(error: unknown): string {
  const code = codeOf(error) ?? '';
  return REASONS[code] ?? (code || String(error));
}
