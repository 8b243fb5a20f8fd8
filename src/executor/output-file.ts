import { randomBytes } from 'node:crypto';
import { closeSync, fchmodSync, openSync, readdirSync, statSync, unlinkSync, write } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { BROKEN, COMMAND, ESC, ESCAPE, LF, nextState, TEXT } from '../text/escape-sequences.ts';
import { makeDirectory } from '../text/files.ts';

/** Raw bytes to keep in memory before a file is created. */
const MAX_EARLY_BYTES = 512 * 1024;
/** Bytes that may wait for the disk before the command is paused. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Bytes kept of the end of an output that exceeds the session's budget. */
const MAX_END_BYTES = 1024 * 1024;

/** Returns an unused file name in `dataDir`. */
export function newOutputPath(dataDir: string): string {
  return join(dataDir, `output-${Date.now().toString(36)}-${randomBytes(6).toString('hex')}.txt`);
}

/**
 * Writes the full text of a large output to a private file (EX-5), opened at the first byte. A disk error stops it
 * silently, since the output itself must not be lost: `path` is then undefined. If the session's budget is used up,
 * the file contains the beginning, a line with the size of the gap, and the end.
 */
export class OutputFile {
  readonly #path: string;
  readonly #onDrained: () => void;
  readonly #writer: LineWriter;
  readonly #budget: OutputBudget | undefined;
  /** The number of bytes passed to the disk. */
  #bytes = 0;
  /** The last blocks that exceeded the budget, and how many bytes were dropped. */
  #end: Buffer[] | undefined;
  #omittedBytes = 0;
  #fd: number | undefined;
  #failed = false;
  #closed = false;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #writing = false;
  #idle: (() => void)[] = [];

  constructor(path: string, onDrained: () => void) {
    this.#path = path;
    this.#onDrained = onDrained;
    this.#writer = new LineWriter((block) => this.#take(block));
    this.#budget = budgetOf(dirname(path));
  }

  get lines(): number {
    return this.#writer.lines;
  }

  get path(): string | undefined {
    return this.#failed || this.#fd === undefined ? undefined : this.#path;
  }

  get isFull(): boolean {
    return this.#waitingBytes > MAX_WAITING_BYTES;
  }

  push(data: Buffer): void {
    this.#writer.push(data);
  }

