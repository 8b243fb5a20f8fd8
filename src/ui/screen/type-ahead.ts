/** Keys typed behind a shell line, before it is known whether they are for its program or for the prompt. */
import type { Schedule } from '../terminal/schedule.ts';

/**
 * What is typed right behind `sudo make⏎` is the password, and must not stand in the prompt, where Enter would send it
 * to a model. So keys wait until the command has ended (then they are the prompt's) or has the keyboard (then its own).
 */
export class TypeAhead {
  readonly #schedule: Schedule;
  #held: (() => void)[] | undefined;
  #cancel = () => {};

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  /** Keys have been typed that wait. */
  get waits(): boolean {
    return this.#held !== undefined && this.#held.length > 0;
  }

  /** Begins to hold, for `most` ms: a shell that is not up by then is not waited for. */
  begin(most: number): void {
    if (this.#held) return;
    this.#held = [];
    this.#cancel = this.#schedule(() => this.release(), most);
  }

  /** Holds a key, given as what takes it later. False while nothing is held: it is to be taken now. */
  hold(take: () => void): boolean {
    this.#held?.push(take);
    return this.#held !== undefined;
  }

  /** It is decided: everything held goes, in order, to what has the keyboard now. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#cancel();
    for (const take of held) take();
  }

  /** Ctrl-C: what was typed ahead is forgotten, as a terminal does. */
  drop(): void {
    this.#held = undefined;
    this.#cancel();
  }
}
