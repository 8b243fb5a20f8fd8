/** What the saved outputs of a session may take on disk (RE-7). */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const budgets = new Map<string, OutputBudget>();

/** Bounds the outputs saved in a folder; `onFull` is told once, when the first one has to be cut. */
export function limitOutputs(folder: string, maxBytes: number, onFull: () => void): void {
  budgets.set(folder, new OutputBudget(folder, maxBytes, onFull));
}

/** The budget of a folder; undefined where there is none. */
export function budgetOf(folder: string): OutputBudget | undefined {
  return budgets.get(folder);
}

export class OutputBudget {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #onFull: () => void;
  /** Bytes; found out when they are first asked for: a resumed session has some already. */
  #used: number | undefined;
  #full = false;

  constructor(folder: string, maxBytes: number, onFull: () => void) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#onFull = onFull;
  }

  /** Takes so many bytes where they fit. */
  take(bytes: number): boolean {
    const fits = this.#sum() + bytes <= this.#maxBytes;
    if (fits) this.use(bytes);
    else if (!this.#full) {
      this.#full = true;
      this.#onFull();
    }
    return fits;
  }

  /** Counts bytes that are written in any case; fewer than none where a file is removed again. */
  use(bytes: number): void {
    this.#used = this.#sum() + bytes;
  }

  #sum(): number {
    this.#used ??= bytesIn(this.#folder);
    return this.#used;
  }
}

function bytesIn(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  } catch {
    return 0;
  }
}
