import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

const RETRY_MS = 5;

/** The writing end of the FIFO a shell reads its command lines from. */
export class CommandPipe {
  readonly #fd: number;
  #waiting: Buffer = Buffer.alloc(0);
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  /** Makes the FIFO at `path`. Rejects where there can be none (a file system without them). */
  static async create(path: string): Promise<CommandPipe> {
    await promisify(execFile)('mkfifo', ['-m', '600', path]);
    // Read and write: opening does not wait for a reader, and a reader that goes does not break it.
    return new CommandPipe(openSync(path, constants.O_RDWR | constants.O_NONBLOCK));
  }

  write(text: string): void {
    this.#waiting = Buffer.concat([this.#waiting, Buffer.from(text)]);
    this.#flush();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    closeSync(this.#fd);
  }

  #flush(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    try {
      while (this.#waiting.length > 0) this.#waiting = this.#waiting.subarray(writeSync(this.#fd, this.#waiting));
    } catch {
      // Full (EAGAIN): the shell reads on when it has run what it has.
      this.#timer = setTimeout(() => this.#flush(), RETRY_MS);
    }
  }
}
