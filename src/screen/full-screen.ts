/** Gives the whole terminal to the user's full-screen program (vim, less, htop) and takes it back (EX-4). */
import { StringDecoder } from 'node:string_decoder';
import type { App } from '../commands/app.ts';
import type { RunningCommand } from '../contracts/commands.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Where the program's own bytes go, and how the screen's drawing is held meanwhile. */
export type DirectOutput = {
  hold(): void;
  release(): void;
  /** Past the hold, straight to the terminal. */
  direct(data: Uint8Array): void;
};

export type FullScreenOptions = {
  readonly app: App;
  readonly terminal: Pick<Terminal, 'handOver'>;
  readonly output: DirectOutput;
  /** Columns and rows of the whole terminal. */
  readonly size: () => readonly [number, number];
  /** Told when the terminal goes (true) and when it is back (false). */
  readonly onChange: (away: boolean) => void;
};

export class FullScreen {
  readonly #options: FullScreenOptions;
  #running: RunningCommand | undefined;
  #stopWatching = () => {};
  #takeBack: (() => void) | undefined;
  #held = false;

  constructor(options: FullScreenOptions) {
    this.#options = options;
  }

  /** A program has the terminal now. */
  get active(): boolean {
    return this.#takeBack !== undefined;
  }

  /** Whether it is this one. */
  has(running: RunningCommand): boolean {
    return this.active && this.#running === running;
  }

  /** To be called after each change of the engine. */
  follow(): void {
    const { shell, front } = this.#options.app;
    // A job of the model is only watched.
    const running = front.job?.owner === 'user' ? front.job.running : shell.running;
    if (running === this.#running) return;
    this.#running = running;
    this.#stopWatching();
    this.#stopWatching = running ? running.onModes(() => this.#look(running)) : () => {};
    if (running) this.#look(running);
    else this.#takeBack?.();
  }

  /** The terminal is somebody else's for a while: a program that wants it waits. */
  hold(held: boolean): void {
    this.#held = held;
    if (!held && this.#running) this.#look(this.#running);
  }

  dispose(): void {
    this.#stopWatching();
    this.#takeBack?.();
  }

  #look(running: RunningCommand): void {
    if (this.#held) return;
    if (running.fullScreen && !this.#takeBack) this.#handOver(running);
    else if (!running.fullScreen) this.#takeBack?.();
  }

  #handOver(running: RunningCommand): void {
    const { app, terminal, output, size, onChange } = this.#options;
    onChange(true);
    output.hold();
    const decoder = new StringDecoder('utf8');
    const end = terminal.handOver((bytes) => running.write(decoder.write(Buffer.from(bytes))));
    running.resize(...size());
    const stop = running.rawOutput((data) => output.direct(data));
    this.#takeBack = () => {
      this.#takeBack = undefined;
      stop();
      const { columns, rows } = app.engine.live.size;
      running.resize(columns, rows);
      output.release();
      end();
      onChange(false);
    };
  }
}