  /** Writes the rest and closes. `keep: false` removes the file again. */
  async close(keep: boolean): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#writer.end();
    if (keep) this.#writeEnd();
    if (this.#writing) await new Promise<void>((resolve) => this.#idle.push(resolve));
    const fd = this.#fd;
    if (fd === undefined) return;
    closeSync(fd);
    if (keep && !this.#failed) return;
    this.#fd = undefined;
    this.#budget?.use(-this.#bytes);
    try {
      unlinkSync(this.#path);
    } catch {
      // The file has already been removed.
    }
  }

  /** Always write the first block, the beginning of the output. */
  #take(block: Buffer): void {
    if (this.#end === undefined && (this.#bytes === 0 || (this.#budget?.take(block.length) ?? true))) {
      if (this.#bytes === 0) this.#budget?.use(block.length);
      return this.#enqueue(block);
    }
    this.#end ??= [];
    this.#end.push(block);
    let bytes = this.#end.reduce((sum, { length }) => sum + length, 0);
    for (let first = this.#end[0]; first && bytes - first.length >= MAX_END_BYTES; first = this.#end[0]) {
      this.#end.shift();
      bytes -= first.length;
      this.#omittedBytes += first.length;
      this.#writer.recycle(first);
    }
  }

  #writeEnd(): void {
    const mark = `\n[${this.#omittedBytes} bytes are missing here: the saved outputs of this session take all the room they have, disk.session_mb]\n`;
    const end = this.#omittedBytes > 0 ? [Buffer.from(mark), ...(this.#end ?? [])] : (this.#end ?? []);
    this.#end = undefined;
    for (const block of end) {
      this.#budget?.use(block.length);
      this.#enqueue(block);
    }
  }

  #enqueue(block: Buffer): void {
    if (this.#failed) return;
    this.#bytes += block.length;
    this.#waiting.push(block);
    this.#waitingBytes += block.length;
    this.#next();
  }

  #next(): void {
    if (this.#writing) return;
    const block = this.#waiting.shift();
    if (!block) return;
    try {
      if (this.#fd === undefined) {
        // The directory is created on demand, also if somebody has removed it.
        makeDirectory(dirname(this.#path));
        this.#fd = openSync(this.#path, 'wx', 0o600);
        fchmodSync(this.#fd, 0o600);
      }
    } catch {
      this.#fail();
      return;
    }
    this.#writing = true;
    this.#writeAll(this.#fd, block, 0);
  }

  #writeAll(fd: number, block: Buffer, from: number): void {
    write(fd, block, from, block.length - from, null, (error, written) => {
      if (!error && from + written < block.length) {
        this.#writeAll(fd, block, from + written);
        return;
      }
      this.#writing = false;
      const wasFull = this.isFull;
      this.#waitingBytes -= block.length;
      if (error) this.#fail();
      else this.#writer.recycle(block);
      if (wasFull && !this.isFull) this.#onDrained();
      this.#next();
      if (!this.#writing) for (const resolve of this.#idle.splice(0)) resolve();
    });
  }

  #fail(): void {
    this.#failed = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#onDrained();
  }
}

/** Characters per turn of the event loop. */
const PIECE_CHARS = 512 * 1024;

/**
 * Saves a text in a private file of `dataDir`, like a command's full output. Returns its path, or undefined on a disk
 * error.
 */
export async function saveOutput(dataDir: string, text: string): Promise<string | undefined> {
  const file = new OutputFile(newOutputPath(dataDir), () => {});
  for (let at = 0; at < text.length; ) {
    const end = wholeCharacters(text, at + PIECE_CHARS);
    file.push(Buffer.from(text.slice(at, end)));
    at = end;
    await turn();
  }
  await file.close(true);
  return file.path;
}

/** Returns the nearest index at or after `at` that does not split a surrogate pair. */
function wholeCharacters(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

/** Keeps an output in memory until it becomes too large or a file is needed. */
export class OutputRecorder {
  readonly #path: string;
  readonly #onDrained: () => void;
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #file: OutputFile | undefined;

  /** @param onDrained called when the file accepts data again after `isFull` */
  constructor(path: string, onDrained: () => void) {
    this.#path = path;
    this.#onDrained = onDrained;
  }

  get isFull(): boolean {
    return this.#file?.isFull ?? false;
  }

  /** The number of lines in the file; 0 without a file. */
  get lines(): number {
    return this.#file?.lines ?? 0;
  }

  push(data: Buffer): void {
    if (this.#file) {
      this.#file.push(data);
      return;
    }
    this.#early.push(data);
    this.#earlyBytes += data.length;
    if (this.#earlyBytes > MAX_EARLY_BYTES) this.startFile();
  }

  startFile(): void {
    if (this.#file) return;
    this.#file = new OutputFile(this.#path, this.#onDrained);
    for (const chunk of this.#early) this.#file.push(chunk);
    this.#early = [];
  }

  /** Writes the rest. Returns the path if the file is kept and no disk error occurred. */
  async close(keep: boolean): Promise<string | undefined> {
    if (keep) this.startFile();
    await this.#file?.close(keep);
    return keep ? this.#file?.path : undefined;
  }

  /** Releases the file, complete or not. */
  abandon(): void {
    void this.#file?.close(true);
  }
}

/** The size of one block, in bytes. */
const BLOCK_BYTES = 256 * 1024;
const MAX_SPARE_BLOCKS = 6;
const CR = 0x0d;
const BS = 0x08;
const TAB = 0x09;

/**
 * Converts terminal output to plain text at full speed. Escape sequences are dropped; after a bare CR a line keeps its
 * last version; BS removes a character. Cursor movement is ignored: the rendered head and tail are exact, and this file
 * covers the output between them.
 */
export class LineWriter {
  readonly #emit: (block: Buffer) => void;
  #block: Buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  /** The start of the current line in the block, and the end of its text. */
  #line = 0;
  #length = 0;
  #state = TEXT;
  #returned = false;
  #spare: Buffer[] = [];
  lines = 0;

  constructor(emit: (block: Buffer) => void) {
    this.#emit = emit;
  }

  /** Returns a written block for reuse. */
  recycle(block: Buffer): void {
    if (this.#spare.length < MAX_SPARE_BLOCKS && block.buffer.byteLength >= BLOCK_BYTES) {
      this.#spare.push(Buffer.from(block.buffer, block.byteOffset, BLOCK_BYTES));
    }
  }

  push(data: Buffer): void {
    for (let at = 0; at < data.length; at += BLOCK_BYTES >> 2)
      this.#consume(data, at, Math.min(at + (BLOCK_BYTES >> 2), data.length));
  }

  end(): void {
    if (this.#length > this.#line) this.lines += 1;
    this.#line = this.#length;
    this.#hand();
  }

  #consume(data: Buffer, start: number, end: number): void {
    if (this.#length + (end - start) > BLOCK_BYTES) this.#hand();
    const block = this.#block;
    let length = this.#length;
    let state = this.#state;
    for (let at = start; at < end; at += 1) {
      const byte = data[at] as number;
      if (state === TEXT) {
        if (byte >= 0x20 && byte !== 0x7f) {
          if (this.#returned) {
            this.#returned = false;
            length = this.#line;
          }
          block[length] = byte;
          length += 1;
          if (byte >= 0x80) length -= hiddenTail(block, this.#line, length);
          const run = copyPlain(data, at + 1, end, block, length);
          at += run;
          length += run;
        } else if (byte === LF) {
          this.#returned = false;
          block[length] = LF;
          length += 1;
          this.#line = length;
          this.lines += 1;
        } else if (byte === ESC) state = ESCAPE;
        else if (byte === CR) this.#returned = true;
        else if (byte === TAB) {
          block[length] = TAB;
          length += 1;
        } else if (byte === BS) length = before(block, this.#line, length);
      } else {
        // An unterminated string must not swallow more than its line.
        state = byte === LF && state >= COMMAND ? BROKEN : nextState(state, byte);
        if (state === BROKEN) {
          state = TEXT;
          at -= 1;
        }
      }
    }
    this.#length = length;
    this.#state = state;
  }

  /**
   * Passes on all complete lines (or everything, if one line fills the block) and starts a new block with the rest.
   */
  #hand(): void {
    const cut = this.#length - this.#line > BLOCK_BYTES >> 1 ? this.#length : this.#line;
    if (cut === 0) return;
    const old = this.#block;
    const next = this.#spare.pop() ?? Buffer.allocUnsafe(BLOCK_BYTES);
    old.copy(next, 0, cut, this.#length);
    this.#emit(old.subarray(0, cut));
    this.#block = next;
    this.#length -= cut;
    this.#line = 0;
  }
}

/** Copies leading printable ASCII and returns its length. A tight loop, because most of a flood is such text. */
function copyPlain(from: Buffer, start: number, end: number, to: Buffer, length: number): number {
  let at = start;
  for (; at < end; at += 1) {
    const byte = from[at] as number;
    if (byte < 0x20 || byte >= 0x7f) break;
    to[length + at - start] = byte;
  }
  return at - start;
}

/** Returns the position one UTF-8 character back. */
function before(block: Buffer, line: number, length: number): number {
  let at = length - 1;
  while (at > line && ((block[at] as number) & 0xc0) === 0x80) at -= 1;
  return Math.max(at, line);
}

/** Returns the UTF-8 length of a C1 or bidi control that ends at `length`, else 0. */
function hiddenTail(block: Buffer, line: number, length: number): number {
  const last = block[length - 1] as number;
  if (length - line >= 2 && block[length - 2] === 0xc2 && last <= 0x9f) return 2;
  if (length - line < 3 || block[length - 3] !== 0xe2) return 0;
  const middle = block[length - 2];
  if (middle === 0x80 && ((last >= 0xaa && last <= 0xae) || last === 0x8e || last === 0x8f)) return 3;
  return middle === 0x81 && last >= 0xa0 && last <= 0xaf ? 3 : 0;
}

// Disk budgets for the saved outputs of a session (RE-7).

const budgets = new Map<string, OutputBudget>();

/** Limits the outputs saved in a folder; `onFull` is called once, when the first one has to be cut. */
export function limitOutputs(folder: string, maxBytes: number, onFull: () => void): void {
  budgets.set(folder, new OutputBudget(folder, maxBytes, onFull));
}

function budgetOf(folder: string): OutputBudget | undefined {
  return budgets.get(folder);
}

class OutputBudget {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #onFull: () => void;
  /** The bytes in use, measured at the first request: a resumed session already has files. */
  #used: number | undefined;
  #full = false;

  constructor(folder: string, maxBytes: number, onFull: () => void) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#onFull = onFull;
  }

  /** Reserves bytes if they fit; returns whether they did. */
  take(bytes: number): boolean {
    const fits = this.#sum() + bytes <= this.#maxBytes;
    if (fits) this.use(bytes);
    else if (!this.#full) {
      this.#full = true;
      this.#onFull();
    }
    return fits;
  }

  /** Counts bytes that are written anyway; negative when a file is removed. */
  use(bytes: number): void {
    this.#used = this.#sum() + bytes;
  }

  #sum(): number {
    this.#used ??= bytesIn(this.#folder);
    return this.#used;
  }
}

function bytesIn(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  } catch {
    return 0;
  }
}
