/** Which directory is "this project" in Project mode (MO-9). */
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { placesOf } from '../config/index.ts';
import type { Standing } from '../hosts/index.ts';
import { LAUNCHER } from './environment.ts';

/**
 * The top of the repository that `cwd` lies in, else `cwd` itself; behind all links. Undefined where that would be the home
 * directory, what it lies in, or a directory that is gone: such a tree holds what runs later everywhere. Nor is it one that
 * holds this program or its settings: whoever writes there decides what runs unconfined.
 * @param home the user's home directory
 * @param own files and directories of this program
 */
export function projectTree(
  cwd: string,
  home: string = homedir(),
  own: readonly string[] = ownPlaces(),
): string | undefined {
  const here = realOf(cwd);
  if (here === undefined) return undefined;
  const tree = treeAround(here, realOf(home) ?? home, (directory) => existsSync(join(directory, '.git')));
  if (tree === undefined) return undefined;
  const places = own.map((path) => realOf(path) ?? path);
  return places.some((path) => holds(tree, path) || holds(path, tree)) ? undefined : tree;
}

/** The program with its launcher and Node, the user's configuration, and what is kept of sessions. */
function ownPlaces(): readonly string[] {
  const { config, state, cache } = placesOf(process.env);
  return [dirname(LAUNCHER), process.execPath, dirname(config), state, cache];
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
