import { lstatSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** What can be seen of a path without changing anything; `unseen`: nobody knows whether something is there. */
type Seen = { readonly kind: 'file' | 'directory' | 'other' | 'unseen'; readonly size: number };

/** A look at the file system, reading only. `undefined` from `stat` means: nothing is there. */
export type FileLook = {
  stat(path: string): Seen | undefined;
  /** Where an absolute path leads once every link in it is followed; what is not there stays as it is written. */
  real(path: string): string;
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
    ranOut: () => isOver,
  };
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
  }
  if (known.size < MAX_REAL_PATHS) known.set(path, real);
  return real;
}
