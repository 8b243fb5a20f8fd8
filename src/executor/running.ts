import { open } from 'node:fs/promises';
import type { KeyboardModes, LiveOutput, NestedShell, RunningCommand, TerminalFacts } from '../contracts/commands.ts';
import type { CommandResult } from '../session/action.ts';
import { AlternateScreen, PassthroughFilter } from './full-screen-output.ts';
import { newOutputPath } from './output-file.ts';
import { Screen } from './screen.ts';
import { NestedMarks } from './shell-integration/marks.ts';
import { anyoneReads, InputDetector, type TerminalModes } from './terminal-state.ts';
import { Typeahead } from './typeahead.ts';

/** Bytes of a full-screen program kept for a listener that takes the terminal over after it has begun to paint. */
const MAX_REPLAY_BYTES = 1024 * 1024;
/** Questions to the terminal in a replay: they were meant for a moment that has passed. */
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
  /** It has a terminal of its own, which is not in front of the user. */
  readonly behind?: true;
  /** There is no terminal: nobody can ask anything, and nothing can be typed. */
  readonly pipe?: true;
  /** Takes unread input out of a terminal that outlasts the command. */
  readonly takeInput?: () => Promise<string>;
  /** Its terminal is elsewhere, and only this tells its modes. */
  readonly modes?: () => Promise<TerminalModes>;
  /** A line editor has read it by then. */
  readonly edited?: () => boolean;
};

export type RunOptions = {
  readonly columns: number;
  readonly rows: number;
  readonly dataDir: string;
  /** What a program is told that asks about the user's terminal; nothing of what is not known. */
  readonly facts?: (() => TerminalFacts) | undefined;
};

const NO_FACTS: TerminalFacts = { colours: {}, kitty: false };

/** The one implementation: fed by a shell or a process of its own, which also tells its end. */
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
  /** Answers to what was asked of the terminal. */
  readonly #replies: HiddenKeys;
  readonly #echoed: EchoedKeys;
  readonly #nested = new NestedMarks();
  #began = performance.now();
  #ended = false;
  /** Keys that came before it began: the shell throws away what it finds at the start of a line. */
  #early: string[] | undefined = [];
  #resolve: (result: CommandResult) => void = () => {};

  constructor(options: RunOptions, control: Control) {
    this.#control = control;
    this.#typeahead =
      control.takeInput && new Typeahead(control.slave, control.takeInput, control.edited ?? (() => false));
    // What is elsewhere can't be seen to read: its keys are not kept back.
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
        // To a program that waits for it; whoever else would read it later takes it for keys.
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
    this.#typeahead?.add(data, this.#hidesKeys);
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

  /** The clock starts: for a command that had to wait its turn. */
  begin(): void {
    this.#began = performance.now();
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const keys of early) this.write(keys);
    this.#inputDetector.activity();
  }

  /** Output of the command, as it came. */
  feed(data: Buffer): void {
    if (this.#ended) return;
    const before = this.#alternateScreen.fullScreen;
    for (const piece of this.#alternateScreen.split(data)) {
      if (piece.fullScreen) this.#handOver(piece.data);
      this.#screen.push(piece.data, !piece.fullScreen);
    }
    if (before !== this.#alternateScreen.fullScreen) this.#modesChanged();
    this.#inputDetector.activity();
  }

  /** The command is over. `exit` null: its code is not known. Idempotent. */
  async end(exit: number | null, cwd: string, note?: string, began?: false): Promise<void> {
    if (this.#ended) return;
    const milliseconds = Math.round(performance.now() - this.#began);
    const rest = this.#alternateScreen.rest();
    if (rest) this.#screen.push(rest, !this.#alternateScreen.fullScreen);
    this.#hidden.drop();
    this.#replies.drop();
    this.#typeahead?.end(this.#hidesKeys);
    for (const keys of this.#early ?? []) this.#typeahead?.add(keys, false);
    const hadModes = this.fullScreen || this.asks;
    this.#ended = true;
    this.#inputDetector.end();
    if (hadModes) this.#modesChanged();
    const output = await this.#screen.finish();
    this.#screen.dispose();
    this.#modeListeners.clear();
    this.#rawListeners.clear();
    this.#replay = [];
    // What can't be cleaned is not offered to anybody.
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

/** Kept of what is typed ahead. */
const MAX_CHARS = 1000;
/** Anything shorter would take more out of an output than it hides. */
const MIN_CHARS = 3;

/**
 * What is typed before a program reads is echoed by the terminal. Where the program then hides what is typed, that was
 * a password, most likely, typed too early: it is taken out of what is kept of the output.
 */
class EchoedKeys {
  readonly #reads: () => boolean;
  #typed = '';
  readonly #secrets = new Set<string>();

  /** @param reads somebody in front of the terminal reads it, or may */
  constructor(reads: () => boolean) {
    this.#reads = reads;
  }

  /** Keys that are echoed, most likely. */
  add(data: string): void {
    if (this.#typed.length + data.length > MAX_CHARS) return;
    // Of a line that has begun before anyone reads, the rest belongs to it.
    if ((this.#typed === '' || /[\r\n]$/.test(this.#typed)) && this.#reads()) this.#typed = '';
    else this.#typed += data;
  }

  /** The program hides what is typed. */
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

/** How often it is looked whether the program reads. Ms. */
const POLL_INTERVAL_MS = 20;

type HiddenKeysOptions = {
  /** Somebody in front of the terminal reads it, or may. */
  readonly reads: () => boolean;
  /** Typing is not shown. */
  readonly hides: () => boolean;
  readonly write: (data: string) => void;
};

/**
 * What is typed while typing is hidden waits until a program reads. What none reads must not stay in the terminal,
 * where the shell would take it for its next line, and keep it in its history: it is thrown away with the command's
 * end, or once typing is shown again.
 */
class HiddenKeys {
  readonly #options: HiddenKeysOptions;
  #held = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HiddenKeysOptions) {
    this.#options = options;
  }

  /** Takes keys that must wait; false: they may go at once. Ctrl-C, Ctrl-\\ and Ctrl-Z never wait. */
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

/**
 * Writes stars over every occurrence of some texts in a file, in place: nothing of them stays on the disk. Never
 * rejects; false where it could not be done.
 */
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

/** Whether anything was found, and is stars now. */
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
