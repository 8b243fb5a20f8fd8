import type { NorrisStatus } from '../session/run.ts';

/** Exit codes that scripts can use (CL-1). */
export const EXIT = {
  ok: 0,
  usage: 2,
  blocked: 3,
  abortedAtHalt: 4,
  budget: 5,
  modelFailed: 6,
  /** EX_IOERR of sysexits.h: the result could not be written to standard output. */
  unwritten: 74,
  interrupted: 130,
  terminated: 143,
} as const;

/** Returns the exit code for a run's end. Without a person, an abort can only come from a HALT. */
export function exitCodeOf(status: NorrisStatus): number {
  switch (status) {
    case 'done':
    case 'tasks_complete':
      return EXIT.ok;
    case 'blocked':
    case 'stalled':
      return EXIT.blocked;
    case 'aborted':
      return EXIT.abortedAtHalt;
    case 'budget_exhausted':
      return EXIT.budget;
    case 'failed':
      return EXIT.modelFailed;
  }
}
