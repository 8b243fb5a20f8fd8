import { lstatSync, statSync } from 'node:fs';

/** What can be seen of a path without changing anything. */
type Seen = { readonly kind: 'file' | 'directory' | 'other'; readonly size: number };

/** A look at the file system, reading only. `undefined` from `stat` means: nothing is there. */
export type FileLook = {
  stat(path: string): Seen | undefined;
};

/**
 * The real file system. Looks are synchronous (a judgement is), so their number and total time are bounded: past
 * `limitMs` milliseconds every path counts as an existing file of unknown size, the safer answer.
 */
export function realFiles(limitMs = 50): FileLook {
  let spent = 0;
  return {
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
