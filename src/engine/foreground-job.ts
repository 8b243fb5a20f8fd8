/** The job at the front: its screen is shown beside the conversation, and keys can go to it (EX-8). */

import type { Job } from '../contracts/jobs.ts';
import type { Engine } from './engine.ts';

export class ForegroundJob {
  readonly #engine: Engine;
  #job: Job | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get job(): Job | undefined {
    return this.#job;
  }

  /** Brings a job to the front, where it stays until it ends or something else comes there. */
  bring(job: Job): void {
    this.#job = job;
    void job.running.result.then(() => {
      if (this.#job?.id === job.id) this.leave();
    });
    this.#engine.changed();
  }

  /** Back to the background; false: none was in front. */
  leave(): boolean {
    if (!this.#job) return false;
    this.#job = undefined;
    this.#engine.changed();
    return true;
  }
}
