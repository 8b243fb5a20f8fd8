import { constants, globSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, normalize, resolve } from 'node:path';
import type { FileRead } from '../contracts/gate.ts';
import { sha256 } from '../text/digest.ts';

/** The state of a path, found without changing anything; `unseen`: unknown whether it exists. */
type Seen = { readonly kind: 'file' | 'directory' | 'other' | 'unseen'; readonly size: number };

/** Read-only access to the file system. `stat` returns `undefined` where nothing exists. */
export type FileLook = {
  stat(path: string): Seen | undefined;
  /** Returns an absolute path with all links resolved; the part that does not exist stays as written. */
  real(path: string): string;
  /** Returns the names in a directory; undefined where it can’t be read. */
  names(path: string): readonly string[] | undefined;
  /** Returns whether the time limit was reached, so that some paths were not checked and may be links. */
  ranOut(): boolean;
  /** The directory that `~` means. */
  readonly home: string;
};

/** The most paths whose resolved links are remembered. */
const MAX_REAL_PATHS = 1000;
/** The most ms counted for one operation; the rest was other work of the busy program. */
const MAX_STEP_MS = 10;
/** The longest total time for one command, in ms, however busy the program is. */
const MAX_TIME_MS = 1000;
const UNSEEN: Seen = { kind: 'unseen', size: 1 };

/**
 * Returns access to the real file system. Its calls are synchronous, since judging is, so their number and total time
 * are limited: after `limitMs` milliseconds every path counts as unseen, and links are no longer resolved.
 */
export function realFiles(limitMs = 50): FileLook {
  let spent = 0;
  let taken = 0;
  let isOver = false;
  const reals = new Map<string, string>();
  const inTime = <T>(look: () => T, otherwise: T): T => {
    if (spent > limitMs || taken > MAX_TIME_MS) {
      isOver = true;
      return otherwise;
    }
    const start = performance.now();
    const found = look();
    const took = performance.now() - start;
    taken += took;
    spent += Math.min(took, MAX_STEP_MS);
    return found;
  };
  return {
    home: homedir(),
    real: (path) => inTime(() => realOf(path, reals), path),
    stat: (path) => inTime(() => seenAt(path), UNSEEN),
    names: (path) => inTime(() => namesIn(path), undefined),
    ranOut: () => isOver,
  };
}

function namesIn(path: string): readonly string[] | undefined {
  try {
    return readdirSync(path);
  } catch {
    return undefined;
  }
}

function seenAt(path: string): Seen | undefined {
  try {
    const found = lstatSync(path);
    const stats = found.isSymbolicLink() ? statSync(path) : found;
    const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
    return { kind, size: stats.size };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : UNSEEN;
  }
}

/** Resolves the links in the existing part of a path, looking up each directory once. */
function realOf(path: string, known: Map<string, string>): string {
  const found = known.get(path);
  if (found !== undefined) return found;
  const parent = dirname(path);
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    real = parent === path ? path : join(realOf(parent, known), basename(path));
    // In circular links the second one stays as written.
    known.set(path, real);
    const leads = linkAt(real);
    if (leads !== undefined) real = realOf(resolve(dirname(real), leads), known);
  }
  if (known.size < MAX_REAL_PATHS) known.set(path, real);
  return real;
}

/** Returns the target of a link, which may not exist. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** The files that the session made, by absolute path; iterates over the paths that its actions named. */
export type Own = Iterable<string> & {
  has(path: string): boolean;
  /** Whether this process belongs to a job of the session. */
  runs?(pid: number): boolean;
  /** Whether deleting a missing file counts as deleting one of the session. */
  readonly orNothing?: true;
  /** Returns whether the command sees a private place instead of this absolute path. */
  hides?(path: string): boolean;
  /** Returns whether an absolute directory belongs to a tree that appeared during a session; absent: none does. */
  isNew?(directory: string): boolean;
};

/** Directories that are private to a command in Project, where the system has namespaces. */
const PRIVATE_PLACES = ['/tmp', '/dev/shm'];

