import type { Mark } from './shell-integration/marks.ts';

/** What keys of ours have asked a shell, and what it has not answered yet. */
export class AskedKeys {
  readonly #press: (keys: string) => void;
  readonly #waiting = new Map<string, (mark: Mark | undefined) => void>();

  /** @param press sends the keys */
  constructor(press: (keys: string) => void) {
    this.#press = press;
  }

  get any(): boolean {
    return this.#waiting.size > 0;
  }

  /** Sends keys and waits for their mark, so many ms; undefined where none comes. */
  ask(kind: string, keys: string, patience: number): Promise<Mark | undefined> {
    return new Promise((resolve) => {
      const done = (mark: Mark | undefined) => {
        clearTimeout(timer);
        this.#waiting.delete(kind);
        resolve(mark);
      };
      const timer = Number.isFinite(patience) ? setTimeout(() => done(undefined), patience) : undefined;
      this.give(kind, undefined);
      this.#waiting.set(kind, done);
      this.#press(keys);
    });
  }

  /** Answers what waits for this kind of mark; undefined: none will come. */
  give(kind: string, mark: Mark | undefined): void {
    this.#waiting.get(kind)?.(mark);
  }

  /** No mark will come any more. */
  end(): void {
    for (const answer of this.#waiting.values()) answer(undefined);
  }
}
