/** Waits that end when the terminal has worked off everything written before them. */
import type { Schedule } from './schedule.ts';

export type Fences = {
  /** Asks; true when the terminal answered, false when the time was over first. */
  ask(milliseconds: number): Promise<boolean>;
  /** To be called for every DA1 reply. */
  answered(): void;
  /** Ends every wait with false. */
  cancel(): void;
};

/**
 * `query` writes a DA1 query. Answers come in the order of the questions, so a late answer to a question that was
 * given up is never taken for the answer to a newer one.
 */
export function createFences(query: () => void, schedule: Schedule): Fences {
  let waiting: { settle: (value: boolean) => void }[] = [];
  return {
    ask(milliseconds) {
      return new Promise((resolve) => {
        const cancel = schedule(() => resolve(false), milliseconds);
        waiting.push({
          settle(value) {
            cancel();
            resolve(value);
          },
        });
        query();
      });
    },
    answered() {
      waiting.shift()?.settle(true);
    },
    cancel() {
      const all = waiting;
      waiting = [];
      for (const fence of all) fence.settle(false);
    },
  };
}
