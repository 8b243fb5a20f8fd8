/**
 * Remembers the projects that the user has worked in. A directory that appears during a session, cloned or unpacked,
 * stays new until a later session; commands that run its code count as unknown.
 */
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseJsonObject } from '../text/json.ts';
import { realOf } from './own-places.ts';

/** How many directories to read back, newest first. */
const MAX_TREES = 2000;

/** One line of the file: a directory the user ran a command in, and when, in ms. */
type Line = { readonly at: number; readonly directory: string };

export class KnownTrees {
  readonly #file: string;
  readonly #began: number;
  /** When this file was created, in ms: older directories existed before aish-tui did. */
  readonly #since: number;
  readonly #known = new Set<string>();
  readonly #noted = new Set<string>();

  /** @param began when the session began, in ms; older directories are not new */
  constructor(file: string, startedIn: string, began = Date.now()) {
    this.#file = file;
    this.#began = began;
    const lines = linesOf(file);
    this.#since = lines[0]?.at ?? began;
    for (const { directory } of lines.slice(-MAX_TREES)) this.#known.add(directory);
    for (const directory of this.#known) this.#noted.add(directory);
    this.#known.add(realOf(startedIn) ?? startedIn);
    this.note(startedIn);
  }

  /** Notes that the user works in a directory. Only later sessions treat it as known. */
  note(directory: string): void {
    const real = realOf(directory) ?? directory;
    if (this.#noted.has(real)) return;
    this.#noted.add(real);
    const line: Line = { at: Date.now(), directory: real };
    try {
      appendFileSync(this.#file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch {
      // Without a writable file the directory stays new, which only means more questions.
    }
  }

  /**
   * Returns whether a directory belongs to a tree that appeared during a session.
   * @param isWritten whether the model itself created this directory
   */
  isNew(directory: string, isWritten: (path: string) => boolean): boolean {
    for (let at = realOf(directory) ?? directory; !this.#known.has(at); at = dirname(at)) {
      if (bornAt(at) > this.#began && !isWritten(at)) return true;
      if (bornAt(join(at, '.git')) > this.#since && !isWritten(at)) return true;
      if (at === dirname(at)) return false;
    }
    return false;
  }
}

/** The creation time of a path in ms; 0 if the path doesn't exist. */
function bornAt(path: string): number {
  try {
    return statSync(path).birthtimeMs;
  } catch {
    return existsSync(path) ? Number.POSITIVE_INFINITY : 0;
  }
}

function linesOf(file: string): readonly Line[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((text) => {
        const { at, directory } = parseJsonObject(text) ?? {};
        return typeof at === 'number' && typeof directory === 'string' ? [{ at, directory }] : [];
      });
  } catch {
    return [];
  }
}
