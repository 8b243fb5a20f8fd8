/** When a question may be answered: its frame is drawn, and the user is not typing into something else (HA-1). */

/** How long the keyboard must have been quiet, and how long a terminal that never answers is waited for. */
const QUIET_MS = 500;
const DRAWN_TIMEOUT_MS = 500;

export type Arming = {
  /** Call for every key, click and paste while the question is not armed: restarts the quiet time. */
  disturbed(): void;
  /** The question is gone; nothing will be armed any more. */
  cancel(): void;
};

/**
 * Starts the wait; `armed` is called once. To be started after the question's frame was handed to the terminal.
 * `fence` is `Terminal.fence`.
 */
export function startArming(
  fence: (milliseconds: number) => Promise<boolean>,
  schedule: Schedule,
  armed: () => void,
): Arming {
  let over = false;
  let drawn = false;
  let quiet = false;
  let cancelQuiet = schedule(becomeQuiet, QUIET_MS);

  function check(): void {
    if (over || !drawn || !quiet) return;
    over = true;
    armed();
  }

  function becomeQuiet(): void {
    quiet = true;
    check();
  }

  void fence(DRAWN_TIMEOUT_MS).then(() => {
    drawn = true;
    check();
  });

  return {
    disturbed() {
      if (over) return;
      quiet = false;
      cancelQuiet();
      cancelQuiet = schedule(becomeQuiet, QUIET_MS);
    },
    cancel() {
      over = true;
      cancelQuiet();
    },
  };
}

/** Calls back once after so many milliseconds; the result cancels. Injected so that tests own time. */
export type Schedule = (callback: () => void, milliseconds: number) => () => void;

/**
 * Timers that look at the keyboard first. After the process stood still (a busy machine, a laptop that slept) timers
 * fire before the input that has come meanwhile is read: a lone letter would seem to have stayed alone, a sequence to
 * have ended. So the callback waits for one look at what is there to read.
 */
export const afterInput: Schedule = (callback, milliseconds) => {
  let turn: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    turn = setImmediate(callback);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
};

/** Waits that end when the terminal has worked off everything written before them. */

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
