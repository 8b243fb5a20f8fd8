/** The two ends of a tty: output is always written; input is raw and read only while the terminal is ours. */
import { writeSync } from 'node:fs';

/** The parts of a tty that this program uses; `process.stdin` and `process.stdout` have them. */
export type TtyInput = NodeJS.ReadableStream & {
  setRawMode?(mode: boolean): unknown;
  ref?(): unknown;
  unref?(): unknown;
};
export type TtyOutput = NodeJS.WritableStream & { fd?: number };

export class Tty {
  readonly #input: TtyInput;
  readonly #output: TtyOutput;
  readonly #receive: (chunk: Uint8Array) => void;

  constructor(input: TtyInput, output: TtyOutput, receive: (chunk: Uint8Array) => void) {
    this.#input = input;
    this.#output = output;
    this.#receive = receive;
  }

  /**
   * Writes synchronously, so that it also works while the process dies. A full or dead terminal must not stop the rest.
   */
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
    // libuv does not set a mode again that it set last; after a stop the shell has changed the mode, so another mode is
    // set first.
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

  /** Ignores input until `take`. */
  ignore(): void {
    this.#input.removeListener('data', this.#receive);
  }

  #raw(on: boolean): void {
    try {
      this.#input.setRawMode?.(on);
    } catch {
      // The terminal no longer exists, so nothing can be restored.
    }
  }
}

export type FatalSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT';
const FATAL: readonly FatalSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

export type SignalHandlers = {
  /** Called when a signal or the end of stdin must end the program. */
  readonly fatal: (signal: FatalSignal) => void;
  /** Called when SIGTSTP arrives from outside. */
  readonly stop: () => void;
  readonly resumed: () => void;
  /** Called when the process ends, for any reason. */
  readonly exit: () => void;
};

export class Signals {
  readonly #stdin: NodeJS.ReadableStream;
  readonly #handlers: SignalHandlers;
  readonly #fatal: readonly (readonly [FatalSignal, () => void])[];
  readonly #hangUp: () => void;

  constructor(stdin: NodeJS.ReadableStream, handlers: SignalHandlers) {
    this.#stdin = stdin;
    this.#handlers = handlers;
    this.#fatal = FATAL.map((signal) => [signal, () => handlers.fatal(signal)]);
    this.#hangUp = () => handlers.fatal('SIGHUP');
  }

  hook(): void {
    const { stop, resumed, exit } = this.#handlers;
    for (const [signal, handler] of this.#fatal) process.on(signal, handler);
    process.on('SIGTSTP', stop);
    process.on('SIGCONT', resumed);
    process.on('exit', exit);
    process.on('uncaughtExceptionMonitor', exit);
    this.#stdin.on('end', this.#hangUp);
    this.#stdin.on('error', this.#hangUp);
  }

  unhook(): void {
    const { stop, resumed, exit } = this.#handlers;
    for (const [signal, handler] of this.#fatal) process.removeListener(signal, handler);
    process.removeListener('SIGTSTP', stop);
    process.removeListener('SIGCONT', resumed);
    process.removeListener('exit', exit);
    process.removeListener('uncaughtExceptionMonitor', exit);
    this.#stdin.removeListener('end', this.#hangUp);
    this.#stdin.removeListener('error', this.#hangUp);
  }

  /** Stops the process group; resolves after `fg`, or at once in an orphaned group, which ignores it. */
  async stopGroup(settled: () => Promise<void>): Promise<void> {
    process.removeListener('SIGTSTP', this.#handlers.stop);
    process.kill(0, 'SIGTSTP');
    await settled();
    process.on('SIGTSTP', this.#handlers.stop);
  }
}
