import type { Job, Jobs } from '../contracts/jobs.ts';
import type { CommandResult } from '../session/action.ts';
import { plainText } from '../text/sanitize.ts';

/** Rows of a running job's screen that can be read. */
const MAX_ROWS = 200;

export type JobRegistry = Jobs & {
  /** Kills those of the model and waits until they are gone; closes the terminals of the user's: what was detached stays. */
  dispose(): Promise<void>;
};

/** The registry of background jobs. */
export function createJobs(now: () => number = Date.now): JobRegistry {
  const jobs = new Map<number, Job>();
  const seen = new Map<number, readonly string[]>();
  const listeners = new Set<(job: Job) => void>();
  let last = 0;

  const kill = (id: number): boolean => {
    const job = jobs.get(id);
    if (!job || job.result) return false;
    job.running.interrupt();
    return true;
  };

  return {
    adopt: (running, facts) => {
      last += 1;
      const id = last;
      const job: Job = { ...facts, id, running, startedAt: now() };
      jobs.set(id, job);
      void running.result.then((result) => {
        if (!jobs.has(id)) return;
        const ended: Job = { ...job, result };
        jobs.set(id, ended);
        for (const listener of listeners) listener(ended);
      });
      return id;
    },
    list: () => [...jobs.values()],
    find: (id) => jobs.get(id),
    running: () => [...jobs.values()].filter((job) => !job.result),
    kill,
    readSince: (id) => {
      const job = jobs.get(id);
      if (!job) return undefined;
      const lines = job.result ? textLines(job.result) : job.running.output.lines(MAX_ROWS);
      const plain = lines.map(plainText);
      const before = seen.get(id) ?? [];
      seen.set(id, plain);
      return newLines(before, plain).join('\n');
    },
    release: (id) => {
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
      for (const job of open) if (job.owner === 'user') job.running.hangUp();
      const ours = open.filter((job) => job.owner === 'model');
      // Three times: SIGINT, SIGTERM and SIGKILL, without waiting in between.
      for (const job of ours) for (let step = 0; step < 3; step += 1) job.running.interrupt();
      await Promise.all(ours.map((job) => job.running.result));
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
