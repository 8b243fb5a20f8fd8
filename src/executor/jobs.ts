import type { Job, JobFacts, Jobs, RunningCommand } from '../contracts/commands.ts';

import type { CommandResult } from '../session/action.ts';
import { plainText } from '../text/sanitize.ts';
import { findProcess } from './processes.ts';

/** How many rows of a running job's screen can be read. */
const MAX_ROWS = 200;

export class JobRegistry implements Jobs {
  readonly #now: () => number;
  readonly #jobs = new Map<number, Job>();
  readonly #seen = new Map<number, readonly string[]>();
  readonly #listeners = new Set<(job: Job) => void>();
  #last = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  adopt(running: RunningCommand, facts: JobFacts): number {
    this.#last += 1;
    const id = this.#last;
    const job: Job = { ...facts, id, running, startedAt: this.#now() };
    this.#jobs.set(id, job);
    void running.result.then((result) => {
      if (!this.#jobs.has(id)) return;
      const ended: Job = { ...job, result };
      this.#jobs.set(id, ended);
      for (const listener of this.#listeners) listener(ended);
    });
    return id;
  }

  list(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  find(id: number): Job | undefined {
    return this.#jobs.get(id);
  }

  running(): readonly Job[] {
    return this.list().filter((job) => !job.result);
  }

  /** Whether a process belongs to a running job of the model, whose processes never outlive aish-tui. */
  started(pid: number): boolean {
    const leaders = new Set(this.running().flatMap(({ owner, running }) => (owner === 'model' ? [running.pid] : [])));
    for (let at = findProcess(pid); at !== undefined && at.pid > 1; at = findProcess(at.parent))
      if (leaders.has(at.pid)) return true;
    return false;
  }

  kill(id: number): boolean {
    const job = this.#jobs.get(id);
    if (!job || job.result) return false;
    job.running.interrupt();
    return true;
  }

  readSince(id: number): string | undefined {
    const job = this.#jobs.get(id);
    if (!job) return undefined;
    const lines = job.result ? textLines(job.result) : job.running.output.lines(MAX_ROWS);
    const plain = lines.map(plainText);
    const before = this.#seen.get(id) ?? [];
    this.#seen.set(id, plain);
    return newLines(before, plain).join('\n');
  }

  release(id: number): void {
    this.#jobs.delete(id);
    this.#seen.delete(id);
  }

  onEnd(listener: (job: Job) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /**
   * Kills the model's jobs and waits for their end. For the user's jobs it closes the terminals: detached processes
   * survive.
   */
  async dispose(): Promise<void> {
    const open = this.running();
    for (const job of open) if (job.owner === 'user') job.running.hangUp();
    const ours = open.filter((job) => job.owner === 'model');
    // Three interrupts without waiting: SIGINT, SIGTERM, SIGKILL.
    for (const job of ours) for (let step = 0; step < 3; step += 1) job.running.interrupt();
    await Promise.all(ours.map((job) => job.running.result));
    this.#listeners.clear();
  }
}

function textLines(result: CommandResult): string[] {
  const whole = result.omittedLines === 0 ? result.head : `${result.head}\n[…]\n${result.tail}`;
  return whole.split('\n');
}

/** Returns the lines of `after` beyond the longest end of `before` found in it. The last line may have grown. */
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
