/** Commands whose output is taken in: bounded, without secrets, ended with all they started. */
import { spawn } from 'node:child_process';
import { clean, plainText } from '../../text/sanitize.ts';

/** What a launcher that keeps the time itself gets on top. */
const GRACE_MS = 1000;
/** Bytes kept of the start and of the end of an output. */
const MAX_PART_BYTES = 64 * 1024;

type Start = {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** After so long it is ended, where its launcher has not done so by then. */
  readonly seconds: number;
};

type Captured = {
  /** 128+n for signal n. */
  readonly exit: number;
  /** For whoever asked. */
  readonly output: string;
  /** As it came, for our own eyes. */
  readonly raw: string;
};

export class Captures {
  readonly #hide: (text: string) => string;
  readonly #running = new Set<Promise<unknown>>();

  /** @param hide takes secrets out of a text */
  constructor(hide: (text: string) => string) {
    this.#hide = hide;
  }

  /**
   * Runs a launcher's argument vector to its end, with nothing on standard input and both outputs as one. `signal` and
   * the time end the launcher, and it ends what is below it. Rejects when it can't be started.
   */
  run(start: Start, signal: AbortSignal): Promise<Captured> {
    const running = this.#run(start, signal);
    const kept = running.catch(() => {});
    this.#running.add(kept);
    void kept.then(() => this.#running.delete(kept));
    return running;
  }

  /** Resolves when none runs any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  #run({ argv, env, cwd, seconds }: Start, signal: AbortSignal): Promise<Captured> {
    const [file = '', ...rest] = argv;
    const kept = new Ends();
    return new Promise((resolve, reject) => {
      const child = spawn(file, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const end = () => void child.kill('SIGTERM');
      const timer = setTimeout(end, seconds * 1000 + GRACE_MS);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      child.stdout.on('data', (data: Buffer) => kept.add(data));
      child.stderr.on('data', (data: Buffer) => kept.add(data));
      child.once('error', reject);
      child.once('close', (code, killedBy) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        const raw = kept.text();
        resolve({ exit: code ?? (killedBy === null ? 1 : 128 + 15), output: this.#hide(plainText(clean(raw))), raw });
      });
    });
  }
}

/** The start and the end of an output, in bounded memory. */
class Ends {
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail = Buffer.alloc(0);
  #bytes = 0;

  add(data: Buffer): void {
    this.#bytes += data.length;
    const room = MAX_PART_BYTES - this.#headBytes;
    const first = data.subarray(0, Math.max(room, 0));
    if (first.length > 0) this.#head.push(first);
    this.#headBytes += first.length;
    const rest = data.subarray(first.length);
    if (rest.length > 0) this.#tail = Buffer.concat([this.#tail, rest]).subarray(-MAX_PART_BYTES);
  }

  text(): string {
    const omitted = this.#bytes - this.#headBytes - this.#tail.length;
    const gap = omitted > 0 ? `\n… ${omitted} bytes left out …\n` : '';
    return Buffer.concat(this.#head).toString('utf8') + gap + this.#tail.toString('utf8');
  }
}
