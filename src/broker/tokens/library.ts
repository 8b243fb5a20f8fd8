/** Counting with a tokenizer library, for servers that have no tokenizer of their own to ask. */
import { Worker } from 'node:worker_threads';
import type { CountAnswer, CountRequest } from './counter.ts';

/** Where the build has put the thread's program; not there when the sources are run as they are. */
declare const AISH_COUNTER: string | undefined;

type Waiting = (counts: readonly number[] | undefined) => void;

/** One thread for the process, started with the first count. It does not keep the process alive. */
class Counter {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #serial = 0;
  broken = false;
  /** It has answered: its table is there. */
  loaded = false;

  constructor() {
    const program = typeof AISH_COUNTER === 'undefined' ? './counter.ts' : AISH_COUNTER;
    this.#worker = new Worker(new URL(program, import.meta.url));
    this.#worker.on('message', ({ id, counts }: CountAnswer) => this.#answer(id, counts));
    this.#worker.on('error', () => this.#break());
    this.#worker.on('exit', () => this.#break());
    this.#worker.unref();
  }

  count(texts: readonly string[]): Promise<readonly number[] | undefined> {
    if (this.broken) return Promise.resolve(undefined);
    this.#serial += 1;
    const request: CountRequest = { id: this.#serial, texts };
    return new Promise((resolve) => {
      this.#waiting.set(request.id, resolve);
      // A count that is waited for keeps the process alive until the thread answers.
      this.#worker.ref();
      this.#worker.postMessage(request);
    });
  }

  #answer(id: number, counts: readonly number[] | undefined): void {
    const resolve = this.#waiting.get(id);
    this.loaded = true;
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    resolve?.(counts);
  }

  #break(): void {
    this.broken = true;
    for (const id of [...this.#waiting.keys()]) this.#answer(id, undefined);
  }
}

let counter: Counter | undefined;

/** Whether counting waits for nothing: the table is there, or it can't be had. */
export function libraryIsLoaded(): boolean {
  return counter?.loaded === true;
}

/** Has the table loaded; nobody has to wait for it. */
export function loadLibrary(): void {
  if (!counter) void countByLibrary([]);
}

/** Tokens of texts in the o200k encoding; undefined where the library can't be loaded. */
export function countByLibrary(texts: readonly string[]): Promise<readonly number[] | undefined> {
  counter ??= new Counter();
  return counter.count(texts);
}
