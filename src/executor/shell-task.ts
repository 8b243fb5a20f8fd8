import type { Run } from './running.ts';
import type { Stopper } from './stopper.ts';

/** A line on its way through the user's shell. */
export type Task = {
  readonly line: string;
  readonly keep: boolean;
  /** A line of this program's own. */
  readonly hidden: boolean;
  readonly run: Run;
  readonly stopper: Stopper;
  late?: NodeJS.Timeout;
  /** It is being sent to the background: told where it stopped, or undefined when it ended instead. */
  leave?: (cwd: string | undefined) => void;
};
