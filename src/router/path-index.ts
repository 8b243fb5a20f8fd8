/** An index of the executables on PATH, so that no key press reads the disk; and `aish-tui route`, which uses it. */
import { accessSync, constants, statSync } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { classify, isShellWord, type Words } from './classify.ts';

export type PathIndex = {
  /** Returns whether the word names an executable. Reads the disk once per word and refresh. */
  has(word: string): boolean;
  /** Returns names with this prefix, sorted, at most `limit`; for completion. */
  startingWith(prefix: string, limit: number): readonly string[];
  /** Reads the directories that have changed; the others cost one `stat` each. `pathEnv`: a new value of PATH. */
  refresh(pathEnv?: string): Promise<void>;
};

type Folder = { readonly changed: number; readonly names: ReadonlySet<string> };

/** Returns an index of `pathEnv`, empty until the first `refresh` has ended. Unreadable directories are left out. */
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

/** Relative entries depend on the caller's directory and are left to the shell. */
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

// Checks whether paths exist without waiting for the disk: a key press must not wait for a mount that hangs.

/** The most answers that are kept; beyond that all are dropped. */
const MAX_ANSWERS = 500;
const MAX_PATH_CHARS = 1000;

export class PathCache {
  readonly #cwd: () => string;
  readonly #listeners = new Set<() => void>();
  #answers = new Map<string, boolean>();

  /** @param cwd returns the directory that relative paths start from */
  constructor(cwd: () => string) {
    this.#cwd = cwd;
  }

  /** Returns false until the disk has answered. */
  has(word: string): boolean {
    if (word === '' || word.length > MAX_PATH_CHARS || word.includes('\0')) return false;
    const path = resolve(this.#cwd(), word.replace(/^~(?=\/|$)/, homedir()));
    const known = this.#answers.get(path);
    if (known === undefined) this.#ask(path);
    return known ?? false;
  }

  /** Drops all answers: a command may have changed anything. */
  forget(): void {
    this.#answers = new Map();
  }

  onAnswer(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #ask(path: string): void {
    if (this.#answers.size >= MAX_ANSWERS) this.forget();
    const answers = this.#answers;
    answers.set(path, false);
    lstat(path).then(
      () => {
        answers.set(path, true);
        if (answers === this.#answers) for (const listener of this.#listeners) listener();
      },
      () => {},
    );
  }
}

// `aish-tui route`: one JSON line in, one out (CL-2).

/** Returns the words of the shell itself, plus those of the given sources (an installed list, a PATH index). */
export function knownWords(...sources: readonly { has(word: string): boolean }[]): Words {
  return { knows: (word) => isShellWord(word) || sources.some((source) => source.has(word)) };
}

/**
 * Maps `{"line"}` to `{"kind"}`. Other input gives `{"error"}`, so that answers stay in step with lines. Never throws.
 */
export function routeLine(json: string, words: Words = knownWords()): string {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return JSON.stringify({ error: 'not JSON; a line looks like {"line":"ls -la"}' });
  }
  const line = typeof value === 'object' && value !== null && 'line' in value ? value.line : undefined;
  if (typeof line !== 'string') return JSON.stringify({ error: 'no "line"; a line looks like {"line":"ls -la"}' });
  return JSON.stringify({ kind: classify(line, words).kind });
}
