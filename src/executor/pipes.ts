import { execFile, spawn } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { constants as system } from 'node:os';
import { promisify } from 'node:util';
import type { Pipe } from './pipe.ts';
import { PrivateDirectory } from './private-directory.ts';
import { starterOf } from './starter.ts';

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
 * Real pipes. What Node makes for a child are sockets, which nobody can open again by `/dev/stdout`; so FIFOs are made by
 * their program, some ahead, and lose their name as soon as both ends are open.
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
