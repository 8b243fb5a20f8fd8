/** The owner of the real terminal: its modes, its input, and giving both back whatever happens (UI-1). */
import { writeSync } from 'node:fs';
import { constants } from 'node:os';
import { markBursts } from './burst.ts';
import { applyReply, type Capabilities, unknownTerminal } from './capabilities.ts';
import { createFences } from './fences.ts';
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
import { afterInput } from './schedule.ts';
import type { Token } from './token.ts';
import { createTokenizer, type Schedule } from './tokenizer.ts';

/** How long the first queries may take; slow links answer later, and late answers are still understood. */
const PROBE_TIMEOUT_MS = 500;
/** How long input that is under way is swallowed before the terminal is handed on. */
const DRAIN_TIMEOUT_MS = 150;
/** A read that is under way when stdin is paused may still take what was meant for a child. */
const SETTLE_MS = 30;

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The parts of a tty that are used; `process.stdin` and `process.stdout` fit, and so do doubles. */
type TerminalInput = NodeJS.ReadableStream & {
  setRawMode?(mode: boolean): unknown;
  ref?(): unknown;
  unref?(): unknown;
};
type TerminalOutput = NodeJS.WritableStream & { fd?: number };

export type TerminalOptions = {
  readonly stdin: TerminalInput;
  readonly stdout: TerminalOutput;
  /** Whether this object enters and leaves the alternate screen. Then Ink's own `alternateScreen` must be off. */
  readonly alternateScreen: boolean;
  readonly mouse: boolean;
  /** Runs after the terminal is restored, when a signal or a hang-up ends the program. Default: exit with 128+n. */
  readonly onSignal?: (signal: Signal) => void;
  readonly schedule?: Schedule;
  readonly now?: () => number;
};

export type Terminal = {
  /** Takes the terminal. The promise has what it said of itself; keys flow before that. */
  enter(): Promise<Capabilities>;
  /** Gives the terminal back, input under way swallowed. Idempotent. */
  leave(): Promise<void>;
  /** The same at once and synchronously, for exits that cannot wait. */
  restore(): void;
  /** Every token in order; returns the end of listening. */
  onToken(listener: (token: Token) => void): () => void;
  /** After a suspension the whole screen has to be drawn anew. */
  onResume(listener: () => void): () => void;
  setMouse(on: boolean): void;
  /** True once all that was written so far has been worked off by the terminal; false after the time limit (HA-1). */
  fence(milliseconds: number): Promise<boolean>;
  /** Lets a child have the terminal while `run` lasts (an external editor). */
  suspend<T>(run: () => Promise<T>): Promise<T>;
  /** Sends input as raw bytes to `sink` (a full-screen program in a pty) until the result is called. */
  handOver(sink: (bytes: Uint8Array) => void): () => void;
  /** Ctrl-Z: stops the program's process group; continues after `fg`. */
  stop(): Promise<void>;
  /** `performance.now()` time of the last key, click or paste. */
  lastInputAt(): number;
  readonly capabilities: Readonly<Capabilities>;
  /** Ink's stdin. Nothing arrives there unless fed. */
  readonly ink: KeyStream;
};

/** The kernel signals a new size to the foreground only, so after a stop the program signals itself. */
function learnSize(): void {
  process.kill(process.pid, 'SIGWINCH');
}