/** Returns a test whether an absolute path or pattern is in a private place, given the project’s tree. */
export function hiddenFrom(tree: string): (path: string) => boolean {
  const isIn = (path: string, place: string) => path === place || path.startsWith(`${place}/`);
  const places = PRIVATE_PLACES.filter((place) => !isIn(tree, place));
  return (path) => places.some((place) => isIn(normalize(path), place));
}

/** The most files checked below the paths that one call deletes. */
const MAX_BELOW = 5000;

/**
 * Returns whether everything at an absolute path or pattern, and below it, was made by the session; true where nothing
 * exists. Follows no links.
 */
export function isAllOwn(path: string, own: Own): boolean {
  const queue = [path, ...(isPattern(path) ? globSync(path) : [])];
  for (let looked = 0; looked < MAX_BELOW; looked += 1) {
    const next = queue.pop();
    if (next === undefined) return true;
    try {
      const found = lstatSync(next, { throwIfNoEntry: false });
      if (found === undefined) continue;
      if (!own.has(next)) return false;
      if (found.isDirectory()) for (const name of readdirSync(next)) queue.push(join(next, name));
    } catch {
      return false;
    }
  }
  return false;
}

/** Returns whether an absolute path exists, or matches as a pattern. */
export function isThere(path: string): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found !== undefined || (isPattern(path) && globSync(path).length > 0);
  } catch {
    return true;
  }
}

const isPattern = (path: string) => /[*?[]/.test(path);

/** Returns the paths that exist and are not links. */
export function plainFiles(paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.filter((path) => lstatSync(path, { throwIfNoEntry: false }) && realpathSync(path) === path));
}

/** How many levels of files that run other files are followed. */
const MAX_DEPTH = 3;
/** The largest file that is read, in bytes. */
const MAX_READ_BYTES = 256 * 1024;
/** The most names of a directory that are read. */
const MAX_NAMES = 5000;

/** The content of a path. */
export type FileContent =
  | { readonly kind: 'text'; readonly text: string; readonly hash: string }
  | { readonly kind: 'directory'; readonly names: ReadonlySet<string>; readonly hash: string }
  | { readonly kind: 'absent' }
  /** Too large, not text, or not readable. `stamp` changes when the content may have changed. */
  | { readonly kind: 'unread'; readonly stamp: string };

/** Reads the content of an absolute path; never rejects. */
export type ReadFile = (path: string) => Promise<FileContent>;

/** The files that one judgement reads. It never waits: it notes what it needs, and is repeated once that was read. */
export class Reading {
  /** Absolute paths that are still to be read. */
  readonly wanted = new Set<string>();
  private readonly used = new Map<string, FileRead>();
  private readonly known: ReadonlyMap<string, FileContent>;
  /** Files whose text counts as code, including files that were looked for and are missing. */
  private readonly code = new Set<string>();
  /** Whether code was read that an earlier part of the command may have changed. */
  private stale = false;
  /** Files that would run if they existed. */
  private readonly missing = new Set<string>();
  /** How many of the programs have been read or do not exist. */
  accounted = 0;
  /** Whether the command runs a program that may write to unknown files. */
  mayWrite = false;
  /** Absolute paths, and patterns of paths, that the command writes to. */
  readonly targets = new Set<string>();
  readonly forms: RegExp[] = [];

  /** The files whose text is being judged, the outermost first. */
  private readonly open: string[] = [];

  private readonly busy: boolean;

  /** @param busy whether another command is running that may create a file at the same time */
  constructor(known: ReadonlyMap<string, FileContent>, busy = false) {
    this.known = known;
    this.busy = busy;
  }

  /**
   * Judges the text of a file that the command runs; undefined for a file that runs itself, or beyond the depth limit.
   */
  within<T>(path: string, judge: () => T): T | undefined {
    if (this.open.includes(path) || this.open.length >= MAX_DEPTH) return undefined;
    this.open.push(path);
    try {
      return judge();
    } finally {
      this.open.pop();
      this.accounted++;
    }
  }

