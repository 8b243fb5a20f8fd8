/** Owns the real terminal: its modes and its input, and restores both whatever happens (UI-1). */
import { constants } from 'node:os';
import { applyReply, type Capabilities, unknownTerminal } from './capabilities.ts';
import { KeyStream } from './key-stream.ts';
import { afterInput, type Schedule } from './schedule.ts';
import type { Token } from './token.ts';
import { createTokenizer } from './tokenizer.ts';
import { type FatalSignal, Signals, Tty, type TtyInput, type TtyOutput } from './tty.ts';

/** The longest wait for the first replies; late replies from slow links are still understood. In ms. */
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

/** The terminal of the process, untouched before `enter`. One per process. */
export class Terminal {
  /** Ink's stdin, which gets only the keys that this module passes to it. */
  readonly ink = new KeyStream();
  readonly #tty: Tty;
  readonly #input: TerminalInput;
  readonly #signals: Signals;
  readonly #schedule: Schedule;
  readonly #onSignal: TerminalOptions['onSignal'];
  readonly #resumeListeners = new Set<() => void>();
  #choice: ModeChoice;
  /**
   * The owner of the terminal. `away`: another program. `ours`: this program. `lent`: a child, or input goes to a sink.
   */
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

  /** Takes the terminal. Resolves with its capabilities; keys are read before that. */
  async enter(): Promise<Readonly<Capabilities>> {
    if (this.#state !== 'away') return this.capabilities;
    this.#signals.hook();
    this.#take();
    if (!['linux', 'dumb'].includes(process.env.TERM ?? '')) this.#tty.write(QUERIES);
    const answered = await this.fence(PROBE_TIMEOUT_MS);
    if (answered && this.#owned && this.#choice.keyboard === 'plain') this.#pushKeyboard();
    return this.capabilities;
  }

  /** Restores the terminal, and swallows pending input. Idempotent. */
  async leave(): Promise<void> {
    if (!this.#owned) return this.restore();
    this.#state = 'lent';
    await this.#release();
    this.#state = 'away';
    this.#signals.unhook();
  }

  /** Restores the terminal synchronously, for exits that can't wait. */
  restore(): void {
    if (this.#state === 'away') return;
    const { sink } = this.#input;
    if (this.#owned || sink) this.#tty.write((sink ? sanitize(this.#choice) : '') + leaveModes(this.#choice));
    this.#state = 'away';
    this.#input.close();
    this.#tty.letGo();
    this.#signals.unhook();
  }

  /** Calls the listener for every token in order; the returned function removes it. */
  onToken(listener: TokenListener): () => void {
    return this.#input.onToken(listener);
  }

  /** Calls the listener after a suspension, when the whole screen must be redrawn. */
  onResume(listener: () => void): () => void {
    this.#resumeListeners.add(listener);
    return () => this.#resumeListeners.delete(listener);
  }

  setMouse(on: boolean): void {
    this.#choice = { ...this.#choice, mouse: on };
    if (this.#owned) this.#tty.write(on ? MOUSE_ON : MOUSE_OFF);
  }

  /**
   * Resolves with true once the terminal has processed everything written so far, false after the time limit (HA-1).
   */
  fence(milliseconds: number): Promise<boolean> {
    return this.#input.fence(milliseconds);
  }

  /** Lends the terminal to a child while `run` lasts (an external editor). */
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

  /** Sends input as raw bytes to `sink` (a full-screen program in a pty) until the returned function is called. */
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

  /** Switches the modes off, swallows pending input, then stops reading stdin. */
  async #release(): Promise<void> {
    this.#tty.write(leaveModes(this.#choice));
    await this.#input.drain();
    this.#tty.letGo();
  }

  #takeBack(): void {
    if (this.#state !== 'lent') return;
    this.#tty.write(`\r${sanitize(this.#choice)}`);
    this.#take();
    for (const listener of this.#resumeListeners) listener();
  }

  #fatal(signal: FatalSignal): void {
    // While a child has the terminal, Ctrl-C is meant for the child.
    if (signal === 'SIGINT' && this.#state === 'lent' && !this.#input.sink) return;
    this.restore();
    if (this.#onSignal) this.#onSignal(signal);
    else process.exit(128 + constants.signals[signal]);
  }

  /** Starts over after a SIGSTOP, which leaves no chance to restore anything, so that no mode is pushed twice. */
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

/** The modes that the screen switches on, and the string that takes all of them back. */

type ModeChoice = {
  readonly alternateScreen: boolean;
  readonly mouse: boolean;
  /** The keyboard protocol: kitty's was pushed, xterm's modifyOtherKeys is on, or neither. */
  readonly keyboard: 'plain' | 'kitty' | 'modifyOtherKeys';
};

/** Button presses, drags and the wheel (1002) as SGR reports (1006). Not 1003: under multiplexers it floods. */
const MOUSE_ON = '\x1b[?1002h\x1b[?1006h';
const MOUSE_OFF = '\x1b[?1006l\x1b[?1002l';

/** Kitty keyboard: disambiguate (1) and report alternate keys (4), pushed on the terminal's own stack. */
const KITTY_PUSH = '\x1b[>5u';
const KITTY_POP = '\x1b[<u';

/** Level 1: keys without a classic code (Shift-Enter) are reported, the classic ones stay as they are. */
const OTHER_KEYS_ON = '\x1b[>4;1m';
const OTHER_KEYS_OFF = '\x1b[>4m';

/** Primary device attributes: every terminal answers it, and in order, so its answer ends every group of queries. */
const QUERY_DA1 = '\x1b[c';

const PALETTE = Array.from({ length: 16 }, (_, number) => `${number};?`).join(';');

/** Name and version, synchronized output, bracketed paste, colours, kitty keyboard. DA1 follows as sentinel. */
const QUERIES = `\x1b[>q\x1b[?2026$p\x1b[?2004$p\x1b]11;?\x1b\\\x1b]10;?\x1b\\\x1b]4;${PALETTE}\x1b\\\x1b[?u`;

/** Returns the sequences that switch on alternate screen, bracketed paste, focus reports and mouse. */
function enterModes({ alternateScreen, mouse }: ModeChoice): string {
  return `${alternateScreen ? '\x1b[?1049h\x1b[2J\x1b[H' : ''}\x1b[?2004h\x1b[?1004h${mouse ? MOUSE_ON : ''}`;
}

/**
 * Returns the sequences that switch everything off, in reverse order. The keyboard goes before the screen: kitty keeps
 * a stack for each screen.
 */
function leaveModes({ alternateScreen, keyboard }: ModeChoice): string {
  const keys = keyboard === 'kitty' ? KITTY_POP : keyboard === 'modifyOtherKeys' ? OTHER_KEYS_OFF : '';
  return `\x1b[?2026l${keys}${MOUSE_OFF}\x1b[?1004l\x1b[?2004l\x1b[0m\x1b[?25h${alternateScreen ? '\x1b[?1049l' : ''}`;
}

/**
 * Resets settings that another program may have left: mouse modes, cursor and keypad keys, scroll region, origin, wrap,
 * cursor shape, insert mode, character set.
 */
const SANITIZE =
  '\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1l\x1b>\x1b[r\x1b[?6l\x1b[?7h\x1b[4l\x1b(B\x0f\x1b[0 q\x1b[0m';

/**
 * On the normal screen the cursor stays, since it is where the terminal goes on after the end: a change of the scroll
 * region or of the origin would move it to the top.
 */
function sanitize({ alternateScreen }: ModeChoice): string {
  return alternateScreen ? `\x1b[?1049h${SANITIZE}` : SANITIZE.replace('\x1b[r\x1b[?6l', '\x1b7\x1b[r\x1b8');
}

/** The most bytes of text in one sequence: xterm and others drop sequences of more than 100,000 characters. */
const MAX_BYTES = 74_000;

export type Clip = {
  readonly sequence: string;
  /** The number of characters in the sequence. */
  readonly characters: number;
  readonly cut: boolean;
};

/** Returns the sequence that sets the clipboard to a text, or to as much of its beginning as terminals accept. */
export function clipboardSequence(text: string): Clip {
  const bytes = Buffer.from(text.toWellFormed());
  const cut = bytes.length > MAX_BYTES;
  const kept = cut ? wholeCharacters(bytes) : bytes;
  const characters = [...kept.toString()].length;
  return { sequence: `\x1b]52;c;${kept.toString('base64')}\x07`, characters, cut };
}

/** Cuts at a character boundary: in UTF-8, bytes of the form 10xxxxxx continue a character. */
function wholeCharacters(bytes: Buffer): Buffer {
  let end = MAX_BYTES;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

// The terminal's output: tokens for the listeners, replies for the waits, raw bytes while a program has the terminal.

/** The longest that pending input is swallowed before the terminal is handed on. In ms. */
const DRAIN_TIMEOUT_MS = 150;
/**
 * The wait in ms for a terminal that never answers. A read in progress when stdin is paused may still take input meant
 * for a child.
 */
const SETTLE_MS = 30;

/** An Enter that follows a key within this time was not pressed by a person. In ms. */
const BURST_MS = 30;

/** `more`: other tokens of the same read follow at once, so this one need not be drawn. */
type TokenListener = (token: Token, more: boolean) => void;

export class TerminalInput {
  readonly #capabilities = unknownTerminal();
  readonly #listeners = new Set<TokenListener>();
  readonly #fences;
  readonly #tokenizer;
  readonly #now: () => number;
  #batch: Token[] | undefined;
  #lastInputAt = Number.NEGATIVE_INFINITY;
  #typedAhead = true;
  #draining = false;
  /** Takes the raw bytes while a program has the terminal. */
  sink: ((bytes: Uint8Array) => void) | undefined;

  /** @param query asks the terminal for its device attributes */
  constructor(query: () => void, schedule: Schedule, now: () => number) {
    this.#now = now;
    this.#fences = createFences(query, schedule);
    this.#tokenizer = createTokenizer((token) => {
      // Only replies before the first DA1 reply count: a later one may be part of a paste.
      if (token.type === 'reply' && !this.#capabilities.answers) applyReply(this.#capabilities, token);
      if (this.#batch) this.#batch.push(token);
      else this.#dispatch(token);
    }, schedule);
  }

  get capabilities(): Readonly<Capabilities> {
    return this.#capabilities;
  }

  receive(bytes: Uint8Array): void {
    if (this.#draining) return this.#tokenizer.push(bytes);
    if (this.sink) return this.sink(bytes);
    const tokens: Token[] = [];
    this.#batch = tokens;
    this.#tokenizer.push(bytes);
    this.#batch = undefined;
    const trusted = this.#capabilities.bracketedPaste || this.#typedAhead;
    this.#typedAhead = false;
    const guarded = trusted ? tokens : markBursts(tokens, this.#now() - this.#lastInputAt);
    guarded.forEach((token, at) => {
      this.#dispatch(token, at < guarded.length - 1);
    });
  }

  onToken(listener: TokenListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  fence(milliseconds: number): Promise<boolean> {
    return this.#fences.ask(milliseconds);
  }

  /** Drops all input until the terminal has answered or the time is over. */
  async drain(): Promise<void> {
    this.#draining = true;
    await this.fence(this.#capabilities.answers ? DRAIN_TIMEOUT_MS : SETTLE_MS);
    this.#draining = false;
    this.#tokenizer.reset();
  }

  /** Forgets a partly read sequence. */
  reset(): void {
    this.#tokenizer.reset();
  }

  /** Ends every wait. */
  close(): void {
    this.sink = undefined;
    this.#fences.cancel();
    this.#tokenizer.reset();
  }

  #dispatch(token: Token, more = false): void {
    if (token.type === 'reply') {
      applyReply(this.#capabilities, token);
      if (token.reply === 'da1') this.#fences.answered();
    } else if (token.type !== 'focus') this.#lastInputAt = this.#now();
    if (this.#draining) return;
    // Iterates over a copy: a listener added by a listener must not get the same key.
    for (const listener of Array.from(this.#listeners)) listener(token, more);
  }
}

/**
 * Guards against pastes without brackets, whose line ends must not submit line after line (IN-4). Marks the Enters
 * inside the text of a chunk. An Enter at the end of a chunk stays: `ls⏎` that arrives at once is a command, typed
 * ahead or sent by a program. `sinceLastKey` is the time in ms between the last key of the previous chunk and this
 * chunk.
 */
function markBursts(tokens: readonly Token[], sinceLastKey: number): readonly Token[] {
  const lastText = tokens.findLastIndex(types);
  const firstText = sinceLastKey < BURST_MS ? -1 : tokens.findIndex(types);
  return tokens.map((token, index) => {
    const enter = token.type === 'key' && token.name === 'enter' && !token.ctrl && !token.alt && !token.shift;
    return enter && index > firstText && index < lastText ? { ...token, burst: true } : token;
  });
}

function types(token: Token): boolean {
  return token.type === 'key' && token.text !== undefined;
}

// Waits that end when the terminal has processed the output before them.

type Fences = {
  /** Asks the terminal; resolves with true when it answered, false when the time was over first. */
  ask(milliseconds: number): Promise<boolean>;
  /** To be called for every DA1 reply. */
  answered(): void;
  /** Ends every wait with false. */
  cancel(): void;
};

/**
 * Returns fences over a DA1 query, which `query` writes. Replies arrive in the order of the questions, so a late reply
 * to a question that was given up is never taken for the reply to a newer one.
 */
export function createFences(query: () => void, schedule: Schedule): Fences {
  let waiting: { settle: (value: boolean) => void }[] = [];
  return {
    ask(milliseconds) {
      return new Promise((resolve) => {
        const cancel = schedule(() => resolve(false), milliseconds);
        waiting.push({
          settle(value) {
            cancel();
            resolve(value);
          },
        });
        query();
      });
    },
    answered() {
      waiting.shift()?.settle(true);
    },
    cancel() {
      const all = waiting;
      waiting = [];
      for (const fence of all) fence.settle(false);
    },
  };
}
