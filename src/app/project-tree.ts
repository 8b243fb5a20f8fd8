/** Which directory is "this project" in Project mode (MO-9). */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Standing } from '../remote/hosts/index.ts';
import { holds, realOf } from './own-places.ts';

/**
 * The top of the repository that `cwd` lies in, else `cwd` itself; behind all links. Undefined where that would be the
 * home directory, what it lies in, or a directory that is gone: such a tree holds what runs later everywhere. Nor is it
 * one that holds, also by a link, this program or its settings, what it starts or what the user's shells obey: whoever
 * writes there decides what runs unconfined.
 * @param isTaken whether it holds any of that
 * @param home the user's home directory
 */
export function projectTree(
  cwd: string,
  isTaken: (tree: string) => boolean,
  home: string = homedir(),
): string | undefined {
  const here = realOf(cwd);
  if (here === undefined) return undefined;
  const tree = treeAround(here, realOf(home) ?? home, (directory) => existsSync(join(directory, '.git')));
  return tree === undefined || isTaken(tree) ? undefined : tree;
}

/** The same on whatever machine: both directories behind all links. */
export function treeAround(here: string, home: string, isTop: (directory: string) => boolean): string | undefined {
  for (let directory = here; !holds(directory, home); directory = dirname(directory)) {
    if (isTop(directory)) return directory;
  }
  return holds(here, home) ? undefined : here;
}

/** The same of a directory of a host, as the host says that it lies. */
export function treeThere(there: Standing | undefined): string | undefined {
  return there && treeAround(there.cwd, there.home, (directory) => there.repositories.includes(directory));
}
