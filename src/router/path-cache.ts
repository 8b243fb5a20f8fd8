/** Whether paths are there, without waiting for a disk: a key must not hang on a mount that does. */
import { lstat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** Answers kept; beyond that all are asked anew. */
const MAX_ANSWERS = 500;
const MAX_PATH_CHARS = 1000;

export class PathCache {
  readonly #cwd: () => string;
  readonly #listeners = new Set<() => void>();
  #answers = new Map<string, boolean>();

  /** @param cwd what relative paths start from */
  constructor(cwd: () => string) {
    this.#cwd = cwd;
  }

  /** False until the disk has answered. */
  has(word: string): boolean {
    if (word === '' || word.length > MAX_PATH_CHARS || word.includes('\0')) return false;
    const path = resolve(this.#cwd(), word.replace(/^~(?=\/|$)/, homedir()));
    const known = this.#answers.get(path);
    if (known === undefined) this.#ask(path);
    return known ?? false;
  }

  /** A command may have changed everything. */
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
