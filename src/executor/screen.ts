import type { Terminal } from '@xterm/headless';
// CommonJS without named exports that Node could see.
import headless from '@xterm/headless';
import type { KeyboardModes, LiveOutput, TerminalFacts } from '../contracts/commands.ts';
import { type CellReader, cellReader, renderLine } from './cells.ts';
import { Flood, FloodMeter } from './flood.ts';
import { UnicodeGraphemesAddon } from './graphemes.ts';
import { HeadTail } from './head-tail.ts';
import { KittyKeyboard } from './kitty-keyboard.ts';
import { LineCollector } from './line-collector.ts';
import { OutputRecorder } from './output-file.ts';
import { OutputQueue } from './output-queue.ts';
import { PlainOutput } from './plain-output.ts';

/** Rows kept above the screen. A batch never scrolls more than this before its lines are collected. */
const SCROLLBACK_ROWS = 1000;
const MAX_BATCH_BYTES = 16 * 1024;
const MAX_BATCH_LINES = 900;
/** Bytes that may wait before output is skipped or its producer paused; what is kept of a flood; a peek at it. */
const MAX_BEHIND_BYTES = 1024 * 1024;
const KEPT_BYTES = 128 * 1024;
const PEEK_BYTES = 8 * 1024;
/** While the head is not complete the producer waits instead, but not for ever: redrawing never fills a head. */
const MAX_HEAD_BYTES = 4 * 1024 * 1024;
/** Of one list of colours that is asked for: all 256 have room. */
const MAX_ASKED_CHARS = 2000;

export type ScreenOptions = {
  readonly columns: number;
  readonly rows: number;
  /** Where the full text goes if it gets too large. */
  readonly path: string;
  /** What the terminal answers to a program's query. */
  readonly onReply: (data: string) => void;
  /** What the user's terminal has told, for programs that ask. */
  readonly facts: () => TerminalFacts;
  /** A mark of a shell within it (OSC 133), less its number. */
  readonly onNestedMark: (content: string) => void;
  /** Pauses and resumes the producer. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** It comes over a pipe, where a line feed alone begins a line. */
  readonly pipe: boolean;
};

export type Output = {
  readonly head: string;
  readonly tail: string;
  readonly omittedLines: number;
  readonly bytes: number;
  readonly file?: string;
};

/** What is needed to draw as a terminal does. */
type Model = {
  readonly terminal: Terminal;
  readonly reader: CellReader;
  readonly collector: LineCollector;
  readonly kitty: KittyKeyboard;
};

/**
 * A headless terminal that keeps the head and the tail of everything that scrolled through it. It is made when an output
 * needs one: most are a few plain lines. It follows every byte until the head is complete; a flood beyond that goes to the full-text file alone, with a peek now and then, and the
 * last 256 KiB are drawn when it calms, so it ends on the true last screen.
 */
