import { StringDecoder } from 'node:string_decoder';
import headless, { type IBufferNamespace, type IParser, type Terminal } from '@xterm/headless';
import type { KeyboardModes, LiveOutput, TerminalFacts } from '../contracts/commands.ts';
import { type CellReader, cellReader, renderLine } from './cells.ts';
import { find, wanted } from './find-bytes.ts';
import { UnicodeGraphemesAddon } from './graphemes.ts';
import { OutputRecorder } from './output-file.ts';
import { HeadTail, LineCollector, PlainOutput } from './output-lines.ts';

/** The rows kept above the screen. A batch never scrolls more than this before its lines are collected. */
const SCROLLBACK_ROWS = 1000;
const MAX_BATCH_BYTES = 16 * 1024;
const MAX_BATCH_LINES = 900;
/** Pending bytes before output is skipped or its producer paused; the part of a flood to keep; the size of a peek. */
const MAX_BEHIND_BYTES = 1024 * 1024;
const KEPT_BYTES = 128 * 1024;
const PEEK_BYTES = 8 * 1024;
/** While the head is incomplete the producer waits instead, up to this size: redrawing never fills a head. */
const MAX_HEAD_BYTES = 4 * 1024 * 1024;
/** The longest list of colour queries, enough for all 256. */
const MAX_ASKED_CHARS = 2000;

export type ScreenOptions = {
  readonly columns: number;
  readonly rows: number;
  /** The file for the full text if it gets too large. */
  readonly path: string;
  /** Sends the terminal's answer to a program's query. */
  readonly onReply: (data: string) => void;
  /** Returns the known facts about the user’s terminal, for programs that query it. */
  readonly facts: () => TerminalFacts;
  /** A mark of a nested shell (OSC 133), without its number. */
  readonly onNestedMark: (content: string) => void;
  /** Pauses and resumes the producer. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Whether the output comes through a pipe, where a line feed alone starts a new line. */
  readonly pipe: boolean;
};

export type Output = {
  readonly head: string;
  readonly tail: string;
  readonly omittedLines: number;
  readonly bytes: number;
  readonly file?: string;
  /** A line about the encoding, if it is not UTF-8. */
  readonly encoding?: string;
};

/** The objects needed to draw like a terminal. */
type Model = {
  readonly terminal: Terminal;
  readonly reader: CellReader;
  readonly collector: LineCollector;
  readonly kitty: KittyKeyboard;
};

/**
 * A headless terminal that keeps the head and tail of everything that scrolled through it. It is created only when an
 * output needs it; most outputs are a few plain lines. It processes every byte until the head is complete. A flood
 * after that goes only to the full-text file, with occasional peeks, and its last 256 KiB are drawn when it ends, so
 * that the final screen is right.
 */
