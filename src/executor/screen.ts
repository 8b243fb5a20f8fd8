import graphemes from '@xterm/addon-unicode-graphemes';
import type { IMarker, Terminal } from '@xterm/headless';
// CommonJS without named exports that Node could see.
import headless from '@xterm/headless';
import type { LiveOutput } from '../contracts/commands.ts';
import { type CellReader, linkReader, renderLine, renderLogicalLine } from './cells.ts';
import { HeadTail } from './head-tail.ts';
import { OutputFile } from './output-file.ts';
import { OutputQueue } from './output-queue.ts';

/** Rows kept above the screen. A batch never scrolls more than this before it is harvested. */
const SCROLLBACK_ROWS = 1000;
const MAX_BATCH_BYTES = 16 * 1024;
const MAX_BATCH_LINES = 900;
/** Bytes that may wait before output is skipped or its producer paused; what is kept of a flood; a peek at it. */
const MAX_BEHIND_BYTES = 1024 * 1024;
const KEPT_BYTES = 256 * 1024;
const PEEK_BYTES = 8 * 1024;
/** While the head is not complete the producer waits instead, but not for ever: redrawing never fills a head. */
const MAX_HEAD_BYTES = 4 * 1024 * 1024;
/**
 * A flood weighs more than this in a tick (ms), once the head is complete; it is over at less than the other. More than
 * anyone reads, and a fifth of what the model can follow on a good machine.
 */
const FLOOD_TICK_MS = 100;
const MIN_FLOOD_WEIGHT = 128 * 1024;
const FLOOD_END_WEIGHT = 64 * 1024;
const LF = 0x0a;
/** Raw bytes kept in memory before a full-text file is started. */
const MAX_EARLY_BYTES = 512 * 1024;

export type ScreenOptions = {
  readonly columns: number;
  readonly rows: number;
  /** Where the full text goes if it gets too large. */
  readonly path: string;
  /** What the terminal answers to a program's query. */
  readonly onReply: (data: string) => void;
  /** Makes the producer wait, and go on. */
  readonly pause: () => void;
  readonly resume: () => void;
};

export type Output = {
  readonly head: string;
  readonly tail: string;
  readonly omittedLines: number;
  readonly bytes: number;
  readonly file?: string;
};

/**
 * A headless terminal that keeps the head and the tail of everything that scrolled through it. It follows every byte
 * until the head is complete; a flood beyond that goes to the full-text file alone, with a peek now and then, and the
 * last 256 KiB are drawn when it calms, so it ends on the true last screen.
 */
