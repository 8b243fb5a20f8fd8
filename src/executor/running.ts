import { open } from 'node:fs/promises';
import type { KeyboardModes, LiveOutput, NestedShell, RunningCommand, TerminalFacts } from '../contracts/commands.ts';
import type { CommandResult } from '../session/action.ts';
import { AlternateScreen, PassthroughFilter } from './full-screen-output.ts';
import { newOutputPath } from './output-file.ts';
import { Screen } from './screen.ts';
import { NestedMarks } from './shell-integration/marks.ts';
import { anyoneReads, InputDetector, type TerminalModes } from './terminal-state.ts';
import { Typeahead } from './typeahead.ts';

/** Output of a full-screen program kept for a listener that attaches after it has begun to paint. */
const MAX_REPLAY_BYTES = 1024 * 1024;
/** Terminal queries, removed from a replay because their time has passed. */
const QUERIES =
  /\x1b\[[>=?]?[\d;]*[cn]|\x1b\[>[\d;]*q|\x1b\[\?[\d;]*\$p|\x1b\]1[0-9];\?(?:\x07|\x1b\\)|\x1bP[$+]q[^\x1b]*\x1b\\/g;

export type Control = {
  readonly pid: () => number;
  readonly write: (data: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  readonly interrupt: () => void;
  readonly hangUp: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Path of the terminal's slave side. */
  readonly slave: () => string;
  /**
   * Whether the command runs in the background with a terminal of its own, instead of the terminal that the user sees.
   */
  readonly behind?: true;
  /** Whether the command has no terminal, so that it can’t ask and nothing can be typed. */
  readonly pipe?: true;
  /** Takes unread input out of a terminal that outlives the command. */
  readonly takeInput?: () => Promise<string>;
  /** Returns the modes of a remote terminal, which can't be read directly. */
  readonly modes?: () => Promise<TerminalModes>;
};

export type RunOptions = {
  readonly columns: number;
  readonly rows: number;
  readonly dataDir: string;
  /** Returns the answers for a program that queries the user’s terminal; unknown facts stay unanswered. */
  readonly facts?: (() => TerminalFacts) | undefined;
};

const NO_FACTS: TerminalFacts = { colours: {}, kitty: false };

/** The implementation of RunningCommand. A shell or a process of its own feeds it and reports its end. */
export class Run implements RunningCommand {
  readonly result: Promise<CommandResult>;
  readonly #control: Control;
  readonly #screen: Screen;
  readonly #alternateScreen = new AlternateScreen();
  readonly #passthrough = new PassthroughFilter();
  readonly #modeListeners = new Set<() => void>();
  readonly #rawListeners = new Set<(data: Buffer) => void>();
  #replay: Buffer[] = [];
  #replayBytes = 0;
  readonly #inputDetector: InputDetector;
  readonly #typeahead: Typeahead | undefined;
  readonly #hidden: HiddenKeys;
  /** Answers to queries of the terminal. */
  readonly #replies: HiddenKeys;
  readonly #echoed: EchoedKeys;
  readonly #nested = new NestedMarks();
  #began = performance.now();
  #ended = false;
  /** Keys typed before the command started: a shell discards pending input at the start of a line. */
  #early: string[] | undefined = [];
  #resolve: (result: CommandResult) => void = () => {};

  constructor(options: RunOptions, control: Control) {
    this.#control = control;
    this.#typeahead = control.takeInput && new Typeahead(control.takeInput);
    // Reading is invisible in a remote terminal, so its keys are not held back.
    const reads = () =>
      control.modes !== undefined || anyoneReads(control.pid(), control.slave(), control.takeInput !== undefined);
    this.#replies = new HiddenKeys({
      reads,
      hides: () => true,
      write: control.write,
    });
    this.#echoed = new EchoedKeys(reads);
    this.#hidden = new HiddenKeys({
      reads,
      hides: () => this.echoOff,
      write: (data) => {
        control.write(data);
        this.#inputDetector.activity();
      },
    });
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#screen = new Screen({
      columns: options.columns,
      rows: options.rows,
      path: newOutputPath(options.dataDir),
      facts: () => options.facts?.() ?? NO_FACTS,
      onReply: (data) => {
        if (this.#rawListeners.size > 0 || this.#ended) return;
        // Reply only to a program that waits for it; any later reader would mistake the reply for keys.
        if (!this.#replies.hold(data, true)) control.write(data);
      },
      onNestedMark: (content) => {
        if (this.#nested.take(content)) this.#modesChanged();
      },
      pause: control.pause,
      resume: control.resume,
      pipe: control.pipe ?? false,
    });
    this.#inputDetector = new InputDetector({
      leader: control.pid,
      slave: control.slave,
      promptText: () => this.#screen.promptText,
      fullScreen: () => this.#alternateScreen.fullScreen,
      pipe: control.pipe ?? false,
      behind: control.behind ?? false,
      ...(control.modes ? { modes: control.modes } : {}),
      onChange: () => this.#modesChanged(),
    });
  }

  get output(): LiveOutput {
    return this.#screen;
  }

  get pid(): number {
    return this.#control.pid();
  }

  get fullScreen(): boolean {
    return this.#alternateScreen.fullScreen && !this.#ended;
  }

  get asks(): boolean {
    return this.#inputDetector.state.asks;
  }

  get echoOff(): boolean {
    return this.#inputDetector.state.echoOff;
  }

  get asksAsShell(): boolean {
    return this.#inputDetector.state.isShell;
  }

  get nested(): NestedShell | undefined {
    return this.#nested.state;
  }

  get keyboard(): KeyboardModes {
    return this.#screen.keyboard;
  }

  get asker(): string | undefined {
    return this.#inputDetector.state.name;
  }

  write(data: string): void {
    if (this.#control.pipe) return;
    if (this.#early && !this.#ended) {
      this.#early.push(data);
      return;
    }
    this.#typeahead?.add(data);
    if (this.#ended) return;
    this.#echoed.add(data);
    if (this.#hidden.hold(data, this.echoOff)) return;
    this.#control.write(data);
    this.#inputDetector.activity();
  }

  resize(columns: number, rows: number): void {
    if (this.#ended) return;
    this.#screen.resize(columns, rows);
    this.#control.resize(columns, rows);
  }

  interrupt(): void {
    if (!this.#ended) this.#control.interrupt();
  }

  hangUp(): void {
    if (!this.#ended) this.#control.hangUp();
  }

  unread(): Promise<string> {
    return this.#typeahead?.unread() ?? Promise.resolve('');
  }

  onModes(listener: () => void): () => void {
    this.#modeListeners.add(listener);
    return () => {
      this.#modeListeners.delete(listener);
    };
  }

  rawOutput(listener: (data: Buffer) => void): () => void {
    const late = Buffer.concat(this.#replay).toString('latin1').replace(QUERIES, '');
    if (late !== '') listener(Buffer.from(late, 'latin1'));
    this.#replay = [];
    this.#replayBytes = 0;
    this.#rawListeners.add(listener);
    return () => {
      this.#rawListeners.delete(listener);
    };
  }

  /** Starts the clock of a command that had to wait its turn. */
  begin(): void {
    this.#began = performance.now();
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const keys of early) this.write(keys);
    this.#inputDetector.activity();
  }

  /** Takes output of the command. */
  feed(data: Buffer): void {
    if (this.#ended) return;
    const before = this.#alternateScreen.fullScreen;
    for (const piece of this.#alternateScreen.split(data)) {
      if (piece.fullScreen) this.#handOver(piece.data);
      this.#screen.push(piece.data, !piece.fullScreen);
    }
    if (before !== this.#alternateScreen.fullScreen) {
      this.#screen.showFullScreen(!before);
      this.#modesChanged();
    }
    this.#inputDetector.activity();
  }

  /** Ends the command. `exit` null: the code is unknown. Idempotent. */
  async end(exit: number | null, cwd: string, note?: string, began?: false): Promise<void> {
    if (this.#ended) return;
    const milliseconds = Math.round(performance.now() - this.#began);
    const rest = this.#alternateScreen.rest();
    if (rest) this.#screen.push(rest, !this.#alternateScreen.fullScreen);
    this.#hidden.drop();
    this.#replies.drop();
    this.#typeahead?.end(this.#hidesKeys);
    for (const keys of this.#early ?? []) this.#typeahead?.add(keys);
    const hadModes = this.fullScreen || this.asks;
    this.#ended = true;
    this.#inputDetector.end();
    if (hadModes) this.#modesChanged();
    const output = await this.#screen.finish();
    this.#screen.dispose();
    this.#modeListeners.clear();
    this.#rawListeners.clear();
    this.#replay = [];
    // Text that can't be cleaned is not offered.
    const { file, encoding, ...shown } = output;
    const isClean = file === undefined || (await overwriteInFile(file, this.#echoed.secrets));
    const head = this.#echoed.takeOut(output.head);
    const tail = this.#echoed.takeOut(output.tail);
    const facts = { ...shown, ...(file !== undefined && isClean ? { file } : {}), head, tail, milliseconds };
    const notes = [note, encoding].filter((each) => each !== undefined).join('; ');
    const how = { ...(notes === '' ? {} : { note: notes }), ...(began === undefined ? {} : { began }) };
    this.#resolve({ exit, cwd, ...facts, ...how });
  }

  get #hidesKeys(): boolean {
    return this.echoOff || this.fullScreen;
  }

  #handOver(painted: Buffer): void {
    const data = this.#passthrough.pass(painted);
    if (this.#rawListeners.size > 0) {
      for (const listener of this.#rawListeners) listener(data);
      return;
    }
    if (this.#replayBytes > MAX_REPLAY_BYTES) return;
    this.#replay.push(data);
    this.#replayBytes += data.length;
  }

  #modesChanged(): void {
    if (this.echoOff) this.#echoed.hides();
    if (!this.#alternateScreen.fullScreen) {
      this.#replay = [];
      this.#replayBytes = 0;
    }
    for (const listener of this.#modeListeners) listener();
  }
}

/** Characters of typed-ahead input to keep. */
const MAX_CHARS = 1000;
/** Removing shorter text would destroy more output than it hides. */
const MIN_CHARS = 3;

/**
 * The terminal echoes input typed before a program reads it. If the program then turns echo off, that input was
 * probably a password typed too early, so it is removed from the stored output.
 */
class EchoedKeys {
  readonly #reads: () => boolean;
  #typed = '';
  readonly #secrets = new Set<string>();

  /** @param reads whether a foreground program reads the terminal, or may */
  constructor(reads: () => boolean) {
    this.#reads = reads;
  }

  /** Adds keys that are probably echoed. */
  add(data: string): void {
    if (this.#typed.length + data.length > MAX_CHARS) return;
    // The rest of a line belongs to the line's beginning, which was typed before a program read it.
    if ((this.#typed === '' || /[\r\n]$/.test(this.#typed)) && this.#reads()) this.#typed = '';
    else this.#typed += data;
  }

  /** The program turns echo off. */
  hides(): void {
    for (const line of this.#typed.split(/[\r\n]/)) if (line.trim().length >= MIN_CHARS) this.#secrets.add(line);
    this.#typed = '';
  }

  get secrets(): readonly string[] {
    return [...this.#secrets];
  }

  takeOut(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, '');
    return clean;
  }
}

/** How often to check whether the program reads, in ms. */
const POLL_INTERVAL_MS = 20;

type HiddenKeysOptions = {
  /** Whether a foreground program reads the terminal, or may. */
  readonly reads: () => boolean;
  /** Returns whether echo is off. */
  readonly hides: () => boolean;
  readonly write: (data: string) => void;
};

/**
 * Holds back input typed while echo is off until a program reads it. Unread input must not stay in the terminal,
 * because the shell would run it as its next line and store it in its history: it is discarded when the command ends
 * or echo is on again.
 */
class HiddenKeys {
  readonly #options: HiddenKeysOptions;
  #held = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HiddenKeysOptions) {
    this.#options = options;
  }

  /** Holds keys back; false: they may be sent at once. Ctrl-C, Ctrl-\\ and Ctrl-Z never wait. */
  hold(data: string, hidden: boolean): boolean {
    if (/[\x03\x1a\x1c]/.test(data)) {
      this.drop();
      return false;
    }
    if (this.#held === '' && (!hidden || this.#options.reads())) return false;
    this.#held += data;
    this.#timer ??= setInterval(() => this.#look(), POLL_INTERVAL_MS);
    return true;
  }

  drop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#held = '';
  }

  #look(): void {
    const held = this.#held;
    if (!this.#options.hides()) this.drop();
    else if (this.#options.reads()) {
      this.drop();
      this.#options.write(held);
    }
  }
}

const CHUNK_BYTES = 1024 * 1024;
const STAR = 0x2a;

/** Overwrites every occurrence of some texts in a file with stars, in place. Never rejects; false if it failed. */
export async function overwriteInFile(path: string, texts: readonly string[]): Promise<boolean> {
  const wanted = texts.map((text) => Buffer.from(text)).filter(({ length }) => length > 0);
  if (wanted.length === 0) return true;
  const overlap = Math.max(...wanted.map(({ length }) => length)) - 1;
  try {
    await using file = await open(path, 'r+');
    const chunk = Buffer.alloc(CHUNK_BYTES + overlap);
    for (let from = 0; ; from += CHUNK_BYTES) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, from);
      const data = chunk.subarray(0, bytesRead);
      if (starred(data, wanted)) await file.write(data, 0, bytesRead, from);
      if (bytesRead < chunk.length) return true;
    }
  } catch {
    return false;
  }
}

/** Replaces matches by stars; returns whether there were any. */
function starred(data: Buffer, wanted: readonly Buffer[]): boolean {
  let found = false;
  for (const text of wanted) {
    for (let at = data.indexOf(text); at >= 0; at = data.indexOf(text, at + text.length)) {
      data.fill(STAR, at, at + text.length);
      found = true;
    }
  }
  return found;
}
