import { lstatSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** What can be seen of a path without changing anything. */
type Seen = { readonly kind: 'file' | 'directory' | 'other'; readonly size: number };

/** A look at the file system, reading only. `undefined` from `stat` means: nothing is there. */
export type FileLook = {
  stat(path: string): Seen | undefined;
  /** Where an absolute path leads once every link in it is followed; what is not there stays as it is written. */
  real(path: string): string;
  /** What `~` stands for. */
  readonly home: string;
};

/** Most paths whose links are remembered in one look. */
const MAX_REAL_PATHS = 1000;

/**
 * The real file system. Looks are synchronous (a judgement is), so their number and total time are bounded: past
 * `limitMs` milliseconds every path counts as an existing file of unknown size, the safer answer.
 */
export function realFiles(limitMs = 50): FileLook {
  let spent = 0;
  const reals = new Map<string, string>();
  return {
    home: homedir(),
    real(path) {
      const start = performance.now();
      const found = spent > limitMs ? path : realOf(path, reals);
      spent += performance.now() - start;
      return found;
    },
    stat(path) {
      if (spent > limitMs) return { kind: 'file', size: 1 };
      const start = performance.now();
      try {
        const found = lstatSync(path);
        const stats = found.isSymbolicLink() ? statSync(path) : found;
        const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
        return { kind, size: stats.size };
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : { kind: 'file', size: 1 };
      } finally {
        spent += performance.now() - start;
      }
    },
  };
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