export class Screen implements LiveOutput {
  version = 0;
  bytes = 0;
  readonly #options: ScreenOptions;
  readonly #terminal: Terminal;
  readonly #reader: CellReader;
  readonly #queue = new OutputQueue();
  readonly #headTail = new HeadTail();
  readonly #listeners = new Set<() => void>();
  #early: Buffer[] | undefined = [];
  #earlyBytes = 0;
  #full: OutputFile | undefined;
  #harvested: IMarker | undefined;
  #lost = false;
  /** Writes the terminal has not taken in yet. */
  #writes = 0;
  #drained: (() => void)[] = [];
  #window = { since: 0, weight: 0 };
  /** `lost`: the model has missed some of it. */
  #flood: { readonly tick: NodeJS.Timeout; arrived: number; lost: boolean } | undefined;
  #cache: { version: number; max: number; lines: readonly string[] } | undefined;
  #disposed = false;
  #final: readonly string[] | undefined;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#terminal = new headless.Terminal({
      cols: Math.max(2, options.columns),
      rows: Math.max(1, options.rows),
      scrollback: SCROLLBACK_ROWS,
      allowProposedApi: true,
      logLevel: 'off',
    });
    this.#terminal.loadAddon(new graphemes.UnicodeGraphemesAddon());
    this.#terminal.onData(options.onReply);
    this.#reader = { scratch: this.#terminal.buffer.normal.getNullCell(), linkOf: linkReader(this.#terminal) };
    this.#harvested = this.#terminal.registerMarker(0);
  }

  /** `recorded: false` for what a full-screen program paints: it is drawn, but no text worth keeping. */
  push(data: Buffer, recorded: boolean): void {
    if (this.#disposed) return;
    this.bytes += data.length;
    if (recorded) this.#record(data);
    this.#queue.push(data);
    if (this.#flood) {
      this.#flood.arrived += weightOf(data);
      if (this.#queue.trim(KEPT_BYTES)) this.#lose();
    } else if (this.#headTail.headClosed || this.bytes > MAX_HEAD_BYTES) {
      if (this.#isFlood(weightOf(data))) this.#startFlood();
    } else if (this.#queue.bytes > MAX_BEHIND_BYTES) this.#options.pause();
    this.#pump();
  }

  lines(max: number): readonly string[] {
    if (this.#final) return this.#final.slice(-max);
    const cached = this.#cache;
    if (cached && cached.version === this.version && cached.max === max) return cached.lines;
    const buffer = this.#terminal.buffer.active;
    const lines: string[] = [];
    for (let y = buffer.length - 1; y >= 0 && lines.length < max; y -= 1) {
      const line = renderLine(buffer, y, this.#reader);
      if (line !== '' || lines.length > 0) lines.push(line);
    }
    lines.reverse();
    this.#cache = { version: this.version, max, lines };
    return lines;
  }

  get promptText(): string {
    if (this.#disposed) return '';
    const buffer = this.#terminal.buffer.active;
    return buffer.getLine(buffer.baseY + buffer.cursorY)?.translateToString(true, 0, buffer.cursorX) ?? '';
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  resize(columns: number, rows: number): void {
    if (this.#disposed) return;
    this.#terminal.resize(Math.max(2, columns), Math.max(1, rows));
    this.#changed();
  }

  /** Draws what is left, and gives the whole output: its parts and the name of the full text if they are not all. */
  async finish(): Promise<Output> {
    this.#endFlood();
    await this.#settled();
    const buffer = this.#terminal.buffer.normal;
    this.#harvest(buffer.length, true);
    const parts = this.#headTail.result(this.#lost ? (this.#full?.lines ?? 0) : 0);
    const isCut = parts.omittedLines > 0 || this.#headTail.shortened;
    if (isCut && !this.#full) this.#startFile();
    await this.#full?.close(isCut);
    const file = isCut ? this.#full?.path : undefined;
    this.#changed();
    return { ...parts, bytes: this.bytes, ...(file === undefined ? {} : { file }) };
  }

  /** Frees the terminal. The last lines stay readable. */
  dispose(): void {
    if (this.#disposed) return;
    this.#final = this.lines(this.#terminal.rows);
    this.#disposed = true;
    if (this.#flood) clearInterval(this.#flood.tick);
    void this.#full?.close(true);
    this.#terminal.dispose();
    this.#listeners.clear();
  }

  #record(data: Buffer): void {
    if (this.#full) {
      this.#full.push(data);
      if (this.#full.isFull) this.#options.pause();
      return;
    }
    this.#early?.push(data);
    this.#earlyBytes += data.length;
    if (this.#earlyBytes > MAX_EARLY_BYTES) this.#startFile();
  }

  #startFile(): void {
    this.#full = new OutputFile(this.#options.path, this.#options.resume);
    for (const chunk of this.#early ?? []) this.#full.push(chunk);
    this.#early = undefined;
  }

  #pump(): void {
    if (this.#writes > 0 || this.#disposed || this.#flood) return;
    const batch = this.#queue.take(MAX_BATCH_BYTES, MAX_BATCH_LINES);
    if (!batch) {
      for (const resolve of this.#drained.splice(0)) resolve();
      return;
    }
    if (this.#queue.bytes < MAX_BEHIND_BYTES / 2 && !this.#full?.isFull) this.#options.resume();
    this.#write(batch, () => {
      this.#harvest(this.#terminal.buffer.normal.baseY, false);
      this.#pump();
    });
  }

  #write(data: Buffer | string, then: () => void): void {
    this.#writes += 1;
    this.#terminal.write(data, () => {
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

  /** By rate, not by what waits: a slow model slows its producer down, and nothing would ever pile up. */
  #isFlood(weight: number): boolean {
    const now = performance.now();
    if (now - this.#window.since > FLOOD_TICK_MS) this.#window = { since: now, weight: 0 };
    this.#window.weight += weight;
    return this.#window.weight > MIN_FLOOD_WEIGHT;
  }

  #startFlood(): void {
    if (!this.#full) this.#startFile();
    const tick = setInterval(() => this.#floodTick(), FLOOD_TICK_MS);
    tick.unref();
    this.#flood = { tick, arrived: 0, lost: false };
    if (this.#queue.trim(KEPT_BYTES)) this.#lose();
    this.#options.resume();
  }

  /** From here the model misses something: what it has drawn is not adjacent to what it will draw. */
  #lose(): void {
    if (!this.#flood || this.#flood.lost) return;
    this.#flood.lost = true;
    this.#lost = true;
    this.#headTail.gap();
  }

  #floodTick(): void {
    const flood = this.#flood;
    if (!flood) return;
    // A burst that is over before anything was lost is drawn whole.
    if (flood.arrived < (flood.lost ? FLOOD_END_WEIGHT : MIN_FLOOD_WEIGHT)) {
      this.#endFlood();
      return;
    }
    flood.arrived = 0;
    if (this.#writes > 0) return;
    this.#lose();
    this.#write(`\x1b[0m${this.#toLineStart()}`, () => {});
    this.#write(this.#queue.peekEnd(PEEK_BYTES), () => this.#pump());
  }

  /** Draws the kept end of the flood as if nothing had been drawn since it began; all of it where nothing was lost. */
  #endFlood(): void {
    if (!this.#flood) return;
    clearInterval(this.#flood.tick);
    const { lost } = this.#flood;
    this.#flood = undefined;
    if (!lost) {
      this.#harvest(this.#terminal.buffer.normal.baseY, false);
      this.#pump();
      return;
    }
    this.#queue.startAtLine();
    this.#headTail.gap();
    this.#write(`${this.#queue.takeSticky()}\x1b[0m${this.#toLineStart()}`, () => {
      this.#harvested?.dispose();
      this.#harvested = this.#terminal.registerMarker(0);
      this.#pump();
    });
  }

  #toLineStart(): string {
    return this.#terminal.buffer.active.cursorX === 0 ? '' : '\r\n';
  }

  /** Takes the lines above `limit` that were not taken before; a line that is still being written waits. */
  #harvest(limit: number, toEnd: boolean): void {
    const buffer = this.#terminal.buffer.normal;
    if (this.#flood || (!toEnd && this.#terminal.buffer.active.type === 'alternate')) return;
    const from = this.#harvested && this.#harvested.line >= 0 ? this.#harvested.line : 0;
    let y = from;
    while (y < limit) {
      const [text, next] = renderLogicalLine(buffer, y, limit, this.#reader);
      const isOpen = !toEnd && next === limit && buffer.getLine(limit)?.isWrapped === true;
      if (isOpen && limit - y < SCROLLBACK_ROWS / 2) break;
      if (toEnd && text === '' && isBlankFrom(buffer, next)) break;
      this.#headTail.add(text);
      y = next;
    }
    if (y === from || toEnd) return;
    this.#harvested?.dispose();
    this.#harvested = this.#terminal.registerMarker(y - (buffer.baseY + buffer.cursorY));
  }

  #changed(): void {
    this.version += 1;
    for (const listener of this.#listeners) listener();
  }
}

/** A line more costs the model as much as so many bytes. */
const LINE_WEIGHT = 10;
/** Bytes looked at to see how long the lines of a chunk are. */
const SAMPLE_BYTES = 1024;

/** What it costs the model to draw this, in bytes of a long line. */
function weightOf(data: Buffer): number {
  const seen = Math.min(data.length, SAMPLE_BYTES);
  let lines = 0;
  for (let at = 0; at < seen; at += 1) if (data[at] === LF) lines += 1;
  return data.length + (LINE_WEIGHT * lines * data.length) / seen;
}

function isBlankFrom(buffer: Terminal['buffer']['normal'], y: number): boolean {
  for (let at = y; at < buffer.length; at += 1) {
    if (buffer.getLine(at)?.translateToString(true) !== '') return false;
  }
  return true;
}
