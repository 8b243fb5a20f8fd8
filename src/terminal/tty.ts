/** The two ends of a tty: written to whatever happens, raw and listened to only while it is ours. */
import { writeSync } from 'node:fs';

/** The parts of a tty that are used; `process.stdin` and `process.stdout` have them. */
export type TtyInput = NodeJS.ReadableStream & {
  setRawMode?(mode: boolean): unknown;
  ref?(): unknown;
  unref?(): unknown;
};
export type TtyOutput = NodeJS.WritableStream & { fd?: number };

export class Tty {
  readonly #input: TtyInput;
  readonly #output: TtyOutput;
  readonly #receive: (chunk: Uint8Array | string) => void;

  constructor(input: TtyInput, output: TtyOutput, receive: (chunk: Uint8Array | string) => void) {
    this.#input = input;
    this.#output = output;
    this.#receive = receive;
  }

  /** Synchronous, so that it also works while the process dies; a full or dead terminal must not stop the rest. */
  write(text: string): void {
    const { fd } = this.#output;
    if (fd === undefined) {
      this.#output.write(text);
      return;
    }
    let rest = Buffer.from(text);
    for (let tries = 0; rest.length > 0 && tries < 1000; tries++) {
      try {
        rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return;
      }
    }
  }

  take(): void {
    // libuv remembers the mode it set last and skips a second set; after a stop the shell has changed it meanwhile.
    this.#raw(false);
    this.#raw(true);
    this.#input.ref?.();
    this.ignore();
    this.#input.on('data', this.#receive);
    this.#input.resume();
  }

  letGo(): void {
    this.ignore();
    this.#input.pause();
    this.#input.unref?.();
    this.#raw(false);
  }

  /** Input is ignored until `take`. */
  ignore(): void {
    this.#input.removeListener('data', this.#receive);
  }

  #raw(on: boolean): void {
    try {
      this.#input.setRawMode?.(on);
    } catch {
      // The terminal is gone; there is nothing left to restore.
    }
  }
}
