import { statSync } from 'node:fs';
import { Socket } from 'node:net';
import type { OnEnd, Pipe, ToBegin } from './pipe.ts';
import { signal } from './processes.ts';

/** How long after its end a command's output is waited for, in ms: somebody else may have the pipe still. */
const LAST_OUTPUT_MS = 200;
/** Bytes taken in one turn of the event loop: keys wait meanwhile. */
const MAX_BYTES_PER_TURN = 512 * 1024;

export type PipedOptions = ToBegin & {
  readonly pipe: Pipe;
  readonly onData: (data: Buffer) => void;
  /** Called after the last data. */
  readonly onExit: OnEnd;
};

/**
 * One child in a session of its own, without a terminal: nothing to read, and both of its outputs in one pipe, so that
 * they keep their order. The one owner of the child and the pipe.
 */
export class Piped {
  /** -1 before it has begun. */
  pid = -1;
  readonly #output: Socket;
  readonly #options: PipedOptions;
  #code: number | null | undefined;
  #why: string | undefined;
  #drained = false;
  #over = false;
  #turnBytes = 0;
  #turn: NodeJS.Immediate | undefined;
  #held = false;
  #last: NodeJS.Timeout | undefined;

  constructor(options: PipedOptions) {
    const { pipe } = options;
    this.#options = options;
    this.#output = new Socket({ fd: pipe.read, readable: true, writable: false });
    this.#output.on('data', (data) => this.#take(data));
    this.#output.on('error', () => {});
    this.#output.on('close', () => {
      this.#drained = true;
      this.#conclude();
    });
  }

  /** Starts the child. Throws where that can't be; then all is given back. */
  begin(): void {
    const { argv, cwd, env, pipe } = this.#options;
    try {
      if (!statSync(cwd).isDirectory()) throw new Error(`${cwd} is not a directory`);
    } catch (error) {
      this.drop();
      throw error;
    }
    try {
      this.pid = pipe.begin({ argv, cwd, env }, (code, why) => this.#ended(code, why));
    } catch (error) {
      this.#output.destroy();
      throw error;
    }
  }

  /** In place of `begin`: nothing is started. */
  drop(): void {
    this.#options.pipe.drop();
    this.#output.destroy();
  }

  /** Stops reading until `resume`: the child waits when the kernel's buffer is full. */
  pause(): void {
    this.#held = true;
    this.#output.pause();
  }

  resume(): void {
    if (!this.#held) return;
    this.#held = false;
    if (!this.#turn) this.#output.resume();
  }

  /** Ends it as the end of a terminal would. Idempotent. */
  hangUp(): void {
    if (!this.#over && this.pid > 0) signal(-this.pid, 'SIGHUP');
  }

  #take(data: Buffer): void {
    this.#turnBytes += data.length;
    if (this.#turnBytes >= MAX_BYTES_PER_TURN && !this.#turn) {
      this.#output.pause();
      this.#turn = setImmediate(() => {
        this.#turn = undefined;
        this.#turnBytes = 0;
        if (!this.#held) this.#output.resume();
      });
    }
    this.#options.onData(data);
  }

  #ended(code: number | null, why?: string): void {
    if (this.#code !== undefined) return;
    this.#code = code;
    this.#why = why;
    // What is left in the pipe is read now, whoever wanted to wait.
    this.#held = false;
    this.#output.resume();
    this.#last = setTimeout(() => this.#output.destroy(), LAST_OUTPUT_MS);
    this.#conclude();
  }

  #conclude(): void {
    if (this.#over || this.#code === undefined || !this.#drained) return;
    this.#over = true;
    clearTimeout(this.#last);
    this.#options.onExit(this.#code, this.#why);
  }
}
