/**
 * Programs that are measured in turns, a few steps each, so that other load on the machine affects all of them alike.
 */

export class Turns {
  readonly #each: number;
  readonly #all: number;
  /** The callers that wait for their turn, in order. */
  #waiting: { readonly who: object; readonly go: () => void }[] = [];
  #whose: object | undefined;
  #left = 0;

  /**
   * @param all the number that take turns; the first turn begins when the last of them waits for it
   * @param each steps of one turn
   */
  constructor(all: number, each: number) {
    this.#all = all;
    this.#each = each;
  }

  /** Resolves when `who` may do a step: it has the turn, and has not done all steps of it. */
  async step(who: object): Promise<void> {
    if (this.#whose === who && this.#left > 0) {
      this.#left -= 1;
      return;
    }
    const turn = new Promise<void>((go) => this.#waiting.push({ who, go }));
    if (this.#whose === who || (this.#whose === undefined && this.#waiting.length === this.#all)) this.#next();
    await turn;
  }

  /** Removes `who`, which does no more steps. */
  leave(who: object): void {
    this.#waiting = this.#waiting.filter((each) => each.who !== who);
    if (this.#whose === who) this.#next();
  }

  #next(): void {
    const next = this.#waiting.shift();
    this.#whose = next?.who;
    this.#left = this.#each - 1;
    next?.go();
  }
}
