/** Records of commands that changed nothing, which are most: emptied when nobody waits for that, and used again. */
import { dropEmpty, emptyRecord, type Place } from './record.ts';

export class EmptyRecords {
  /** Of commands that have ended. */
  #full: Place[] = [];
  #soon: NodeJS.Immediate | undefined;
  /** Making and removing a directory for each command costs more than all else that is written. */
  #spare: Place | undefined;

  /** An empty directory for the next action. */
  get spare(): Place | undefined {
    return this.#spare;
  }

  /** Its record goes behind what this turn of the event loop still has to do: the model's next request is sent in it. */
  add(place: Place): void {
    this.#full.push(place);
    this.#soon ??= setImmediate(() => this.settle());
  }

  /** None of them is there any more. To be called before anybody looks at the store. Never throws. */
  settle(): void {
    clearImmediate(this.#soon);
    this.#soon = undefined;
    for (const place of this.#full.splice(0)) this.#empty(place);
  }

  /** The spare one, which is the caller's from now on. */
  take(): Place | undefined {
    this.settle();
    const spare = this.#spare;
    this.#spare = undefined;
    return spare;
  }

  #empty(place: Place): void {
    try {
      if (!emptyRecord(place)) return;
    } catch {
      // It stays in the list until the next program drops it.
      return;
    }
    if (this.#spare) dropEmpty(this.#spare.directory);
    this.#spare = place;
  }
}
