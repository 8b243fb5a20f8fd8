/** Pipes that a command's output goes to, and the process that starts launchers for them. */
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants as system } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import type { Environment } from './environment.ts';
import { marked } from './orphans.ts';
import { PrivateDirectory } from './private-directory.ts';
import { withoutInherited } from './processes.ts';

/** Unused for so long it ends: a launcher that waits is no burden, but it need not stay for days. Ms. */
const IDLE_MS = 5 * 60_000;
/** What the launcher takes, in bytes: far more than the kernel does. */
const MAX_WORDS = 8 * 1024 * 1024;
const HEADER_BYTES = 12;
/** The end of what was killed. */
const KILLED = 137;

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Directory, arguments and environment, as the launcher reads them. Throws for what no program can be started with. */
function wordsOf({ argv, cwd, env }: ToBegin): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const strings = [cwd, ...argv, ...variables];
  if (strings.some((each) => each.includes('\0'))) throw new Error('a null byte can be in no argument');
  const text = Buffer.from(`${strings.join('\0')}\0`);
  if (text.length > MAX_WORDS) throw new Error('argument list too long');
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(text.length, 0);
  header.writeUInt32LE(argv.length, 4);
  header.writeUInt32LE(variables.length, 8);
  return Buffer.concat([header, text]);
}

/**
 * Has launchers started by a small process of theirs (`launcher/main.c`), in which one always waits: Node's own fork
 * copies the tables of all its memory, which takes longer than most commands. One that waits has neither rights nor
 * work before it gets its words. The one owner of that process.
 */
class Starter {
  readonly #launcher: string;
  #child: Child | undefined;
  #waiting: { readonly pid: number; readonly output: number } | undefined;
  readonly #running = new Map<number, OnEnd>();
  #said = '';
  /** One has waited once: this launcher knows how. */
  #works = false;
  #broken = process.platform !== 'linux';
  #idle: NodeJS.Timeout | undefined;

  constructor(launcher: string) {
    this.#launcher = launcher;
  }