/** Makes the owner; nothing is touched before `enter`. One per process. */
export function createTerminal(options: TerminalOptions): Terminal {
  const { stdin, stdout, schedule = afterInput, now = () => performance.now() } = options;
  const listeners = new Set<(token: Token) => void>();
  const resumeListeners = new Set<() => void>();
  const capabilities = unknownTerminal();
  let choice: ModeChoice = { alternateScreen: options.alternateScreen, mouse: options.mouse, keyboard: 'plain' };
  /** away: not ours · ours · lent: a child has it, or input goes to a sink. */
  let state: 'away' | 'ours' | 'lent' = 'away';
  let sink: ((bytes: Uint8Array) => void) | undefined;
  let batch: Token[] | undefined;
  let lastInput = Number.NEGATIVE_INFINITY;
  let typedAhead = true;
  let draining = false;

  const fences = createFences(() => write(QUERY_DA1), schedule);
  const tokenizer = createTokenizer((token) => (batch === undefined ? dispatch(token) : batch.push(token)), schedule);

  function write(text: string): void {
    if (stdout.fd === undefined) {
      stdout.write(text);
      return;
    }
    // Synchronous, so that it also works while the process dies; a full or dead terminal must not stop the rest.
    let rest = Buffer.from(text);
    for (let tries = 0; rest.length > 0 && tries < 1000; tries++) {
      try {
        rest = rest.subarray(writeSync(stdout.fd, rest));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return;
      }
    }
  }

  function raw(on: boolean): void {
    try {
      stdin.setRawMode?.(on);
    } catch {
      // The terminal is gone; there is nothing left to restore.
    }
  }

  function receive(chunk: Uint8Array | string): void {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (draining || sink !== undefined) {
      if (draining) tokenizer.push(bytes);
      else sink?.(bytes);
      return;
    }
    batch = [];
    tokenizer.push(bytes);
    const tokens = batch;
    batch = undefined;
    const guarded = capabilities.bracketedPaste || typedAhead ? tokens : markBursts(tokens, now() - lastInput);
    typedAhead = false;
    for (const token of guarded) dispatch(token);
  }

  function dispatch(token: Token): void {
    if (token.type === 'reply') {
      applyReply(capabilities, token);
      if (token.reply === 'da1') fences.answered();
    } else if (token.type !== 'focus') lastInput = now();
    if (draining) return;
    // A copy: a listener added by a listener must not get the same key.
    for (const listener of Array.from(listeners)) listener(token);
  }

  function take(): void {
    state = 'ours';
    // libuv remembers the mode it set last and skips a second set; after a stop the shell has changed it meanwhile.
    raw(false);
    raw(true);
    stdin.ref?.();
    stdin.on('data', receive);
    stdin.resume();
    write(enterModes(choice));
    if (choice.keyboard !== 'plain') pushKeyboard();
  }

  const owned = () => state === 'ours';

  function pushKeyboard(): void {
    choice = { ...choice, keyboard: capabilities.kitty ? 'kitty' : 'modifyOtherKeys' };
    write(capabilities.kitty ? KITTY_PUSH : OTHER_KEYS_ON);
  }

  /** Modes off, input under way swallowed, then stdin let go. */
  async function release(): Promise<void> {
    write(leaveModes(choice));
    draining = true;
    await fences.ask(capabilities.answers ? DRAIN_TIMEOUT_MS : SETTLE_MS);
    draining = false;
    tokenizer.reset();
    letGo();
  }

  function letGo(): void {
    stdin.removeListener('data', receive);
    stdin.pause();
    stdin.unref?.();
    raw(false);
  }

  function restore(): void {
    if (state === 'away') return;
    if (state === 'ours' || sink !== undefined) write((sink === undefined ? '' : SANITIZE) + leaveModes(choice));
    state = 'away';
    sink = undefined;
    fences.cancel();
    tokenizer.reset();
    letGo();
    unhook();
  }

  function fatal(signal: Signal): void {
    // While a child has the terminal, Ctrl-C is the child's.
    if (signal === 'SIGINT' && state === 'lent' && sink === undefined) return;
    restore();
    if (options.onSignal === undefined) process.exit(128 + constants.signals[signal]);
    else options.onSignal(signal);
  }

  const handlers = SIGNALS.map((signal) => [signal, () => fatal(signal)] as const);
  const hangUp = () => fatal('SIGHUP');
  const resumed = () => {
    if (state !== 'ours') return;
    // Stopped from outside, without a chance to give anything back: begin anew, so that nothing is pushed twice.
    write(leaveModes(choice));
    stdin.removeListener('data', receive);
    take();
    for (const listener of resumeListeners) listener();
    learnSize();
  };
  const stopped = () => void stop();

  function hook(): void {
    for (const [signal, handler] of handlers) process.on(signal, handler);
    process.on('SIGTSTP', stopped);
    process.on('SIGCONT', resumed);
    process.on('exit', restore);
    process.on('uncaughtExceptionMonitor', restore);
    stdin.on('end', hangUp);
    stdin.on('error', hangUp);
  }

  function unhook(): void {
    for (const [signal, handler] of handlers) process.removeListener(signal, handler);
    process.removeListener('SIGTSTP', stopped);
    process.removeListener('SIGCONT', resumed);
    process.removeListener('exit', restore);
    process.removeListener('uncaughtExceptionMonitor', restore);
    stdin.removeListener('end', hangUp);
    stdin.removeListener('error', hangUp);
  }

  async function suspend<T>(run: () => Promise<T>): Promise<T> {
    state = 'lent';
    await release();
    await new Promise<void>((resolve) => schedule(resolve, SETTLE_MS));
    try {
      return await run();
    } finally {
      giveBack();
    }
  }

  function giveBack(): void {
    if (state === 'lent') {
      write(`\r${SANITIZE}`);
      take();
      for (const listener of resumeListeners) listener();
    }
  }

  async function stop(): Promise<void> {
    if (state !== 'ours') return;
    await suspend(async () => {
      process.removeListener('SIGTSTP', stopped);
      // Stands still here until `fg`; an orphaned group ignores it, and goes straight on.
      process.kill(0, 'SIGTSTP');
      await new Promise<void>((resolve) => schedule(resolve, SETTLE_MS));
      process.on('SIGTSTP', stopped);
    });
    learnSize();
  }

  return {
    async enter() {
      if (state !== 'away') return capabilities;
      hook();
      take();
      if (!['linux', 'dumb'].includes(process.env.TERM ?? '')) write(QUERIES);
      const answered = await fences.ask(PROBE_TIMEOUT_MS);
      if (answered && owned() && choice.keyboard === 'plain') pushKeyboard();
      return capabilities;
    },
    async leave() {
      if (state === 'ours') {
        state = 'lent';
        await release();
        state = 'away';
        unhook();
      } else restore();
    },
    restore,
    onToken(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onResume(listener) {
      resumeListeners.add(listener);
      return () => resumeListeners.delete(listener);
    },
    setMouse(on) {
      choice = { ...choice, mouse: on };
      if (state === 'ours') write(on ? MOUSE_ON : MOUSE_OFF);
    },
    fence: (milliseconds) => fences.ask(milliseconds),
    suspend,
    handOver(receiver) {
      write(leaveModes(choice));
      tokenizer.reset();
      state = 'lent';
      sink = receiver;
      return () => {
        if (sink !== receiver) return;
        sink = undefined;
        stdin.removeListener('data', receive);
        giveBack();
      };
    },
    stop,
    lastInputAt: () => lastInput,
    capabilities,
    ink: new KeyStream(),
  };
}