export class Screen implements LiveOutput {
  version = 0;
  bytes = 0;
  cleared = false;
  readonly #options: ScreenOptions;
  readonly #kept = new HeadTail();
  #columns: number;
  #rows: number;
  /** Output that has needed no model so far; it is in the queue as well. */
  #plain: PlainOutput | undefined = new PlainOutput();
  #model: Model | undefined;
  readonly #recorder: OutputRecorder;
  readonly #decoder = new StringDecoder('utf8');
  readonly #encoding = new EncodingGuess();
  readonly #queue = new OutputQueue();
  readonly #meter = new FloodMeter();
  readonly #listeners = new Set<() => void>();
  #lost = false;
  /** Writes that the terminal has not processed yet. */
  #writes = 0;
  #drained: (() => void)[] = [];
  #flood: Flood | undefined;
  #fullScreen = false;
  #cache: { version: number; max: number; lines: readonly string[] } | undefined;
  #disposed = false;
  #final: readonly string[] | undefined;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#columns = Math.max(2, options.columns);
    this.#rows = Math.max(1, options.rows);
    this.#recorder = new OutputRecorder(options.path, options.resume);
  }

  /** Creates the model; the output so far is in the queue. */
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

  /**
   * Handles ED 2, ED 3 and RIS on the main screen (source: ECMA-48, xterm's control sequences), and queries that
   * xterm.js does not answer.
   */
  #extend({ parser, buffer }: Terminal): void {
    const cleared = () => {
      this.cleared ||= buffer.active.type === 'normal';
      return false;
    };
    parser.registerCsiHandler({ final: 'J' }, ([which]) => (which === 2 || which === 3 ? cleared() : false));
    parser.registerEscHandler({ final: 'c' }, cleared);
    // Colour queries, which programs use to choose their own colours. One list may contain several. Source: xterm's
    // control sequences, OSC 4, 10, 11.
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
    // XTVERSION: programs use it to choose features. Source: xterm's control sequences.
    parser.registerCsiHandler({ prefix: '>', final: 'q' }, ([which = 0]) => {
      if (which === 0) this.#options.onReply('\x1bP>|aish-tui\x1b\\');
      return true;
    });
  }

  /** `recorded: false` for output of a full-screen program, which is drawn but not kept as text. */
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
    // Measure from the first byte: output too fast for the model is a flood once the head is complete.
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

  /** Must be called at each switch: the model draws later, and must not show the screen that the program has left. */
  showFullScreen(on: boolean): void {
    this.#fullScreen = on;
    this.#changed();
  }

  /** Returns rows drawn by the model. */
  #drawn(max: number): readonly string[] {
    const { terminal, reader } = this.#withModel();
    const buffer = this.#fullScreen ? terminal.buffer.active : terminal.buffer.normal;
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

  /** Keyboard modes that the program has requested. */
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

  /** Draws the rest and returns the output: its head and tail, and the file of the full text if it is longer. */
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
    const { line: encoding } = this.#encoding;
    const more = { ...(file === undefined ? {} : { file }), ...(encoding === undefined ? {} : { encoding }) };
    return { ...parts, bytes: this.bytes, ...more };
  }

  /** Frees the terminal. Its last lines stay readable. */
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
    // The terminal would silently drop bytes that are not UTF-8.
    const text = typeof data === 'string' ? data : this.#decoder.write(data);
    if (typeof data !== 'string') this.#encoding.add(data, text);
    this.#withModel().terminal.write(text, () => {
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

  /** The model misses output from here on, so later lines are not adjacent to earlier ones. */
  #lose(flood: Flood): void {
    if (flood.lost) return;
    flood.lost = true;
    this.#lost = true;
    this.#kept.gap();
  }

  #floodTick(): void {
    const flood = this.#flood;
    if (!flood) return;
    // A burst that ended before anything was lost is drawn completely.
    if (flood.calmed()) {
      this.#endFlood();
      return;
    }
    if (this.#writes > 0) return;
    this.#lose(flood);
    this.#write(`\x1b[0m${this.#toLineStart()}`, () => {});
    this.#write(this.#queue.peekEnd(PEEK_BYTES), () => this.#pump());
  }

  /** Draws the kept end of the flood; all of it if nothing was lost. */
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

// Detects floods: output faster than anyone reads, and than a terminal model can process.

/** The period over which output is measured, in ms. */
const FLOOD_TICK_MS = 100;
/**
 * A flood exceeds the first weight per tick and ends below the second. That is more than anyone reads, and a fifth of
 * the model's speed on a good machine.
 */
const MIN_FLOOD_WEIGHT = 128 * 1024;
const FLOOD_END_WEIGHT = 64 * 1024;
/** A line costs the model as much as this many bytes. */
const LINE_WEIGHT = 10;
/** The bytes sampled to estimate the length of lines in a chunk. */
const SAMPLE_BYTES = 1024;
const LF = 0x0a;

/** Estimates the cost of drawing a chunk, in bytes of a long line. */
function weightOf(data: Buffer): number {
  const seen = Math.min(data.length, SAMPLE_BYTES);
  let lines = 0;
  for (let at = 0; at < seen; at += 1) if (data[at] === LF) lines += 1;
  return data.length + (LINE_WEIGHT * lines * data.length) / seen;
}

/**
 * Detects the start of a flood by its rate. The backlog says nothing: a slow model pauses its producer, so nothing
 * piles up.
 */
class FloodMeter {
  #since = 0;
  #weight = 0;

  /** Returns whether this chunk starts a flood. */
  begins(data: Buffer): boolean {
    const now = performance.now();
    if (now - this.#since > FLOOD_TICK_MS) {
      this.#since = now;
      this.#weight = 0;
    }
    this.#weight += weightOf(data);
    return this.#weight > MIN_FLOOD_WEIGHT;
  }
}

/** A flood in progress. */
class Flood {
  /** The model has missed a part. */
  lost = false;
  readonly #tick: NodeJS.Timeout;
  #weight = 0;

