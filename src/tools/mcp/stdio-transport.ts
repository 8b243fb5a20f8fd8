/** A server that is a child of this program: MCP messages as lines on its standard input and output. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { joined, LONG_BYTES, parseLongJson } from './long-json.ts';

/** The longest message taken, in bytes. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
/** How long a server may take to leave once its input is closed, and once more after SIGTERM. In ms. */
const CLOSE_TIMEOUT_MS = 800;
/** What was printed last arrives a moment after the exit. In ms. */
const DRAIN_TIMEOUT_MS = 200;
const MAX_GARBAGE_CHARS = 200;
const LF = 0x0a;

export type StdioOptions = {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What it writes beside the protocol: its standard error, and what is no message on its standard output. */
  readonly onText: (text: string) => void;
};

/**
 * The library's own transport copies everything anew with each piece of a long message, ends with its child alone and
 * not with what the child has started, and may take 4 s to close. This one owns a process group of its own.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** How it ended, in a few words. */
  ending: string | undefined;
  readonly #options: StdioOptions;
  #child: ChildProcessWithoutNullStreams | undefined;
  #ended = Promise.withResolvers<void>();
  #closed = false;
  #pieces: Buffer[] = [];
  /** A long message that is being read: those behind it wait, so that they stay in order. */
  #reading: Promise<void> | undefined;
  #waiting = 0;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  start(): Promise<void> {
    const [file, ...args] = this.#options.argv;
    const { cwd, env, onText } = this.#options;
    const child = spawn(file, args, { cwd, env, detached: true, stdio: 'pipe' });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', onText);
    child.stdout.on('data', (data: Buffer) => this.#take(data));
    // A server that is gone takes nothing; its end is told by `exit`.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {});
    child.on('exit', (code, signal) => {
      this.ending ??= signal ? `ended by ${signal}` : `ended with exit ${code}`;
      const timer = setTimeout(() => this.#end(), DRAIN_TIMEOUT_MS);
      child.once('close', () => {
        clearTimeout(timer);
        this.#end();
      });
    });
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.ending ??= error.message;
        this.#end();
        reject(error);
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (!child || this.#closed) return Promise.reject(new Error('the server has exited'));
    return new Promise((resolve) => {
      child.stdin.write(serializeMessage(message), () => resolve());
    });
  }

  /** Closes its input, then asks, then kills, within two times `CLOSE_TIMEOUT_MS`. Nothing it started stays behind. */
  async close(): Promise<void> {
    if (!this.#child || this.#closed) return;
    this.#child.stdin.end();
    if (!(await this.#gone())) this.#signal('SIGTERM');
    if (!(await this.#gone())) this.#end();
  }

  #gone(): Promise<boolean> {
    if (this.#closed) return Promise.resolve(true);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), CLOSE_TIMEOUT_MS);
    });
    return Promise.race([this.#ended.promise.then(() => true), late]).finally(() => clearTimeout(timer));
  }

  /** Its end, once: whatever is left of its group goes with it. */
  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#signal('SIGKILL');
    const child = this.#child;
    for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy();
    this.#pieces = [];
    this.#ended.resolve();
    this.onclose?.();
  }

  #signal(name: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, name);
    } catch {
      // Nobody is left.
    }
  }

  #take(data: Buffer): void {
    let from = 0;
    for (let at = data.indexOf(LF); at >= 0 && !this.#closed; at = data.indexOf(LF, from)) {
      this.#pieces.push(data.subarray(from, at));
      from = at + 1;
      const pieces = this.#pieces;
      const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
      this.#pieces = [];
      this.#waiting = 0;
      this.#message(pieces, bytes);
    }
    if (this.#closed || from === data.length) return;
    this.#pieces.push(data.subarray(from));
    this.#waiting += data.length - from;
    if (this.#waiting <= MAX_MESSAGE_BYTES) return;
    this.ending = `stopped: it sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB`;
    this.#end();
  }

  #message(pieces: readonly Buffer[], bytes: number): void {
    if (bytes < LONG_BYTES && !this.#reading) return this.#line(Buffer.concat(pieces).toString('utf8'));
    const before = this.#reading ?? Promise.resolve();
    const reading = before
      .then(() => this.#long(pieces))
      .finally(() => {
        if (this.#reading === reading) this.#reading = undefined;
      });
    this.#reading = reading;
  }

  async #long(pieces: readonly Buffer[]): Promise<void> {
    const line = await joined(pieces);
    try {
      const message = JSONRPCMessageSchema.parse(await parseLongJson(line));
      if (!this.#closed) this.onmessage?.(message);
    } catch {
      this.#garbage(line.toString('utf8', 0, MAX_GARBAGE_CHARS));
    }
  }

  #line(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      this.#garbage(line);
      return;
    }
    this.onmessage?.(message);
  }

  #garbage(line: string): void {
    if (line.trim() !== '') this.#options.onText(`[no message: ${line.slice(0, MAX_GARBAGE_CHARS)}]\n`);
  }
}
