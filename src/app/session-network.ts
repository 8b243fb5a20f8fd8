/** The network that a session's commands in Project mode share (MO-9): a loopback of its own, which a process holds. */
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { asCompanion } from '../executor/index.ts';

/** Commands then have a loopback each. Ms. */
const GIVE_UP_MS = 2000;

export class SessionNetwork {
  readonly #launcher: string;
  #held: Promise<number | undefined> | undefined;
  #release: () => void = () => {};

  constructor(launcher: string) {
    this.#launcher = launcher;
  }

  /** The process that holds it; undefined where none can: then each command has a loopback of its own. */
  holder(): Promise<number | undefined> {
    this.#held ??= this.#hold();
    return this.#held;
  }

  close(): void {
    this.#release();
  }

  #hold(): Promise<number | undefined> {
    const { argv, env } = asCompanion([this.#launcher, '--hold-network', String(process.pid)], {});
    const [file, ...args] = argv;
    // A session of its own: what ends the program's terminal must not end it.
    const child = spawn(file, args, { detached: true, cwd: '/', env, stdio: ['pipe', 'pipe', 'ignore'] });
    child.unref();
    child.stdin.on('error', () => {});
    for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.unref();
    this.#release = () => child.stdin.end();
    return new Promise((resolve) => {
      const without = () => resolve(undefined);
      const limit = setTimeout(without, GIVE_UP_MS);
      child.stdout.once('data', () => resolve(child.pid)).once('data', () => clearTimeout(limit));
      child.on('error', without).on('exit', () => {
        without();
        clearTimeout(limit);
        this.#held = undefined;
      });
    });
  }
}
