import { constants, globSync, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, normalize, resolve } from 'node:path';
import type { FileRead } from '../contracts/gate.ts';
import { sha256 } from '../text/digest.ts';

/** What can be seen of a path without changing anything; `unseen`: nobody knows whether something is there. */
type Seen = { readonly kind: 'file' | 'directory' | 'other' | 'unseen'; readonly size: number };

/** A look at the file system, reading only. `undefined` from `stat` means: nothing is there. */
export type FileLook = {
  stat(path: string): Seen | undefined;
  /** Where an absolute path leads once every link in it is followed; what is not there stays as it is written. */
  real(path: string): string;
  /** The names in a directory; undefined where it can't be read. */
  names(path: string): readonly string[] | undefined;
  /** Some answer was given without a look, since its time was over: what was asked for may be a link to anywhere. */
  ranOut(): boolean;
  /** What `~` stands for. */
  readonly home: string;
};

/** Most paths whose links are remembered in one look. */
const MAX_REAL_PATHS = 1000;
/** So much of one question's time is the file system's at most; in the rest the machine was busy with others. In ms. */
const MAX_STEP_MS = 10;
/** However busy the machine is, nobody waits longer for the answers to one command. In ms. */
const MAX_TIME_MS = 1000;
const UNSEEN: Seen = { kind: 'unseen', size: 1 };

/**
 * The real file system. Looks are synchronous (a judgement is), so their number and total time are bounded: past
 * `limitMs` milliseconds every path counts as unseen, and leads where it is written.
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

/** Follows the links of what is there of the path, looking each directory up once. */
function realOf(path: string, known: Map<string, string>): string {
  const found = known.get(path);
  if (found !== undefined) return found;
  const parent = dirname(path);
  let real: string;
  try {
    real = realpathSync(path);
  } catch {
    real = parent === path ? path : join(realOf(parent, known), basename(path));
    // Of links that lead in a circle the second is left as it is written.
    known.set(path, real);
    const leads = linkAt(real);
    if (leads !== undefined) real = realOf(resolve(dirname(real), leads), known);
  }
  if (known.size < MAX_REAL_PATHS) known.set(path, real);
  return real;
}

/** Where a link leads that may lead to nothing. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** What the session made, by absolute path, as it is now; runs through what its actions have named as written. */
export type Own = Iterable<string> & {
  has(path: string): boolean;
  /** Whether this process belongs to a job of the session. */
  runs?(pid: number): boolean;
  /** Deleting where nothing is there counts as deleting what is the session's. */
  readonly orNothing?: true;
  /** Whether the command sees nothing of what is at this absolute path, but a place of its own. */
  hides?(path: string): boolean;
  /** Whether an absolute directory belongs to a tree that appeared during a session; absent: none does. */
  isNew?(directory: string): boolean;
};

/** What a command in Project mode sees in place of the real ones, where there are namespaces. */
const PRIVATE_PLACES = ['/tmp', '/dev/shm'];

/** Whether an absolute path, or pattern, lies in a private place, given the tree of the project. */
export function hiddenFrom(tree: string): (path: string) => boolean {
  const isIn = (path: string, place: string) => path === place || path.startsWith(`${place}/`);
  const places = PRIVATE_PLACES.filter((place) => !isIn(tree, place));
  return (path) => places.some((place) => isIn(normalize(path), place));
}

/** Most files that are looked at below what one call deletes. */
const MAX_BELOW = 5000;

/**
 * Whether all there is at an absolute path, at what it matches as a pattern, and below, is the session's: true where
 * nothing is there. Follows no links.
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

/** Whether anything is at an absolute path, or at what it matches as a pattern. */
export function isThere(path: string): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found !== undefined || (isPattern(path) && globSync(path).length > 0);
  } catch {
    return true;
  }
}

