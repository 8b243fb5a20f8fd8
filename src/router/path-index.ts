/** The executables on PATH, read once per directory and again when a directory has changed. */
import { readdirSync, statSync } from 'node:fs';

/** How long a directory's list is trusted without a look at its time stamp. Milliseconds. */
const FRESH = 2000;

export type PathIndex = {
  /** Whether a directory of `path` has an entry of this name. */
  has(word: string, path: readonly string[]): boolean;
  /** All names, unsorted, with repeats. */
  all(path: readonly string[]): readonly string[];
};

type Listed = { names: ReadonlySet<string>; changed: number; looked: number };

/** An index of its own, empty until it is asked. Unreadable directories count as empty. */
export function createPathIndex(now: () => number = Date.now): PathIndex {
  const lists = new Map<string, Listed>();
  const namesIn = (folder: string): ReadonlySet<string> => {
    const known = lists.get(folder);
    if (known && now() - known.looked < FRESH) return known.names;
    const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const names = known?.changed === changed ? known.names : new Set(changed === 0 ? [] : list(folder));
    lists.set(folder, { names, changed, looked: now() });
    return names;
  };
  return {
    has: (word, path) => word !== '' && path.some((folder) => namesIn(folder).has(word)),
    all: (path) => path.flatMap((folder) => [...namesIn(folder)]),
  };
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
