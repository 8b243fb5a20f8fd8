/** The user's own commands: one at a time in their shell, beside the agent; further lines wait their turn. */
import type { InteractiveShell, Job, RunningCommand, ShellJob } from '../contracts/commands.ts';

import { messageOf } from '../text/errors.ts';
import type { Engine } from './engine.ts';

type Line = {
  readonly line: string;
  readonly private: boolean;
  readonly keep: boolean;
  /** Keys typed after the line; the program that the line starts may read them. */
  readonly keys: string;
  /** Starts the program when its turn comes. */
  readonly begin: () => Promise<RunningCommand>;
  /** The shell that was current at submission: a waiting line runs in no other. */
  readonly shell: Promise<InteractiveShell> | undefined;
};

export class ShellQueue {
  readonly #engine: Engine;
  readonly #shell: () => Promise<InteractiveShell>;
  readonly #waiting: Line[] = [];
  #up: InteractiveShell | undefined;
  #serial = 0;
  #running: RunningCommand | undefined;
  #busy = false;
  /** Resolves when no line runs or waits. */
  idle: Promise<void> = Promise.resolve();

  /** @param shell returns the current shell; lines wait while it starts in the background */
  constructor(engine: Engine, shell: () => Promise<InteractiveShell>) {
    this.#engine = engine;
    this.#shell = shell;
    shell().then(
      (up) => {
        this.#up = up;
      },
      // Reported when a line is submitted.
      () => {},
    );
  }

  get running(): RunningCommand | undefined {
    return this.#running;
  }

  /** Whether a line runs or waits, also while the shell starts. */
  get busy(): boolean {
    return this.#busy;
  }

  /** Lines that wait for the running command to end. */
  get waiting(): readonly string[] {
    return this.#waiting.map((entry) => entry.line);
  }

  /**
   * Runs a line of the user's; resolves at its end. A private one stays out of the model's context; `keep: false`
   * keeps it out of the shell's history; `keys` are typed into it at its start.
   */
  async submit(
    line: string,
    options: { readonly private?: boolean; readonly keep?: boolean; readonly keys?: string } = {},
  ): Promise<void> {
    const { private: hidden = false, keep = true, keys = '' } = options;
    const shell = this.#shell();
    const begin = async () => {
      const up = await shell;
      this.#up = up;
      const { columns, rows } = this.#engine.live.size;
      up.resize(columns, rows);
      return up.run(line, { keep });
    };
    // A failed start is reported when the line’s turn comes.
    shell.catch(() => {});
    return this.#enqueue({ line, private: hidden, keep, keys, begin, shell });
  }

  /** Shows a program that is not a shell line like one: it has the keyboard until its result. */
  show(line: string, begin: () => RunningCommand): Promise<void> {
    return this.#enqueue({ line, private: true, keep: false, keys: '', begin: async () => begin(), shell: undefined });
  }

  async #enqueue(line: Line): Promise<void> {
    this.#waiting.push(line);
    if (this.#busy) {
      this.#engine.changed();
      return;
    }
    this.#busy = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.idle = promise;
    try {
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await this.#run(next);
    } finally {
      this.#busy = false;
      resolve();
      this.#engine.changed();
    }
  }

  /** Sets the terminal size of the user's commands, now and later. */
  resize(columns: number, rows: number): void {
    // A shell that does not start is reported when a line is submitted.
    this.#shell().then(
      (shell) => shell.resize(columns, rows),
      () => {},
    );
  }

  /** Takes back the newest waiting line. */
  takeBack(): string | undefined {
    const line = this.#waiting.pop()?.line;
    if (line !== undefined) this.#engine.changed();
    return line;
  }

  /** Moves the running command to the background (EX-8); returns the reason on failure. */
  async background(): Promise<string | undefined> {
    const { jobs } = this.#engine.services;
    const { running } = this.#engine.state.shell;
    if (!running) return 'no command of yours is running';
    return (await this.#shell()).background((job) => {
      const id = jobs.adopt(job, { command: running.line, owner: 'user' });
      return { id, release: () => jobs.release(id) };
    });
  }

  /** Brings a background job of the shell back to the front; returns false if it is not the shell's. */
  async resume(job: RunningCommand): Promise<boolean> {
    const line = (await this.#shell()).lineToResume(job);
    if (line === undefined) return false;
    void this.submit(line);
    return true;
  }

  /** Jobs known only to the shell; none while it starts. */
  jobs(): readonly ShellJob[] {
    return this.#up?.jobs() ?? [];
  }

  async endJob(group: number): Promise<boolean> {
    return (await this.#shell()).endJob(group);
  }

  async #run(entry: Line): Promise<void> {
    const { begin, shell } = entry;
    const engine = this.#engine;
    try {
      await shell;
      if (engine.closed) return;
      await this.#follow(entry, await begin());
    } catch (error) {
      void engine.dispatch({ type: 'noticed', level: 'error', text: `the shell can't run this: ${messageOf(error)}` });
    }
  }

  async #follow({ line, private: hidden, keys, shell }: Line, running: RunningCommand): Promise<void> {
    const engine = this.#engine;
    this.#serial += 1;
    const op = `sh-${engine.services.now()}-${this.#serial}`;
    try {
      this.#running = running;
      engine.live.commands.set(op, running);
      void engine.dispatch({ type: 'shellStarted', op, line, private: hidden });
      if (keys !== '') running.write(keys);
      const result = await running.result;
      // The command keeps the keyboard until then, so no key is lost between the two.
      const unread = engine.closed ? '' : await running.unread();
      this.#forget(op, running);
      void engine.dispatch({ type: 'shellEnded', op, result });
      // Text typed for one shell must not run in another.
      if (unread !== '') engine.giveBack(unread, shell === this.#shell() ? 'typed' : 'draft');
    } finally {
      this.#forget(op, running);
    }
  }

  #forget(op: string, running: RunningCommand): void {
    if (this.#running === running) this.#running = undefined;
    this.#engine.live.commands.delete(op);
  }
}

export class ForegroundJob {
  readonly #engine: Engine;
  #job: Job | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get job(): Job | undefined {
    return this.#job;
  }

  /** Brings a job to the front, until it ends or is replaced. */
  bring(job: Job): void {
    this.#job = job;
    void job.running.result.then(() => {
      if (this.#job?.id === job.id) this.leave();
    });
    this.#engine.changed();
  }

  /** Returns it to the background; returns false if none was in front. */
  leave(): boolean {
    if (!this.#job) return false;
    this.#job = undefined;
    this.#engine.changed();
    return true;
  }
}
