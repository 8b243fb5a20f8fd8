/** The file that a patch is for: found, read as text, and replaced in one step. */
import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { access, link, lstat, open, readlink, realpath, rename, stat, unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { MAX_FILE_BYTES } from './patches.ts';

/** The steps that change the file system, one by one, so that a test can stop between any two. */
export type FileSteps = {
  open(path: string, flags: string, mode?: number): Promise<StepHandle>;
  rename(from: string, to: string): Promise<void>;
  /** Fails with EEXIST where there is something at `to`, which `rename` would replace. */
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

/** Opens a directory that may be closed to readers; Node has no name for it. */
const O_PATH = 0o10000000;

export const CHANGED = 'was changed by someone else just now; read it again';

export const FILE_STEPS: FileSteps = { open, rename, link, unlink };

/** A regular file as it was when it was read; `stat` and `bytes` are absent where there is none yet. */
export type Target = {
  /** Where the bytes are: behind every symbolic link. */
  readonly path: string;
  readonly existing?: { readonly bytes: Buffer; readonly text: string; readonly stat: BigIntStats };
};

export type Read = { readonly ok: true; readonly target: Target } | { readonly ok: false; readonly message: string };

/** The path as the system calls take it. `..` is left to the kernel, which follows links first; `~` is the home. */
export function locate(path: string, cwd: string): string {
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1));
  return isAbsolute(path) ? path : `${cwd}/${path}`;
}

/** Finds and reads what a patch is for. A file that can't be patched is an answer, not an exception. */
export async function readTarget(path: string): Promise<Read> {
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
  // Without O_NONBLOCK the opening of a FIFO would wait for its writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = await handle.stat({ bigint: true });
    if (found.isDirectory()) return refuse('is a directory');
    if (!found.isFile()) return refuse('is not a regular file');
    if (found.size > MAX_FILE_BYTES) return refuse(`is larger than ${MAX_FILE_BYTES} bytes; change it with a command`);
    // The rename that follows needs no right to write to the file, only to its directory.
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
 * Puts new bytes in the place of the target's, in one step: a reader, also after a crash, finds all of the old or
 * all of the new. Mode and owner stay; a new file gets what the umask leaves. Returns why not, in which case nothing
 * has changed.
 */
export function replaceFile(target: Target, bytes: Uint8Array, steps: FileSteps): Promise<string | undefined> {
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

/** Puts a new file in its place where there is still none; false where the file system knows no hard links. */
async function linked(fresh: string, path: string, steps: FileSteps): Promise<boolean> {
  try {
    await steps.link(fresh, path);
    return true;
  } catch (error) {
    if (['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

/** Removes a file that is as it was read. Returns why not. */
export function removeFile(target: Target, steps: FileSteps): Promise<string | undefined> {
  return inPlace(target, (held) => removeHeld(held, steps));
}

/**
 * Does the work by the directory's own descriptor: a program that puts a link in place of a directory meanwhile leads
 * it nowhere else. Where the directory is not the one that was judged any more, nothing is done.
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

/** Owner first: a change of it clears the set-user-id bit that the mode may have. */
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

/** Makes the rename last. It has been done by now, so a file system that can't sync a directory is no failure. */
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

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it is gone',
  EACCES: 'permission denied',
  EPERM: 'the system does not permit it',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the device failed',
  ELOOP: 'its symbolic links go round in circles',
  ENOTDIR: 'a part of the path is no directory',
  ENAMETOOLONG: 'the name is too long',
  ERR_INVALID_ARG_VALUE: 'the path holds a NUL',
};

function reasonOf(error: unknown): string {
  const code = codeOf(error) ?? '';
  return REASONS[code] ?? (code || String(error));
}
