/** What the process is told from outside while it owns the terminal. */

export type FatalSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
const FATAL: readonly FatalSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export type SignalHandlers = {
  /** The program is to end; a hang-up of stdin is one too. */
  readonly fatal: (signal: FatalSignal) => void;
  /** Ctrl-Z from outside. */
  readonly stop: () => void;
  readonly resumed: () => void;
  /** The process ends, whyever. */
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
