import { randomBytes } from 'node:crypto';
import { closeSync, fchmodSync, mkdirSync, openSync, unlinkSync, write } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { LineWriter } from './line-writer.ts';
import { budgetOf, type OutputBudget } from './output-budget.ts';

/** Raw bytes kept in memory before a file is started. */
const MAX_EARLY_BYTES = 512 * 1024;
/** Bytes that may wait for the disk before the child is made to wait. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Bytes that stay of the end of an output which the session has no room for. */
const MAX_END_BYTES = 1024 * 1024;

/** A name in `dataDir` that nothing has yet. */
export function newOutputPath(dataDir: string): string {
  return join(dataDir, `output-${Date.now().toString(36)}-${randomBytes(6).toString('hex')}.txt`);
}

/**
 * The full text of a large output as plain text in a private file (EX-5). Opened at the first byte; a disk that fails
 * ends it quietly, since an output must never be lost to its copy: `path` is then undefined. Where the session's budget is
 * used up the file has the beginning and the end, and between them a line with the size of what is missing.
 */
export class OutputFile {
  readonly #path: string;
  readonly #onDrained: () => void;
  readonly #writer: LineWriter;
  readonly #budget: OutputBudget | undefined;
  /** Bytes handed to the disk. */
  #bytes = 0;
  /** The last blocks of what there was no room for, and how much of it is gone. */
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
      // Already gone.
    }
  }

  /** The first block is always written: the beginning of an output. */
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
        // Made when it is needed, and again when somebody took it away: no command waits for a folder of ours.
        mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
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

/** Characters handed on in one turn of the event loop. */
const PIECE_CHARS = 512 * 1024;

/**
 * Keeps a text as a command's full output is kept: plain, in a private file of `dataDir`. Its path, or undefined where
 * the disk fails.
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

/** The nearest place at or after `at` that splits no pair of surrogates. */
function wholeCharacters(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

/** Keeps an output in memory until it is too large for that, or until it is needed as a file. */
export class OutputRecorder {
  readonly #path: string;
  readonly #onDrained: () => void;
  #early: Buffer[] = [];
  #earlyBytes = 0;
  #file: OutputFile | undefined;

  /** @param onDrained the file takes more again, after `isFull` */
  constructor(path: string, onDrained: () => void) {
    this.#path = path;
    this.#onDrained = onDrained;
  }

  get isFull(): boolean {
    return this.#file?.isFull ?? false;
  }

  /** Lines in the file; 0 while there is none. */
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

  /** Writes the rest. The file's path where it is kept and the disk did not fail. */
  async close(keep: boolean): Promise<string | undefined> {
    if (keep) this.startFile();
    await this.#file?.close(keep);
    return keep ? this.#file?.path : undefined;
  }

  /** Lets go of the file, whole or not. */
  abandon(): void {
    void this.#file?.close(true);
  }
}