export class Screen implements LiveOutput {
  version = 0;
  bytes = 0;
  cleared = false;
  readonly #options: ScreenOptions;
  readonly #kept = new HeadTail();
  #columns: number;
  #rows: number;
  /** What came while no model was needed; it waits in the queue as well. */
  #plain: PlainOutput | undefined = new PlainOutput();
  #model: Model | undefined;
  readonly #recorder: OutputRecorder;
  readonly #queue = new OutputQueue();
  readonly #meter = new FloodMeter();
  readonly #listeners = new Set<() => void>();
  #lost = false;
  /** Writes the terminal has not taken in yet. */
  #writes = 0;
  #drained: (() => void)[] = [];
  #flood: Flood | undefined;
  #cache: { version: number; max: number; lines: readonly string[] } | undefined;
  #disposed = false;
  #final: readonly string[] | undefined;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#columns = Math.max(2, options.columns);
    this.#rows = Math.max(1, options.rows);
    this.#recorder = new OutputRecorder(options.path, options.resume);
  }

  /** From here on the model draws; what came so far is in the queue. */
  #withModel(): Model {
    if (this.#model) return this.#model;
    this.#plain = undefined;
    const terminal = new headless.Terminal({
      cols: this.#columns,
      rows: this.#rows,
      scrollback: SCROLLBACK_ROWS,
      convertEol: this.#options.pipe,
      allowProposedApi: true,
      logLevel: 'off',
    });
    terminal.loadAddon(new UnicodeGraphemesAddon());
    terminal.onData(this.#options.onReply);
    this.#extend(terminal);
    const { onReply, facts } = this.#options;
    const kitty = new KittyKeyboard(terminal, () => facts().kitty, onReply);
    const reader = cellReader(terminal);
    const collector = new LineCollector(terminal, reader, this.#kept, SCROLLBACK_ROWS / 2);
    this.#model = { terminal, reader, collector, kitty };
    return this.#model;
  }

  /** ED 2, ED 3 and RIS on the main screen (source: ECMA-48, xterm's control sequences); and what xterm.js does not answer. */
  #extend({ parser, buffer }: Terminal): void {
    const cleared = () => {
      this.cleared ||= buffer.active.type === 'normal';
      return false;
    };
    parser.registerCsiHandler({ final: 'J' }, ([which]) => (which === 2 || which === 3 ? cleared() : false));
    parser.registerEscHandler({ final: 'c' }, cleared);
    // What a program asks for to choose its own. One list asks for several. Source: xterm's control sequences, OSC 4, 10, 11.
    const colour = (key: string) => {
      const known = this.#options.facts().colours[key];
      if (known !== undefined) this.#options.onReply(`\x1b]${key};${known}\x1b\\`);
    };
    for (const first of [10, 11])
      parser.registerOscHandler(first, (content) => {
        for (const [at, asked] of content.slice(0, MAX_ASKED_CHARS).split(';', 2).entries())
          if (asked === '?' && first + at <= 11) colour(String(first + at));
        return true;
      });
    parser.registerOscHandler(4, (content) => {
      for (const [, number = ''] of content.slice(0, MAX_ASKED_CHARS).matchAll(/(\d{1,3});\?(?:;|$)/g))
        colour(`4;${Number(number)}`);
      return true;
    });
    parser.registerOscHandler(133, (content) => {
      this.#options.onNestedMark(content);
      return true;
    });
    // XTVERSION: programs choose by it what they may use. Source: xterm's control sequences.
    parser.registerCsiHandler({ prefix: '>', final: 'q' }, ([which = 0]) => {
      if (which === 0) this.#options.onReply('\x1bP>|aish-tui\x1b\\');
      return true;
    });
  }

  /** `recorded: false` for what a full-screen program paints: it is drawn, but no text worth keeping. */
  push(data: Buffer, recorded: boolean): void {
    if (this.#disposed) return;
    this.bytes += data.length;
    if (recorded) {
      this.#recorder.push(data);
      if (this.#recorder.isFull) this.#options.pause();
    }
    this.#queue.push(data);
    if (this.#plain?.take(data)) {
      this.#changed();
      return;
    }
    this.#withModel();
    // From the first byte on: what comes too fast for the model is a flood as soon as the head is complete.
    const isFast = !this.#flood && this.#meter.begins(data);
    if (this.#flood) {
      this.#flood.add(data);
      if (this.#queue.trim(KEPT_BYTES)) this.#lose(this.#flood);
    } else if (this.#kept.headClosed || this.bytes > MAX_HEAD_BYTES) {
      if (isFast) this.#startFlood();
    } else if (this.#queue.bytes > MAX_BEHIND_BYTES) this.#options.pause();
    this.#pump();
  }

  lines(max: number): readonly string[] {
    if (this.#final) return this.#final.slice(-max);
    const cached = this.#cache;
    if (cached && cached.version === this.version && cached.max === max) return cached.lines;
    const lines = this.#plain?.rows(this.#columns, max) ?? this.#drawn(max);
    this.#cache = { version: this.version, max, lines };
    return lines;
  }

  /** Rows of the model. */
  #drawn(max: number): readonly string[] {
    const { terminal, reader } = this.#withModel();
    const buffer = terminal.buffer.active;
    const lines: string[] = [];
    for (let y = buffer.length - 1; y >= 0 && lines.length < max; y -= 1) {
      const line = renderLine(buffer, y, reader);
      if (line !== '' || lines.length > 0) lines.push(line);
    }
    return lines.reverse();
  }

  get promptText(): string {
    if (this.#disposed) return '';
    if (this.#plain) return this.#plain.lastRow(this.#columns);
    const { buffer: buffers } = this.#withModel().terminal;
    const buffer = buffers.active;
    return buffer.getLine(buffer.baseY + buffer.cursorY)?.translateToString(true, 0, buffer.cursorX) ?? '';
  }

  /** What the program has asked for of the keyboard. */
  get keyboard(): KeyboardModes {
    const modes = this.#disposed ? undefined : this.#model?.terminal.modes;
    return {
      disambiguates: modes !== undefined && this.#model?.kitty.flags === 1,
      applicationCursor: modes?.applicationCursorKeysMode ?? false,
      bracketsPastes: modes?.bracketedPasteMode ?? false,
    };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  resize(columns: number, rows: number): void {
    if (this.#disposed) return;
    this.#columns = Math.max(2, columns);
    this.#rows = Math.max(1, rows);
    this.#model?.terminal.resize(this.#columns, this.#rows);
    this.#changed();
  }

  /** Draws what is left, and returns the output: its parts, and the file of the full text if they are not all of it. */
  async finish(): Promise<Output> {
    if (this.#plain) for (const line of this.#plain.lines()) this.#kept.add(line);
    else {
      this.#endFlood();
      await this.#settled();
      this.#model?.collector.takeRest();
    }
    const kept = this.#kept;
    const parts = kept.result(this.#lost ? this.#recorder.lines : 0);
    const file = await this.#recorder.close(parts.omittedLines > 0 || kept.shortened);
    this.#changed();
    return { ...parts, bytes: this.bytes, ...(file === undefined ? {} : { file }) };
  }

  /** Frees the terminal. The last lines stay readable. */
  dispose(): void {
    if (this.#disposed) return;
    this.#final = this.lines(this.#rows);
    this.#disposed = true;
    this.#flood?.end();
    this.#recorder.abandon();
    this.#model?.terminal.dispose();
    this.#queue.clear();
    this.#plain = undefined;
    this.#listeners.clear();
  }

  #pump(): void {
    if (this.#writes > 0 || this.#disposed || this.#flood) return;
    const batch = this.#queue.take(MAX_BATCH_BYTES, MAX_BATCH_LINES);
    if (!batch) {
      for (const resolve of this.#drained.splice(0)) resolve();
      return;
    }
    if (this.#queue.bytes < MAX_BEHIND_BYTES / 2 && !this.#recorder.isFull) this.#options.resume();
    this.#write(batch, () => {
      if (!this.#flood) this.#withModel().collector.takeScrolled();
      this.#pump();
    });
  }

  #write(data: Buffer | string, then: () => void): void {
    this.#writes += 1;
    this.#withModel().terminal.write(data, () => {
      this.#writes -= 1;
      if (this.#disposed) return;
      then();
      this.#changed();
    });
  }

  #settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained.push(resolve);
      this.#pump();
    });
  }

  #startFlood(): void {
    this.#recorder.startFile();
    this.#flood = new Flood(() => this.#floodTick());
    if (this.#queue.trim(KEPT_BYTES)) this.#lose(this.#flood);
    this.#options.resume();
  }

  /** From here the model misses something: what it has drawn is not adjacent to what it will draw. */
  #lose(flood: Flood): void {
    if (flood.lost) return;
    flood.lost = true;
    this.#lost = true;
    this.#kept.gap();
  }

  #floodTick(): void {
    const flood = this.#flood;
    if (!flood) return;
    // A burst that is over before anything was lost is drawn whole.
    if (flood.calmed()) {
      this.#endFlood();
      return;
    }
    if (this.#writes > 0) return;
    this.#lose(flood);
    this.#write(`\x1b[0m${this.#toLineStart()}`, () => {});
    this.#write(this.#queue.peekEnd(PEEK_BYTES), () => this.#pump());
  }

  /** Draws the kept end of the flood as if nothing had been drawn since it began; all of it where nothing was lost. */
  #endFlood(): void {
    const flood = this.#flood;
    if (!flood) return;
    flood.end();
    this.#flood = undefined;
    if (!flood.lost) {
      this.#withModel().collector.takeScrolled();
      this.#pump();
      return;
    }
    this.#queue.startAtLine();
    this.#kept.gap();
    this.#write(`${this.#queue.takeSticky()}\x1b[0m${this.#toLineStart()}`, () => {
      this.#withModel().collector.skipToCursor();
      this.#pump();
    });
  }

  #toLineStart(): string {
    return this.#withModel().terminal.buffer.active.cursorX === 0 ? '' : '\r\n';
  }

  #changed(): void {
    this.version += 1;
    for (const listener of this.#listeners) listener();
  }
}
