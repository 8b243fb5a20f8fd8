/** Background jobs (EX-8): commands that run beside the conversation, the user's and the model's. */
import type { CommandResult } from '../session/action.ts';
import type { RunningCommand } from './commands.ts';

export type JobFacts = {
  readonly command: string;
  /** Who started it: the model's jobs are reported to the model. */
  readonly owner: 'user' | 'model';
  /** The mode it was started in and keeps (MO-4); the user's own have none. */
  readonly mode?: string;
};

export type Job = JobFacts & {
  readonly id: number;
  readonly running: RunningCommand;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Set when it has ended. */
  readonly result?: CommandResult;
};

export type Jobs = {
  /** Keeps a command that runs as a job; its number. */
  adopt(running: RunningCommand, facts: JobFacts): number;
  /** Takes a job out of the list; the end of one that runs is not told. */
  release(id: number): void;
  find(id: number): Job | undefined;
  /** All jobs that were not released, oldest first. */
  list(): readonly Job[];
  /** Those of them that still run. */
  running(): readonly Job[];
  /** Stops a job as Ctrl-C does, harder if it does not go; false: no such job runs. */
  kill(id: number): boolean;
  /** What a job printed since the last call, as plain text; of a screen redrawn in place, the screen as it is now. */
  readSince(id: number): string | undefined;
  /** Calls `listener` when a job has ended; returns how to stop. */
  onEnd(listener: (job: Job) => void): () => void;
};
