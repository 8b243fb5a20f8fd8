import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { readBeginning } from '../text/files.ts';
import { clean, plainText } from '../text/sanitize.ts';

/** Far more than a branch or a path can be long. */
const MAX_BYTES = 8192;

/**
 * Returns the branch checked out around `cwd`, or the first letters of a detached commit; undefined outside a
 * repository. Reads two small files, runs nothing.
 */
export function gitBranch(cwd: string): string | undefined {
  try {
    for (let folder = cwd; ; folder = dirname(folder)) {
      const head = headOf(join(folder, '.git'));
      if (head !== undefined)
        return head.startsWith('ref: ') ? head.replace(/^ref: (refs\/heads\/)?/, '') : head.slice(0, 8);
      if (dirname(folder) === folder) return undefined;
    }
  } catch {
    return undefined;
  }
}

function headOf(git: string): string | undefined {
  const stat = statSync(git, { throwIfNoEntry: false });
  if (!stat) return undefined;
  if (stat.isDirectory()) return firstLine(join(git, 'HEAD'));
  if (!stat.isFile()) return undefined;
  // A work tree or submodule: a file that names the real directory.
  const named = readBeginning(git, MAX_BYTES)
    .replace(/^gitdir: /, '')
    .trim();
  return firstLine(join(isAbsolute(named) ? named : join(dirname(git), named), 'HEAD'));
}

/** Hostile text like any other: a repository may have been written by anyone. */
function firstLine(path: string): string | undefined {
  if (!statSync(path).isFile()) return undefined;
  return plainText(clean(readBeginning(path, MAX_BYTES)))
    .split('\n')[0]
    ?.trim();
}