  /** Returns the content of this absolute path; undefined: not read yet. `runs`: its text counts as code. */
  look(path: string, runs = true): FileContent | undefined {
    const found = this.known.get(path);
    if (runs && (found?.kind === 'text' || found?.kind === 'absent')) this.code.add(path);
    if (found?.kind === 'text' && this.mayWrite) this.stale = true;
    if (!found) this.wanted.add(path);
    else if (found.kind === 'absent') this.used.set(path, { path, absent: true });
    else if (found.kind === 'unread') this.used.set(path, { path, stamp: found.stamp });
    else this.used.set(path, { path, hash: found.hash });
    return found;
  }

  /** Returns git’s answer to a question; undefined: not asked yet. */
  ask(question: string): FileContent | undefined {
    const found = this.known.get(question);
    if (!found) this.wanted.add(question);
    else if (found.kind === 'text') this.used.set(question, { path: question, hash: found.hash });
    return found;
  }

  /** Notes that nothing runs because this absolute path does not exist. */
  runsNothing(path: string): void {
    this.missing.add(path);
    this.accounted++;
  }

  /**
   * Returns whether a file may have changed, or been created, by the time it runs. `made` and `changed`: absolute paths
   * that the command itself writes to.
   */
  mayDiffer(made: ReadonlySet<string>, changed: ReadonlySet<string>): boolean {
    if (this.stale || (this.missing.size > 0 && (this.mayWrite || this.busy))) return true;
    return [...this.code].some(
      (path) =>
        made.has(path) || changed.has(path) || this.targets.has(path) || this.forms.some((form) => form.test(path)),
    );
  }

  /** The files on which the judgement is based. */
  get reads(): readonly FileRead[] {
    return [...this.used.values()];
  }
}

/** The prefix that marks a question to git among the paths to read. */
export const ASKS_GIT = '\0git\0';
/** The longest time for one answer of git, in milliseconds. */
const MAX_GIT_MS = 800;

/** Encodes a question to git in a directory as a path to read; no real path has such a name. */
export function gitQuestion(directory: string, args: readonly string[]): string {
  return ASKS_GIT + [directory, ...args].join('\0');
}

async function askGit(question: string): Promise<FileContent> {
  const [directory = '', ...args] = question.slice(ASKS_GIT.length).split('\0');
  const { gitReader } = await import('./impact/git.ts');
  const text = await gitReader()(directory, args, MAX_GIT_MS);
  return text === undefined ? { kind: 'absent' } : { kind: 'text', text, hash: hashOf(text) };
}

/** Reads one path without waiting for a device or a pipe. Never rejects. */
export async function readContent(path: string): Promise<FileContent> {
  if (path.startsWith(ASKS_GIT)) return askGit(path);
  let stamp = 'not to be looked at';
  try {
    const found = await stat(path, { bigint: true });
    stamp = [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(':');
    if (found.isDirectory()) return directory(await readdir(path), stamp);
    if (!found.isFile() || found.size > MAX_READ_BYTES) return { kind: 'unread', stamp };
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = await file.readFile();
      if (bytes.length > MAX_READ_BYTES) return { kind: 'unread', stamp };
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      if (text.includes('\0')) return { kind: 'unread', stamp };
      return { kind: 'text', text, hash: hashOf(bytes) };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'absent' } : { kind: 'unread', stamp };
  }
}

function directory(names: readonly string[], stamp: string): FileContent {
  if (names.length > MAX_NAMES) return { kind: 'unread', stamp };
  // Only names that Python can import, or that a pattern could turn into an option, matter.
  const modules = names.filter((name) => /^-|^[A-Za-z_]\w*($|\.(?:py|pyc|.*\.?so)$)/.test(name)).sort();
  return { kind: 'directory', names: new Set(names), hash: hashOf(modules.join('\0')) };
}

function hashOf(data: string | Uint8Array): string {
  return sha256(data);
}

/** Returns whether all files are unchanged since they were read. */
export async function isUnchanged(reads: readonly FileRead[]): Promise<boolean> {
  const same = await Promise.all(
    reads.map(async (read) => {
      const now = await readContent(read.path);
      if ('absent' in read) return now.kind === 'absent';
      if ('stamp' in read) return now.kind === 'unread' && now.stamp === read.stamp;
      return 'hash' in now && now.hash === read.hash;
    }),
  );
  return same.every(Boolean);
}
