import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { readBeginning } from '../text/files.ts';
import { clean, plainText } from '../text/sanitize.ts';

/** Far more than the length of any branch name or path. */
const MAX_BYTES = 8192;

/**
 * Returns the branch checked out around `cwd`, or the first letters of a detached commit; undefined outside a
 * repository. Reads two small files, runs nothing.
 */
export function gitBranch(cwd: string): string | undefined {
  return repositoryAround(cwd)?.branch;
}

/** Operations git has begun and not finished, each with the file or directory that marks it. */
const BEGUN = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
] as const;

/** Returns the branch and any unfinished operation, as `main, rebase under way`; undefined outside a repository. */
export function gitState(cwd: string): string | undefined {
  const found = repositoryAround(cwd);
  if (!found) return undefined;
  const begun = BEGUN.find(([file]) => statSync(join(found.directory, file), { throwIfNoEntry: false }));
  return begun ? `${found.branch}, ${begun[1]} under way` : found.branch;
}

/** Finds the nearest repository and the directory of git's own files. */
function repositoryAround(cwd: string): { readonly directory: string; readonly branch: string } | undefined {
  try {
    for (let folder = cwd; ; folder = dirname(folder)) {
      const directory = gitDirectory(join(folder, '.git'));
      const head = directory === undefined ? undefined : firstLine(join(directory, 'HEAD'));
      if (directory !== undefined && head !== undefined) {
        const branch = head.startsWith('ref: ') ? head.replace(/^ref: (refs\/heads\/)?/, '') : head.slice(0, 8);
        return { directory, branch };
      }
      if (dirname(folder) === folder) return undefined;
    }
  } catch {
    return undefined;
  }
}

function gitDirectory(git: string): string | undefined {
  const stat = statSync(git, { throwIfNoEntry: false });
  if (!stat || stat.isDirectory()) return stat && git;
  if (!stat.isFile()) return undefined;
  // In a worktree or submodule `.git` is a file that names the real directory.
  const named = readBeginning(git, MAX_BYTES)
    .replace(/^gitdir: /, '')
    .trim();
  return isAbsolute(named) ? named : join(dirname(git), named);
}

/** Sanitized: anyone may have written the repository. */
function firstLine(path: string): string | undefined {
  if (!statSync(path).isFile()) return undefined;
  return plainText(clean(readBeginning(path, MAX_BYTES)))
    .split('\n')[0]
    ?.trim();
}
