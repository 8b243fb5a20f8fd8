/** The signs of life of one call: what it is allowed to take, and what of them is shown. */
import type { JsonObject } from '../../text/json.ts';
import { plainText } from '../../text/sanitize.ts';

/** Reports of progress passed on: at most one in this time. */
const PROGRESS_INTERVAL_MS = 100;
const MAX_PROGRESS_CHARS = 200;

/** The time limit of a call: it runs from the last sign of life, and stands still while the server waits for the user. */
export class IdleTimeout {
  readonly #controller = new AbortController();
  readonly #milliseconds: number;
  readonly #waits: () => boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, waits: () => boolean) {
    this.#milliseconds = milliseconds;
    this.#waits = waits;
    this.alive();
  }

  /** Fires when the time is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  alive(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#waits() ? this.alive() : this.#controller.abort()), this.#milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

export function progressLine({ progress, total, message }: JsonObject): string {
  const counts = typeof progress === 'number' ? `${progress}${typeof total === 'number' ? `/${total}` : ''}` : '';
  const words =
    typeof message === 'string' ? plainText(message.slice(0, MAX_PROGRESS_CHARS)).replaceAll('\n', ' ') : '';
  return [counts, words].filter((part) => part !== '').join(' ');
}

/** Passes on the first and then not more often than the pause allows; what comes between is replaced by what is next. */
export function everySoOften(pass: (line: string) => void): (line: string) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (line) => {
    if (performance.now() - last < PROGRESS_INTERVAL_MS) return;
    last = performance.now();
    pass(line);
  };
}
