/** Which directory is "this project" in Project mode (MO-9). */
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import type { Standing } from '../hosts/index.ts';

/**
 * The top of the repository that `cwd` lies in, else `cwd` itself; behind all links. Undefined where that would be the home
 * directory, what it lies in, or a directory that is gone: such a tree holds what runs later everywhere.
 * @param home the user's home directory
 */
export function projectTree(cwd: string, home: string = homedir()): string | undefined {
  const here = realOf(cwd);
  if (here === undefined) return undefined;
  return treeAround(here, realOf(home) ?? home, (directory) => existsSync(join(directory, '.git')));
}

/** The same on whatever machine: both directories behind all links. */
function treeAround(here: string, home: string, isTop: (directory: string) => boolean): string | undefined {
  for (let directory = here; !holds(directory, home); directory = dirname(directory)) {
    if (isTop(directory)) return directory;
  }
  return holds(here, home) ? undefined : here;
}

/** The same of a directory of a host, as the host says that it lies. */
export function treeThere(there: Standing | undefined): string | undefined {
  return there && treeAround(there.cwd, there.home, (directory) => there.repositories.includes(directory));
}

/** Whether `path` is the directory or lies in it. */
function holds(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory === sep ? sep : directory + sep);
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
