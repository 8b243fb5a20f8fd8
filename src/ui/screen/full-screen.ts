/**
 * Gives the whole terminal to a full-screen program (vim, less, htop) and takes it back (EX-4). Clears the view where a
 * program clears its terminal.
 */
import { StringDecoder } from 'node:string_decoder';
import type { App } from '../../commands/app.ts';
import type { OwnSearch, RunningCommand } from '../../contracts/commands.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { TranscriptView } from './transcript-view.ts';

/** Writes the program’s own bytes, while drawing of the screen is paused. */
export type DirectOutput = {
  hold(): void;
  release(): void;
  /** Writes to the terminal even while drawing is held. */
  direct(data: Uint8Array): void;
};

export type FullScreenOptions = {
  readonly app: App;
  readonly terminal: Pick<Terminal, 'handOver'>;
  readonly output: DirectOutput;
  /** Returns the columns and rows of the whole terminal. */
  readonly size: () => readonly [number, number];
  /** Called with true when a program takes the terminal, and with false when it returns it. */
  readonly onChange: (away: boolean) => void;
};

/** Switches to a separate screen, so that a search menu drawn below the cursor leaves nothing behind. */
const OWN_SCREEN = '\x1b[?1049h\x1b[2J\x1b[H';
const BACK = '\x1b[?1049l';

export class FullScreen {
  readonly #options: FullScreenOptions;
  #running: RunningCommand | undefined;
  #stopWatching = () => {};
  #takeBack: (() => void) | undefined;
  #held = false;

  constructor(options: FullScreenOptions) {
    this.#options = options;
  }

  /** Whether a program has the terminal. */
  get active(): boolean {
    return this.#takeBack !== undefined;
  }

  /** Whether this program has the terminal. */
  has(running: RunningCommand): boolean {
    return this.active && this.#running === running;
  }

  /** Must be called after each change of the engine. */
  follow(): void {
    const { shell, front } = this.#options.app;
    // A job of the model's is only watched.
    const running = front.job?.owner === 'user' ? front.job.running : shell.running;
    if (running === this.#running) return;
    this.#running = running;
    this.#stopWatching();
    this.#stopWatching = running ? running.onModes(() => this.#look(running)) : () => {};
    if (running) this.#look(running);
    else this.#takeBack?.();
  }

  /** Keeps the terminal from programs that want it, while another use has it. */
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
    const { app, output, size } = this.#options;
    let stop = () => {};
    this.#give(
      (keys) => running.write(keys),
      () => {
        stop();
        const { columns, rows } = app.engine.live.size;
        running.resize(columns, rows);
      },
    );
    running.resize(...size());
    stop = running.rawOutput((data) => output.direct(data));
  }

  /** Lends the terminal to a search of the user's shell, where one starts; resolves with the line that it leaves. */
  search(start: (onData: (data: Uint8Array) => void) => OwnSearch | undefined): OwnSearch['result'] | undefined {
    const { output } = this.#options;
    const drawn: Uint8Array[] = [];
    let draw = (data: Uint8Array): void => {
      drawn.push(data);
    };
    const search = start((data) => draw(data));
    if (!search) return undefined;
    this.#give(
      (keys) => search.write(keys),
      () => output.direct(Buffer.from(BACK)),
    );
    draw = (data) => output.direct(data);
    for (const data of [Buffer.from(OWN_SCREEN), ...drawn]) draw(data);
    return search.result.finally(() => this.#takeBack?.());
  }

  #give(write: (keys: string) => void, onEnd: () => void): void {
    const { terminal, output, onChange } = this.#options;
    onChange(true);
    output.hold();
    const decoder = new StringDecoder('utf8');
    const end = terminal.handOver((bytes) => write(decoder.write(Buffer.from(bytes))));
    this.#takeBack = () => {
      this.#takeBack = undefined;
      onEnd();
      output.release();
      end();
      onChange(false);
    };
  }
}

// `clear`, `reset` and other programs that clear their terminal clear the view too (EX-3).

export class ClearWatch {
  readonly #app: App;
  readonly #view: Pick<TranscriptView, 'clear' | 'entryOf'>;
  /** The user's command that is watched, and whether it has cleared its terminal. */
  #op: string | undefined;
  #cleared = false;
  #stop: (() => void) | undefined;

  constructor(app: App, view: Pick<TranscriptView, 'clear' | 'entryOf'>) {
    this.#app = app;
    this.#view = view;
  }

  /** Must be called after each change of the engine, after the view's own update. */
  follow(): void {
    const { engine } = this.#app;
    const op = engine.state.shell.running?.op;
    if (op === this.#op) return;
    this.dispose();
    const ended = this.#op === undefined ? undefined : this.#view.entryOf(this.#op);
    // A command that only cleared leaves an empty view, as in every terminal.
    if (this.#cleared && ended?.kind === 'exec' && ended.result?.head.trim() === '') this.#view.clear();
    this.#op = op;
    this.#cleared = false;
    const output = op === undefined ? undefined : engine.live.commands.get(op)?.output;
    const look = () => {
      if (this.#cleared || !output?.cleared) return;
      this.#cleared = true;
      this.#view.clear(op);
    };
    this.#stop = output?.subscribe(look);
    look();
  }

  dispose(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
