/** The owner of the real terminal: its modes, its input, and giving both back whatever happens (UI-1). */
import { constants } from 'node:os';
import type { Capabilities } from './capabilities.ts';
import { SETTLE_MS, TerminalInput, type TokenListener } from './input.ts';
import { KeyStream } from './key-stream.ts';
import {
  enterModes,
  KITTY_PUSH,
  leaveModes,
  MOUSE_OFF,
  MOUSE_ON,
  type ModeChoice,
  OTHER_KEYS_ON,
  QUERIES,
  QUERY_DA1,
  SANITIZE,
} from './modes.ts';
import { afterInput, type Schedule } from './schedule.ts';
import { type FatalSignal, Signals, Tty, type TtyInput, type TtyOutput } from './tty.ts';

/** How long the first queries may take; slow links answer later, and late answers are still understood. */
const PROBE_TIMEOUT_MS = 500;

export type TerminalOptions = {
  readonly stdin: TtyInput;
  readonly stdout: TtyOutput;
  /** Whether this object enters and leaves the alternate screen. Then Ink's own `alternateScreen` must be off. */
  readonly alternateScreen: boolean;
  readonly mouse: boolean;
  /** Runs after the terminal is restored, when a signal or a hang-up ends the program. Default: exit with 128+n. */
  readonly onSignal?: (signal: FatalSignal) => void;
  readonly schedule?: Schedule;
  readonly now?: () => number;
};

/** Nothing is touched before `enter`. One per process. */
export class Terminal {
  /** Ink's stdin. Nothing arrives there unless fed. */
  readonly ink = new KeyStream();
  readonly #tty: Tty;
  readonly #input: TerminalInput;
  readonly #signals: Signals;
  readonly #schedule: Schedule;
  readonly #onSignal: TerminalOptions['onSignal'];
  readonly #resumeListeners = new Set<() => void>();
  #choice: ModeChoice;
  /** away: not ours · ours · lent: a child has it, or input goes to a sink. */
  #state: 'away' | 'ours' | 'lent' = 'away';

  constructor(options: TerminalOptions) {
    const { stdin, stdout, alternateScreen, mouse, schedule = afterInput, now = () => performance.now() } = options;
    this.#choice = { alternateScreen, mouse, keyboard: 'plain' };
    this.#schedule = schedule;
    this.#onSignal = options.onSignal;
    this.#tty = new Tty(stdin, stdout, (chunk) => this.#input.receive(chunk));
    this.#input = new TerminalInput(() => this.#tty.write(QUERY_DA1), schedule, now);
    this.#signals = new Signals(stdin, {
      fatal: (signal) => this.#fatal(signal),
      stop: () => void this.stop(),
      resumed: () => this.#resumed(),
      exit: () => this.restore(),
    });
  }

  get capabilities(): Readonly<Capabilities> {
    return this.#input.capabilities;
  }

  /** Takes the terminal. The promise has what it said of itself; keys flow before that. */
  async enter(): Promise<Readonly<Capabilities>> {
    if (this.#state !== 'away') return this.capabilities;
    this.#signals.hook();
    this.#take();
    if (!['linux', 'dumb'].includes(process.env.TERM ?? '')) this.#tty.write(QUERIES);
    const answered = await this.fence(PROBE_TIMEOUT_MS);
    if (answered && this.#owned && this.#choice.keyboard === 'plain') this.#pushKeyboard();
    return this.capabilities;
  }

  /** Gives the terminal back, input under way swallowed. Idempotent. */
  async leave(): Promise<void> {
    if (!this.#owned) return this.restore();
    this.#state = 'lent';
    await this.#release();
    this.#state = 'away';
    this.#signals.unhook();
  }

  /** The same at once and synchronously, for exits that cannot wait. */
  restore(): void {
    if (this.#state === 'away') return;
    const { sink } = this.#input;
    if (this.#owned || sink) this.#tty.write((sink ? SANITIZE : '') + leaveModes(this.#choice));
    this.#state = 'away';
    this.#input.close();
    this.#tty.letGo();
    this.#signals.unhook();
  }

  /** Every token in order; returns the end of listening. */
  onToken(listener: TokenListener): () => void {
    return this.#input.onToken(listener);
  }

  /** After a suspension the whole screen has to be redrawn. */
  onResume(listener: () => void): () => void {
    this.#resumeListeners.add(listener);
    return () => this.#resumeListeners.delete(listener);
  }

  setMouse(on: boolean): void {
    this.#choice = { ...this.#choice, mouse: on };
    if (this.#owned) this.#tty.write(on ? MOUSE_ON : MOUSE_OFF);
  }

  /** True once all that was written so far has been worked off by the terminal; false after the time limit (HA-1). */
  fence(milliseconds: number): Promise<boolean> {
    return this.#input.fence(milliseconds);
  }

  /** Lets a child have the terminal while `run` lasts (an external editor). */
  async suspend<T>(run: () => Promise<T>): Promise<T> {
    this.#state = 'lent';
    await this.#release();
    await this.#settled();
    try {
      return await run();
    } finally {
      this.#takeBack();
    }
  }

  /** Sends input as raw bytes to `sink` (a full-screen program in a pty) until the result is called. */
  handOver(sink: (bytes: Uint8Array) => void): () => void {
    this.#tty.write(leaveModes(this.#choice));
    this.#input.reset();
    this.#state = 'lent';
    this.#input.sink = sink;
    return () => {
      if (this.#input.sink !== sink) return;
      this.#input.sink = undefined;
      this.#takeBack();
    };
  }

  /** Ctrl-Z: stops the program's process group; continues after `fg`. */
  async stop(): Promise<void> {
    if (!this.#owned) return;
    await this.suspend(() => this.#signals.stopGroup(() => this.#settled()));
    learnSize();
  }

  get #owned(): boolean {
    return this.#state === 'ours';
  }

  #take(): void {
    this.#state = 'ours';
    this.#tty.take();
    this.#tty.write(enterModes(this.#choice));
    if (this.#choice.keyboard !== 'plain') this.#pushKeyboard();
  }

  #pushKeyboard(): void {
    const { kitty } = this.capabilities;
    this.#choice = { ...this.#choice, keyboard: kitty ? 'kitty' : 'modifyOtherKeys' };
    this.#tty.write(kitty ? KITTY_PUSH : OTHER_KEYS_ON);
  }

  /** Modes off, input under way swallowed, then stdin let go. */
  async #release(): Promise<void> {
    this.#tty.write(leaveModes(this.#choice));
    await this.#input.drain();
    this.#tty.letGo();
  }

  #takeBack(): void {
    if (this.#state !== 'lent') return;
    this.#tty.write(`\r${SANITIZE}`);
    this.#take();
    for (const listener of this.#resumeListeners) listener();
  }

  #fatal(signal: FatalSignal): void {
    // While a child has the terminal, Ctrl-C is the child's.
    if (signal === 'SIGINT' && this.#state === 'lent' && !this.#input.sink) return;
    this.restore();
    if (this.#onSignal) this.#onSignal(signal);
    else process.exit(128 + constants.signals[signal]);
  }

  /** Stopped from outside, without a chance to restore anything: starts over, so that nothing is pushed twice. */
  #resumed(): void {
    if (!this.#owned) return;
    this.#tty.write(leaveModes(this.#choice));
    this.#take();
    for (const listener of this.#resumeListeners) listener();
    learnSize();
  }

  #settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#schedule(resolve, SETTLE_MS);
    });
  }
}

/** The kernel signals a new size to the foreground only, so after a stop the program signals itself. */
function learnSize(): void {
  process.kill(process.pid, 'SIGWINCH');
}
