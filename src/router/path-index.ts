/** An index of the executables on PATH, so that no key press touches the disk. */
import { accessSync, constants, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export type PathIndex = {
  /** Whether the word names an executable. Looks at the disk once per word and refresh. */
  has(word: string): boolean;
  /** Names that start so, sorted, at most `limit`; for completion. */
  startingWith(prefix: string, limit: number): readonly string[];
  /** Reads the directories that changed since; the others cost one `stat` each. `pathEnv`: a new value of PATH. */
  refresh(pathEnv?: string): Promise<void>;
};

type Folder = { readonly changed: number; readonly names: ReadonlySet<string> };

/** An index of `pathEnv`, empty until the first `refresh` has ended. Directories that can't be read are left out. */
export function createPathIndex(pathEnv: string): PathIndex {
  let order = directories(pathEnv);
  let folders = new Map<string, Folder>();
  let runnable = new Map<string, boolean>();

  return {
    has(word) {
      if (word === '' || word.includes('/')) return false;
      const answer =
        runnable.get(word) ?? order.some((dir) => folders.get(dir)?.names.has(word) && isRunnable(join(dir, word)));
      runnable.set(word, answer);
      return answer;
    },
    startingWith(prefix, limit) {
      const found = new Set<string>();
      for (const { names } of folders.values()) for (const name of names) if (name.startsWith(prefix)) found.add(name);
      return [...found].sort().slice(0, limit);
    },
    async refresh(path) {
      if (path !== undefined) order = directories(path);
      const wanted = order;
      const read = await Promise.all(
        wanted.map(async (dir) => [dir, await readFolder(dir, folders.get(dir))] as const),
      );
      if (wanted !== order) return;
      folders = new Map(read.flatMap(([dir, folder]) => (folder ? [[dir, folder]] : [])));
      runnable = new Map();
    },
  };
}

/** Relative entries depend on the caller's cwd and are left to the shell. */
function directories(pathEnv: string): readonly string[] {
  return [...new Set(pathEnv.split(':').filter((dir) => dir.startsWith('/')))];
}

async function readFolder(dir: string, before: Folder | undefined): Promise<Folder | undefined> {
  try {
    const { mtimeMs } = await stat(dir);
    if (before && before.changed === mtimeMs) return before;
    return { changed: mtimeMs, names: new Set(await readdir(dir)) };
  } catch {
    return undefined;
  }
}

function isRunnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
