/** Pipes for the output of commands, and the process that starts launchers for them. */
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

/** The starter process ends after this many ms without use. */
const IDLE_MS = 5 * 60_000;
/** The maximum size of the launcher's input, in bytes: far more than the kernel's argument limit. */
const MAX_WORDS = 8 * 1024 * 1024;
const HEADER_BYTES = 12;
/** The exit code of a killed process. */
const KILLED = 137;

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Encodes directory, arguments and environment for the launcher. Throws if no program can be started with them. */
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
 * Starts launchers from a small process (`launcher/main.c`) that always keeps one waiting. Forking from Node itself
 * copies the page tables of all its memory, which takes longer than most commands. A waiting launcher has neither
 * permissions nor work before it gets its input. Owns that process.
 */
class Starter {
  readonly #launcher: string;
  #child: Child | undefined;
  #waiting: { readonly pid: number; readonly output: number } | undefined;
  readonly #running = new Map<number, OnEnd>();
  #said = '';
  /** Whether a launcher of this build has waited once, which shows that the build supports waiting. */
  #works = false;
  #broken = process.platform !== 'linux';
  #idle: NodeJS.Timeout | undefined;

  constructor(launcher: string) {
    this.#launcher = launcher;
  }

  /** The waiting launcher; undefined if there is none (yet). */
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
        // The launcher may just have ended: then its end arrives at `onEnd`.
        if (this.#child === child) child.stdin.write(words);
        else this.#ended(waiting.pid, KILLED);
        return waiting.pid;
      },
      drop: () => {
        if (this.#child === child) this.#waiting = waiting;
      },
    };
  }

  /** Starts the process unless it runs; its first launcher waits a moment later. */
  begin(): void {
    if (this.#child || this.#broken) return;
    const [file, ...args] = withoutInherited([this.#launcher, '--starter', String(process.pid)]);
    // Detached: closing the program's terminal must not end it. It gets an empty environment.
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

  /** The launchers it started end with it, through the kernel. */
  #gone(child: Child): void {
    if (this.#child !== child) return;
    this.#broken ||= !this.#works;
    this.#child = undefined;
    this.#waiting = undefined;
    this.#said = '';
    clearTimeout(this.#idle);
    for (const pid of [...this.#running.keys()]) this.#ended(pid, KILLED);
  }

  /** Keeps the program alive while a command runs, and the starter while it is useful. */
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

function starterOf(launcher: string): Starter {
  const known = starters.get(launcher) ?? new Starter(launcher);
  starters.set(launcher, known);
  return known;
}

/** Starts a launcher in advance, so that the first command need not wait for it. */
export function startAhead(launcher: string): void {
  starterOf(launcher).begin();
}

/** How many pipes are created at a time, and below how many the next ones are. */
const BATCH = 16;
const MIN_READY = 4;

/** Starts a child of this program that writes to `write`. */
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
 * Real pipes. Node gives a child sockets, which can't be reopened through `/dev/stdout`. So mkfifo creates FIFOs in
 * advance, and each loses its name as soon as both ends are open.
 */
class Pipes {
  #directory: PrivateDirectory | undefined;
  readonly #ready: string[] = [];
  #made = 0;
  #making: Promise<void> | undefined;

  /** Undefined if there are none. Never rejects. */
  async take(): Promise<Pipe | undefined> {
    if (this.#ready.length === 0) await this.#more();
    const path = this.#ready.pop();
    if (this.#ready.length < MIN_READY) void this.#more();
    if (path === undefined) return undefined;
    let read: number | undefined;
    try {
      // Open first the end that does not block.
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
      // The file system has no FIFOs, or mkfifo is missing: use terminals, and try again next time.
      this.#directory?.remove();
      this.#directory = undefined;
    }
  }
}

const pipes = new Pipes();

/**
 * Returns a pipe for one command; undefined if none is available. Never rejects.
 * @param launcher the command's launcher, which may already wait
 */
export async function takePipe(launcher?: string): Promise<Pipe | undefined> {
  return (launcher === undefined ? undefined : starterOf(launcher).take()) ?? (await pipes.take());
}

// A command to start without a terminal.

export type ToBegin = {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Environment;
};

/**
 * The exit code as a shell reports it (128 + n for a signal); null with a reason if it could not start. Called once.
 */
export type OnEnd = (code: number | null, why?: string) => void;

/** A pipe for the output of one command, and the means to start that command. */
export type Pipe = {
  /** A descriptor that the caller must close. */
  readonly read: number;
  /**
   * Starts the command in its own session, without input, both outputs in this pipe. Returns its process id. Throws.
   */
  begin(what: ToBegin, onEnd: OnEnd): number;
  /** Call instead of `begin` to start nothing. The caller still closes `read`. */
  drop(): void;
};