const isPattern = (path: string) => /[*?[]/.test(path);

/** Those of the paths that are there, and not through a link. */
export function plainFiles(paths: readonly string[]): ReadonlySet<string> {
  return new Set(paths.filter((path) => lstatSync(path, { throwIfNoEntry: false }) && realpathSync(path) === path));
}

/** How deep files that run files are followed. */
const MAX_DEPTH = 3;
/** Largest file that is read, in bytes. */
const MAX_READ_BYTES = 256 * 1024;
/** Most names of a directory that are looked at. */
const MAX_NAMES = 5000;

/** What a path holds. */
export type FileContent =
  | { readonly kind: 'text'; readonly text: string; readonly hash: string }
  | { readonly kind: 'directory'; readonly names: ReadonlySet<string>; readonly hash: string }
  | { readonly kind: 'absent' }
  /** Too large, not text, not readable. `stamp` is another once it may hold something else. */
  | { readonly kind: 'unread'; readonly stamp: string };

/** Reads what an absolute path holds; never rejects. */
export type ReadFile = (path: string) => Promise<FileContent>;

/**
 * The files of one judgement. A judgement waits for nothing: what it would have to read and does not have yet it asks
 * for, and is made again once that was read.
 */
export class Reading {
  /** Absolute paths that are still to be read. */
  readonly wanted = new Set<string>();
  private readonly used = new Map<string, FileRead>();
  private readonly known: ReadonlyMap<string, FileContent>;
  /** Files whose text counts as code, and files that were not there to be. */
  private readonly code = new Set<string>();
  /** Was code read that something before it in the command may have changed? */
  private stale = false;
  /** Files that would have been run, had they been there. */
  private readonly missing = new Set<string>();
  /** How many programs are accounted for: their code was read, or is not there. */
  accounted = 0;
  /** Does the command run something that may write where nobody knows? */
  mayWrite = false;
  /** Absolute paths that the command writes to, and forms of such paths. */
  readonly targets = new Set<string>();
  readonly forms: RegExp[] = [];

  /** The files whose text is being judged, the outermost first. */
  private readonly open: string[] = [];

  private readonly busy: boolean;

  /** @param busy something else runs that may make a file meanwhile */
  constructor(known: ReadonlyMap<string, FileContent>, busy = false) {
    this.known = known;
    this.busy = busy;
  }

  /** Judges the text of a file that is run; undefined: one that runs itself, or too deep. */
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

  /** What is at this absolute path; undefined: not read yet. `runs`: its text counts as code. */
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

  /** What git says to a question; undefined: not asked yet. */
  ask(question: string): FileContent | undefined {
    const found = this.known.get(question);
    if (!found) this.wanted.add(question);
    else if (found.kind === 'text') this.used.set(question, { path: question, hash: found.hash });
    return found;
  }

  /** Nothing runs, since nothing is at this absolute path. */
  runsNothing(path: string): void {
    this.missing.add(path);
    this.accounted++;
  }

  /**
   * May a file be another one by the time it is run: there, though it was not, or with another text? `made` and
   * `changed` are absolute paths that the command itself writes to.
   */
  mayDiffer(made: ReadonlySet<string>, changed: ReadonlySet<string>): boolean {
    if (this.stale || (this.missing.size > 0 && (this.mayWrite || this.busy))) return true;
    return [...this.code].some(
      (path) =>
        made.has(path) || changed.has(path) || this.targets.has(path) || this.forms.some((form) => form.test(path)),
    );
  }

  /** What the judgement rests on. */
  get reads(): readonly FileRead[] {
    return [...this.used.values()];
  }
}

/** Stands before a question to git among the paths that are read. */
export const ASKS_GIT = '\0git\0';
/** Longest time that git may take for an answer, in milliseconds. */
const MAX_GIT_MS = 800;

/** A question to git in a directory, to be read like a path: no path has such a name. */
export function gitQuestion(directory: string, args: readonly string[]): string {
  return ASKS_GIT + [directory, ...args].join('\0');
}

async function askGit(question: string): Promise<FileContent> {
  const [directory = '', ...args] = question.slice(ASKS_GIT.length).split('\0');
  const { gitReader } = await import('./impact/git.ts');
  const text = await gitReader()(directory, args, MAX_GIT_MS);
  return text === undefined ? { kind: 'absent' } : { kind: 'text', text, hash: hashOf(text) };
}

/** Reads one path without ever waiting for a device or a pipe. Never rejects. */
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
  // What can be imported from it, and what a pattern may turn into an option, is all that counts.
  const modules = names.filter((name) => /^-|^[A-Za-z_]\w*($|\.(?:py|pyc|.*\.?so)$)/.test(name)).sort();
  return { kind: 'directory', names: new Set(names), hash: hashOf(modules.join('\0')) };
}

function hashOf(data: string | Uint8Array): string {
  return sha256(data);
}

/** Is everything as it was read? */
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