  /** @param onTick called ten times a second until `end` */
  constructor(onTick: () => void) {
    this.#tick = setInterval(onTick, FLOOD_TICK_MS).unref();
  }

  add(data: Buffer): void {
    this.#weight += weightOf(data);
  }

  /** Whether little output came since the last check. A burst without losses ends earlier. */
  calmed(): boolean {
    const weight = this.#weight;
    this.#weight = 0;
    return weight < (this.lost ? FLOOD_END_WEIGHT : MIN_FLOOD_WEIGHT);
  }

  end(): void {
    clearInterval(this.#tick);
  }
}

/** "Disambiguate escape codes", the only enhancement offered, because it needs only the names of keys. */
const OFFERED = 1;
/** The maximum stack of one program; the oldest entry is dropped. */
const MAX_PUSHED = 16;

/**
 * Keyboard modes requested with the kitty keyboard protocol, if the user's terminal supports it; otherwise queries
 * stay unanswered. Main and alternate screen have a stack each.
 * Source: kitty's documentation, “Comprehensive keyboard handling in terminals”.
 */
class KittyKeyboard {
  readonly #buffers: IBufferNamespace;
  readonly #stacks = { normal: [0], alternate: [0] };

  constructor(
    { buffer, parser }: { readonly buffer: IBufferNamespace; readonly parser: IParser },
    offered: () => boolean,
    reply: (data: string) => void,
  ) {
    this.#buffers = buffer;
    const on = (prefix: string, take: (first: number, second: number) => void) =>
      parser.registerCsiHandler({ prefix, final: 'u' }, ([first, second]) => {
        if (offered()) take(Number(first ?? 0), Number(second ?? 0));
        return true;
      });
    on('?', () => reply(`\x1b[?${this.flags}u`));
    on('>', (flags) => {
      this.#stack.push(flags & OFFERED);
      if (this.#stack.length > MAX_PUSHED) this.#stack.shift();
    });
    on('<', (count) => {
      this.#stack.splice(-Math.max(1, count));
      if (this.#stack.length === 0) this.#stack.push(0);
    });
    // 1 (the default) sets all flags, 2 adds, 3 removes.
    on('=', (flags, how) => {
      const changed = how === 2 ? this.flags | flags : how === 3 ? this.flags & ~flags : flags;
      this.#stack[this.#stack.length - 1] = changed & OFFERED;
    });
  }

  /** The active flags of the visible screen: 0 or 1. */
  get flags(): number {
    return this.#stack.at(-1) ?? 0;
  }

  get #stack(): number[] {
    return this.#stacks[this.#buffers.active.type];
  }
}

const LINE_FEED = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;

/** Modes, scroll regions, charsets and resets: the terminal must process these even in output it never draws. */
const STICKY = /\x1b\[[?!>]?[\d;]*[hlrp]|\x1bc|\x1b[()][0-9A-Za-z]|\x1b\[[3]J/g;
/** Searched as bytes, because a string would be converted for each search. */
const STICKY_BEGINS = ['\x1b[?', '\x1bc', '\x1b('].map(wanted);
const MAX_STICKY = 64;
const NOTHING = Buffer.alloc(0);

/** Output waiting for the terminal model. It can be cut to its last bytes if the model can't keep up. */
class OutputQueue {
  #chunks: Buffer[] = [];
  #first = 0;
  bytes = 0;
  #sticky: string[] = [];

  /** Takes ownership of the chunk. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.bytes += chunk.length;
  }

  /** Removes at most `most` bytes and `newlines` line ends from the front; undefined if empty. */
  take(most: number, newlines: number): Buffer | undefined {
    const chunk = this.#chunks[this.#first];
    if (!chunk) return undefined;
    let end = Math.min(most, chunk.length);
    let at = -1;
    for (let count = 0; count < newlines; count += 1) {
      at = chunk.indexOf(LINE_FEED, at + 1);
      if (at < 0 || at >= end) break;
      if (count === newlines - 1) end = at + 1;
    }
    if (end === chunk.length) this.#drop();
    else {
      this.#chunks[this.#first] = chunk.subarray(end);
      this.bytes -= end;
    }
    return chunk.subarray(0, end);
  }

  /** Drops complete chunks from the front until about `keep` bytes are left; returns whether any were dropped. */
  trim(keep: number): boolean {
    for (let dropped = false; ; dropped = true) {
      const chunk = this.#chunks[this.#first];
      if (!chunk || this.bytes - chunk.length < keep) return dropped;
      this.#remember(chunk);
      this.#drop();
      free(chunk);
    }
  }

  /** Cuts the rest so that it starts at a line (or, without lines, not inside a sequence). */
  startAtLine(): void {
    const chunk = this.#chunks[this.#first];
    if (!chunk) return;
    const at =
      [LINE_FEED, CR].map((byte) => chunk.indexOf(byte) + 1).find((place) => place > 0) ??
      Math.max(chunk.indexOf(ESC), 0);
    if (at === 0) return;
    this.#remember(chunk.subarray(0, at));
    this.#chunks[this.#first] = chunk.subarray(at);
    this.bytes -= at;
  }

  /** Returns the last bytes from a line start, without removing them. */
  peekEnd(most: number): Buffer {
    const last = this.#chunks.at(-1) ?? Buffer.alloc(0);
    const end = last.subarray(Math.max(0, last.length - most));
    return end.subarray(end.indexOf(LINE_FEED) + 1);
  }

  clear(): void {
    this.#chunks = [];
    this.#first = 0;
    this.bytes = 0;
  }

  /** Returns the mode changes in dropped output since the last call. */
  takeSticky(): string {
    return this.#sticky.splice(0).join('');
  }

  #remember(chunk: Buffer): void {
    if (chunk.indexOf(ESC) < 0) return;
    // Most floods contain only colours: a native search detects that without decoding.
    if (!STICKY_BEGINS.some((begins) => find(chunk, begins) >= 0)) return;
    this.#sticky.push(...(chunk.toString('latin1').match(STICKY) ?? []));
    if (this.#sticky.length > MAX_STICKY) this.#sticky = this.#sticky.slice(-MAX_STICKY);
  }

  #drop(): void {
    this.bytes -= this.#chunks[this.#first]?.length ?? 0;
    // Drop the reference now: chunks that survive a collection of the young generation pile up during a flood.
    this.#chunks[this.#first] = NOTHING;
    this.#first += 1;
    if (this.#first > 64) {
      this.#chunks = this.#chunks.slice(this.#first);
      this.#first = 0;
    }
  }
}

/**
 * Frees the memory of a dropped chunk at once: V8 would let 64 MB pile up first. Only if the chunk owns its memory.
 */
function free({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

// Guesses the encoding of output that is not UTF-8. Bytes that can't be decoded are drawn as U+FFFD.

/** How many bytes a guess uses. */
const GUESSED_BYTES = 16 * 1024;
/** Bytes that text never contains. */
const BINARY = /[\0-\x06\x0e-\x1a\x1c-\x1f]/;
const CHARACTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/;
const CUT_CHARACTER = /[\xe0-\xef][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{1,2}|[\xc2-\xf4]$/g;

class EncodingGuess {
  #sample = '';

  /** @param text the decoded `data` */
  add(data: Buffer, text: string): void {
    if (this.#sample.length >= GUESSED_BYTES || !text.includes('\ufffd')) return;
    this.#sample += data.toString('latin1', 0, GUESSED_BYTES);
  }

  /** One line about the encoding; undefined if everything was UTF-8, or nothing useful can be said. */
  get line(): string | undefined {
    const name = likely(this.#sample);
    return name && `its output is not UTF-8, likely ${name}: iconv -f ${name} reads it`;
  }
}

function likely(bytes: string): string | undefined {
  if (/^(?:\xff\xfe|\xfe\xff)/.test(bytes)) return 'UTF-16';
  if (BINARY.test(bytes) || CHARACTER.test(bytes)) return undefined;
  const rest = bytes.replace(CUT_CHARACTER, '');
  const runs = rest.match(/[\x80-\xff]+/g) ?? [];
  // Whole words beyond ASCII belong to another script, in one of many encodings.
  if (runs.length === 0 || runs.some((run) => run.length > 2)) return undefined;
  if (!/[\x80-\x9f]/.test(rest)) return 'LATIN1';
  // Quotes and dashes are between words, except for an apostrophe (0x92).
  return /[a-z][\x80-\x91\x93-\x9f][a-z]/i.test(rest) ? 'CP850' : 'CP1252';
}
