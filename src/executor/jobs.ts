import type { CommandResult } from '../session/action.ts';
import { stripStyles } from '../text/sanitize.ts';
import type { RunningCommand } from './running.ts';

/** Rows of a running job's screen that can be read. */
const MAX_ROWS = 200;

export type JobMeta = {
  readonly command: string;
  /** Who started it: the model's jobs are reported to the model. */
  readonly owner: 'user' | 'model';
  readonly label?: string;
  /** What it was started under, for the list (MO-4): `restricted` or `unrestricted`. */
  readonly mode?: string;
};

export type Job = JobMeta & {
  readonly id: number;
  readonly run: RunningCommand;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Set when it has ended. */
  readonly result?: CommandResult;
};

export type Jobs = {
  /** Takes a command that runs in the background, or one that ran in the foreground, and gives its number. */
  readonly start: (run: RunningCommand, meta: JobMeta) => number;
  /** All jobs that were not forgotten, oldest first. */
  readonly list: () => readonly Job[];
  readonly find: (id: number) => Job | undefined;
  /** How many still run. */
  readonly running: () => number;
  /** Stops a job as Ctrl-C does, harder if it does not go; false: no such job runs. */
  readonly kill: (id: number) => boolean;
  /** What a job printed since the last call, as plain text; of a screen redrawn in place, the screen as it is now. */
  readonly readSince: (id: number) => string | undefined;
  /** Takes a job out of the list; the end of one that runs is not told. */
  readonly forget: (id: number) => void;
  /** Calls `listener` when a job has ended; returns how to stop. */
  readonly onEnd: (listener: (job: Job) => void) => () => void;
  /** Kills those of the model and waits until they are gone; closes the terminals of the user's: what was detached stays. */
  readonly dispose: () => Promise<void>;
};

/** The registry of background jobs (EX-8). */
export function createJobs(now: () => number = Date.now): Jobs {
  const jobs = new Map<number, Job>();
  const seen = new Map<number, readonly string[]>();
  const listeners = new Set<(job: Job) => void>();
  let last = 0;

  const kill = (id: number): boolean => {
    const job = jobs.get(id);
    if (!job || job.result) return false;
    job.run.interrupt();
    return true;
  };

  return {
    start: (run, meta) => {
      last += 1;
      const id = last;
      const job: Job = { ...meta, id, run, since: now() };
      jobs.set(id, job);
      void run.result.then((result) => {
        if (!jobs.has(id)) return;
        const ended: Job = { ...job, result };
        jobs.set(id, ended);
        for (const listener of listeners) listener(ended);
      });
      return id;
    },
    list: () => [...jobs.values()],
    find: (id) => jobs.get(id),
    running: () => [...jobs.values()].filter((job) => !job.result).length,
    kill,
    readSince: (id) => {
      const job = jobs.get(id);
      if (!job) return undefined;
      const lines = job.result ? textLines(job.result) : job.run.output.lines(MAX_ROWS);
      const plain = lines.map(stripStyles);
      const before = seen.get(id) ?? [];
      seen.set(id, plain);
      return newLines(before, plain).join('\n');
    },
    forget: (id) => {
      jobs.delete(id);
      seen.delete(id);
    },
    onEnd: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    dispose: async () => {
      const open = [...jobs.values()].filter((job) => !job.result);
      for (const job of open) if (job.owner === 'user') job.run.hangUp();
      const ours = open.filter((job) => job.owner === 'model');
      // Three times: SIGINT, SIGTERM and SIGKILL, without waiting in between.
      for (const job of ours) for (let step = 0; step < 3; step += 1) job.run.interrupt();
      await Promise.all(ours.map((job) => job.run.result));
      listeners.clear();
    },
  };
}

function textLines(result: CommandResult): string[] {
  const whole = result.omittedLines === 0 ? result.head : `${result.head}\n[…]\n${result.tail}`;
  return whole.split('\n');
}

/** The lines of `after` beyond the longest end of `before` that is found in it. The last line may have grown. */
function newLines(before: readonly string[], after: readonly string[]): readonly string[] {
  const anchor = before.slice(-4, -1);
  if (before.length === 0) return after;
  for (let at = after.length - anchor.length - 1; at >= 0; at -= 1) {
    if (!anchor.every((line, offset) => after[at + offset] === line)) continue;
    const next = at + anchor.length;
    return after.slice(after[next] === before.at(-1) ? next + 1 : next);
  }
  return after;
}
