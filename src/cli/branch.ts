import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/** The branch checked out around `cwd`, or the first letters of a detached commit; undefined outside a repository. Reads two small files, runs nothing. */
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
  if (stat.isDirectory()) return readFileSync(join(git, 'HEAD'), 'utf8').trim();
  // A work tree or submodule: a file that names the real place.
  const named = readFileSync(git, 'utf8')
    .replace(/^gitdir: /, '')
    .trim();
  return readFileSync(join(isAbsolute(named) ? named : join(dirname(git), named), 'HEAD'), 'utf8').trim();
}