  /** The launcher that waits; undefined where none does (yet). */
  take(): Pipe | undefined {
    const [child, waiting] = [this.#child, this.#waiting];
    if (!child) setImmediate(() => this.begin());
    if (!child || !waiting) return undefined;
    let read: number;
    try {
      read = openSync(`/proc/${waiting.pid}/fd/${waiting.output}`, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch {
      return undefined;
    }
    this.#waiting = undefined;
    return {
      read,
      begin: (what, onEnd) => {
        let words: Buffer;
        try {
          words = wordsOf(what);
        } catch (error) {
          this.#waiting = waiting;
          throw error;
        }
        this.#running.set(waiting.pid, onEnd);
        this.#busy();
        // It may have gone in this moment: then its end is on the way, and comes to `onEnd`.
        if (this.#child === child) child.stdin.write(words);
        else this.#ended(waiting.pid, KILLED);
        return waiting.pid;
      },
      drop: () => {
        if (this.#child === child) this.#waiting = waiting;
      },
    };
  }

  /** Starts the process, if there is none; its first launcher waits a moment later. */
  begin(): void {
    if (this.#child || this.#broken) return;
    const [file, ...args] = withoutInherited([this.#launcher, '--starter', String(process.pid)]);
    // A session of its own: what ends the program's terminal must not end it. Its environment is nobody's.
    const child = spawn(file, args, {
      detached: true,
      cwd: '/',
      env: marked({}),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#child = child;
    child.on('error', () => this.#gone(child));
    child.on('exit', () => this.#gone(child));
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('latin1').on('data', (text: string) => {
      if (this.#child === child) this.#read(text);
    });
    child.unref();
    this.#busy();
  }

  #read(text: string): void {
    const lines = (this.#said + text).split('\n');
    this.#said = lines.pop() ?? '';
    for (const line of lines) {
      const [word, pid = 0, value = 0] = line.split(' ').map((each, at) => (at === 0 ? each : Number(each)));
      if (word === 'ready') {
        this.#works = true;
        this.#waiting = { pid: Number(pid), output: Number(value) };
      } else this.#ended(Number(pid), Number(value));
    }
  }

  #ended(pid: number, code: number): void {
    if (this.#waiting?.pid === pid) this.#waiting = undefined;
    const onEnd = this.#running.get(pid);
    this.#running.delete(pid);
    this.#busy();
    onEnd?.(code);
  }

  /** With it went all that it had started: the kernel tells the launchers. */
  #gone(child: Child): void {
    if (this.#child !== child) return;
    this.#broken ||= !this.#works;
    this.#child = undefined;
    this.#waiting = undefined;
    this.#said = '';
    clearTimeout(this.#idle);
    for (const pid of [...this.#running.keys()]) this.#ended(pid, KILLED);
  }

  /** Keeps the program alive as long as a command runs, and itself as long as it is of use. */
  #busy(): void {
    const busy = this.#running.size > 0;
    for (const stream of this.#child ? [this.#child.stdin, this.#child.stdout] : [])
      if (stream instanceof Socket) stream[busy ? 'ref' : 'unref']();
    clearTimeout(this.#idle);
    if (busy || !this.#child) return;
    this.#idle = setTimeout(() => this.#leave(), IDLE_MS);
    this.#idle.unref();
  }

  #leave(): void {
    const child = this.#child;
    this.#child = undefined;
    this.#waiting = undefined;
    child?.stdin.end();
  }
}

const starters = new Map<string, Starter>();

/** The one of this launcher. */
function starterOf(launcher: string): Starter {
  const known = starters.get(launcher) ?? new Starter(launcher);
  starters.set(launcher, known);
  return known;
}

/** Has a launcher wait for the first command, which then need not wait for its start. */
export function startAhead(launcher: string): void {
  starterOf(launcher).begin();
}

/** How many are made at a time, and how few are left when more are made. */
const BATCH = 16;
const MIN_READY = 4;

/** A child of this program's own, which writes into the end `write`. */
function ownChild(read: number, write: number): Pipe {
  return {
    read,
    begin({ argv: [file, ...args], cwd, env }, onEnd) {
      try {
        const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', write, write] });
        child.on('error', (error) => onEnd(null, error.message));
        child.on('exit', (code, name) => onEnd(name === null ? code : 128 + system.signals[name]));
        return child.pid ?? -1;
      } finally {
        closeSync(write);
      }
    },
    drop: () => closeSync(write),
  };
}

/**
 * Real pipes. What Node makes for a child are sockets, which nobody can open again by `/dev/stdout`; so FIFOs are made
 * by their program, some ahead, and lose their name as soon as both ends are open.
 */
class Pipes {
  #directory: PrivateDirectory | undefined;
  readonly #ready: string[] = [];
  #made = 0;
  #making: Promise<void> | undefined;

  /** Undefined where there are none. Never rejects. */
  async take(): Promise<Pipe | undefined> {
    if (this.#ready.length === 0) await this.#more();
    const path = this.#ready.pop();
    if (this.#ready.length < MIN_READY) void this.#more();
    if (path === undefined) return undefined;
    let read: number | undefined;
    try {
      // First the end that waits for nobody.
      read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const write = openSync(path, constants.O_WRONLY);
      unlinkSync(path);
      return ownChild(read, write);
    } catch {
      if (read !== undefined) closeSync(read);
      return undefined;
    }
  }

  #more(): Promise<void> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #make(): Promise<void> {
    try {
      this.#directory ??= new PrivateDirectory('pipes');
      const { path } = this.#directory;
      const fresh = Array.from({ length: BATCH }, () => {
        this.#made += 1;
        return `${path}/${this.#made}`;
      });
      await promisify(execFile)('mkfifo', ['-m', '600', ...fresh]);
      this.#ready.push(...fresh);
    } catch {
      // A file system without them, or no such program: then terminals are used. It may be there the next time.
      this.#directory?.remove();
      this.#directory = undefined;
    }
  }
}

const pipes = new Pipes();

/**
 * A pipe for one command; undefined where there is none to be had. Never rejects.
 * @param launcher what the command is started with: one of it may wait already
 */
export async function takePipe(launcher?: string): Promise<Pipe | undefined> {
  return (launcher === undefined ? undefined : starterOf(launcher).take()) ?? (await pipes.take());
}

// What a command that needs no terminal writes into.

export type ToBegin = {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Environment;
};

/** Exit code as a shell tells it (128 + n for a signal); null with a reason: it could not be started. Told once. */
export type OnEnd = (code: number | null, why?: string) => void;

/** A pipe for the output of one command, and the way to start it. */
export type Pipe = {
  /** A descriptor, its taker's to close. */
  readonly read: number;
  /** Starts the command: in a session of its own, nothing to read, both of its outputs here. Its process id. Throws. */
  begin(what: ToBegin, onEnd: OnEnd): number;
  /** Nothing is to be started after all. `read` is still the taker's. */
  drop(): void;
};
