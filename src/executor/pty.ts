import { spawn } from 'node-pty';

/** The longest pause of reading, in ms. */
const MAX_PAUSE_MS = 100;
/** Bytes read per turn of the event loop: libuv would read 2 MB at once and delay key presses. */
const MAX_BYTES_PER_TURN = 256 * 1024;
/** The bytes to read at most: more than a terminal can hold unread. */
const TERMINAL_BYTES = 128 * 1024;

export type PtyOptions = {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
  readonly onData: (data: Buffer) => void;
  /** The exit code as a shell reports it (128 + n for a signal). Called once, after all output. */
  readonly onExit: (code: number, signalled: boolean) => void;
};

/** A child on its own pseudoterminal. Owns both. */
export class Pty {
  readonly pid: number;
  /** The path of the slave side, for reading its modes. */
  readonly slave: string;
  readonly #pty: ReturnType<typeof spawn>;
  readonly #listeners: readonly { dispose(): void }[];
  #ended = false;
  #disposed = false;
  /** The child has nearly ended: the rest is read without pauses. */
  #draining = false;
  /** The number of bytes received. */
  #came = 0;
  #holds = 0;
  #turnBytes = 0;
  #turn: NodeJS.Immediate | undefined;
  #longest: NodeJS.Timeout | undefined;

  /**
   * Throws if the directory does not exist or no pty is available. A program that can't be run exits with 1 instead.
   */
  constructor(options: PtyOptions) {
    const [file, ...args] = options.argv;
    this.#pty = spawn(file, args, {
      name: options.env.TERM ?? 'xterm-256color',
      cols: size(options.columns),
      rows: size(options.rows),
      cwd: options.cwd,
      env: options.env,
      encoding: null,
    });
    this.pid = this.#pty.pid;
    this.slave = this.#pty.ptsName;
    this.#listeners = [
      this.#pty.onData((data) => {
        this.#came += data.length;
        this.#yieldNowAndThen(data.length);
        options.onData(data);
      }),
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#release();
        options.onExit(signal ? 128 + signal : exitCode, Boolean(signal));
      }),
    ];
    this.#readToTheEnd();
  }

  write(data: string): void {
    if (!this.#ended) this.#pty.write(data);
  }

  resize(columns: number, rows: number): void {
    if (this.#ended) return;
    try {
      this.#pty.resize(size(columns), size(rows));
    } catch {
      // The child may end before its exit is reported.
    }
  }

  /** Stops reading until `resume`, at most 100 ms: the kernel's buffer then blocks the child. */
  pause(): void {
    this.#hold();
    this.#longest ??= setTimeout(() => this.resume(), MAX_PAUSE_MS);
  }

  resume(): void {
    if (!this.#longest) return;
    clearTimeout(this.#longest);
    this.#longest = undefined;
    this.#unhold();
  }

  /** Closes the terminal; its processes get SIGHUP. `onExit` still follows. Idempotent. */
  dispose(): void {
    if (this.#ended) return;
    this.#disposed = true;
    this.#pty.destroy();
  }

  /** node-pty destroys its socket 200 ms after the exit even with unread data, so read everything first. */
  #readToTheEnd(): void {
    const socket = this.#pty._socket;
    const destroy = socket.destroy.bind(socket);
    socket.destroy = (error) => {
      if (this.#disposed || error) return destroy(error);
      if (this.#draining) return socket;
      this.#draining = true;
      this.#pty.resume();
      const most = this.#came + TERMINAL_BYTES;
      const turn = (came: number) => {
        // Two turns of the event loop poll the terminal in between.
        setImmediate(() => {
          setImmediate(() => (this.#came === came || this.#came > most ? destroy() : turn(this.#came)));
        });
      };
      turn(this.#came);
      return socket;
    };
  }

  #yieldNowAndThen(bytes: number): void {
    this.#turnBytes += bytes;
    if (this.#turnBytes < MAX_BYTES_PER_TURN || this.#turn) return;
    this.#hold();
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      this.#turnBytes = 0;
      this.#unhold();
    });
  }

  #hold(): void {
    this.#holds += 1;
    if (this.#holds === 1 && !this.#ended && !this.#draining) this.#pty.pause();
  }

  #unhold(): void {
    this.#holds -= 1;
    if (this.#holds === 0 && !this.#ended) this.#pty.resume();
  }

  #release(): void {
    this.#ended = true;
    clearImmediate(this.#turn);
    clearTimeout(this.#longest);
    for (const listener of this.#listeners) listener.dispose();
  }
}

function size(n: number): number {
  return Math.max(1, Math.min(Math.floor(n) || 1, 1000));
}
