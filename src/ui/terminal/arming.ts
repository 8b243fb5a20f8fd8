/** When a question may be answered: its frame is drawn, and the user is not typing into something else (HA-1). */
import type { Schedule } from './schedule.ts';

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
