/**
 * Which directories hold a project that the user has worked in before. A tree that appears during a session, cloned or
 * unpacked, is new until a later session: what runs its code counts as unknown.
 */
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseJsonObject } from '../text/json.ts';
import { realOf } from './own-places.ts';

/** Most directories that are read back, the newest first. */
const MAX_TREES = 2000;

/** One line of the file: a directory in which the user ran something, and when, in ms. */
type Line = { readonly at: number; readonly directory: string };

export class KnownTrees {
  readonly #file: string;
  readonly #began: number;
  /** When the list was begun, in ms: what is older than that was there before this program was. */
  readonly #since: number;
  readonly #known = new Set<string>();
  readonly #noted = new Set<string>();

  /** @param began when the session began, in ms; what was there then has not appeared in it */
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

  /** Notes that the user works in a directory. Later sessions know it; this one goes on as it is. */
  note(directory: string): void {
    const real = realOf(directory) ?? directory;
    if (this.#noted.has(real)) return;
    this.#noted.add(real);
    const line: Line = { at: Date.now(), directory: real };
    try {
      appendFileSync(this.#file, `${JSON.stringify(line)}\n`, { mode: 0o600 });
    } catch {
      // Where nothing can be written, the directory stays new: that only asks more often.
    }
  }

  /**
   * Whether a directory belongs to a tree that appeared during a session.
   * @param isWritten whether the model made this directory itself, by name
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

/** When what is at a path was made, in ms; 0: nothing is there. */
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
