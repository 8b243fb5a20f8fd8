import { randomBytes } from 'node:crypto';
import { closeSync, fchmodSync, openSync, unlinkSync, write } from 'node:fs';
import { join } from 'node:path';
import { LineWriter } from './line-writer.ts';

/** Bytes that may wait for the disk before the child is made to wait. */
const MOST_WAITING = 1024 * 1024;

/** A name in `dataDir` that nothing has yet. */
export function newOutputPath(dataDir: string): string {
  return join(dataDir, `output-${Date.now().toString(36)}-${randomBytes(6).toString('hex')}.txt`);
}

/**
 * The full text of a large output as plain text in a private file (EX-5). Opened at the first byte; a disk that fails
 * ends it quietly, since an output must never be lost to its copy: `path` is then undefined.
 */
export class FullText {
  readonly #path: string;
  readonly #onDrained: () => void;
  readonly #writer: LineWriter;
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
    this.#writer = new LineWriter((block) => this.#enqueue(block));
  }

  get lines(): number {
    return this.#writer.lines;
  }

  get path(): string | undefined {
    return this.#failed || this.#fd === undefined ? undefined : this.#path;
  }

  get isFull(): boolean {
    return this.#waitingBytes > MOST_WAITING;
  }

  push(data: Buffer): void {
    this.#writer.push(data);
  }

  /** Writes the rest and closes. `keep: false` removes the file again. */
  async close(keep: boolean): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#writer.end();
    if (this.#writing) await new Promise<void>((resolve) => this.#idle.push(resolve));
    const fd = this.#fd;
    if (fd === undefined) return;
    closeSync(fd);
    if (keep && !this.#failed) return;
    this.#fd = undefined;
    try {
      unlinkSync(this.#path);
    } catch {
      // Already gone.
    }
  }

  #enqueue(block: Buffer): void {
    if (this.#failed) return;
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
