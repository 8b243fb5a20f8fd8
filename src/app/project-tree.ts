/** Determines the directory that is "this project" in Project mode (MO-9). */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DirectoryFacts } from '../remote/hosts/index.ts';
import { contains, realOf } from './own-places.ts';

/**
 * Returns the top of the repository around `cwd`, else `cwd`, with symlinks resolved.
 * Undefined if that is the home directory, contains it, or no longer exists, since such a tree holds files that run
 * everywhere later. Undefined also if the tree contains aish-tui, its settings, programs it starts, or the shells'
 * configuration: writing there controls what runs outside the sandbox.
 * @param isTaken whether the tree contains any of that
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

/** Shared by local and remote trees: both directories have their symlinks resolved. */
export function treeAround(here: string, home: string, isTop: (directory: string) => boolean): string | undefined {
  for (let directory = here; !contains(directory, home); directory = dirname(directory)) {
    if (isTop(directory)) return directory;
  }
  return contains(here, home) ? undefined : here;
}

/** The same for a directory on a host, from the host's own answer. */
export function remoteProjectTree(there: DirectoryFacts | undefined): string | undefined {
  return there && treeAround(there.cwd, there.home, (directory) => there.repositories.includes(directory));
}
