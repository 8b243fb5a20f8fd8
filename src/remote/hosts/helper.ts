/** An `sh` on a host that answers small questions: each is a piece of code, its answer what that code prints. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';

/** Milliseconds for its start, which may include slow startup files. */
const START_TIMEOUT_MS = 10_000;
/** Milliseconds for one answer. */
const ANSWER_TIMEOUT_MS = 5000;
const MAX_ANSWER_BYTES = 1_000_000;
/** The bytes of an exit code with its line end. */
const MAX_CODE_BYTES = 4;
const NOTHING = Buffer.alloc(0);

export type Launch = { readonly argv: readonly [string, ...string[]]; readonly env: Readonly<Record<string, string>> };
export type Answer = { readonly exit: number; readonly text: string };

type Asked = { readonly mark: Buffer; readonly answer: (answer: Answer | undefined) => void };

/** Only these variables pass: a login shell's startup files must not affect what the helper runs. */
const KEPT = ['HOME', 'SHELL', 'XDG_RUNTIME_DIR', 'TMPDIR', 'ZDOTDIR', 'USER', 'LOGNAME']
  .map((name) => `${name}="\${${name}-}"`)
  .join(' ');
const CLEAN = `/usr/bin/env -i LC_ALL=C PATH=/usr/bin:/bin:/usr/sbin:/sbin LOGIN_PATH="$PATH" ${KEPT}`;

export class Helper {
  readonly #child: ChildProcess;
  readonly #mark = randomBytes(16).toString('hex');
  #serial = 0;
  /** Data since the last answer; joined once it contains an answer. */
  #seen: Buffer[] = [];
  #bytes = 0;
  /** The end of the data, which may contain the start of a mark. */
  #tail: Buffer = NOTHING;
  /** A mark has arrived, but not its whole line. */
  #marked = false;
  readonly #asked: Asked[] = [];
  #dead = false;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;

  readonly #most: number;

  private constructor({ argv: [file, ...args], env }: Launch, most: number) {
    this.#most = most;
    this.#child = spawn(file, args, { cwd: '/', env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.stdin?.on('error', () => {});
    this.#child.stdout?.on('data', (data: Buffer) => this.#take(data));
    this.ended = new Promise((resolve) => {
      const over = () => {
        this.#dead = true;
        for (const { answer } of this.#asked.splice(0)) answer(undefined);
        resolve();
      };
      this.#child.once('error', over);
      this.#child.once('close', over);
    });
  }

  /**
   * Undefined if no usable shell answers.
   * @param launch a session that runs `/bin/sh`
   * @param most the maximum bytes of an answer
   * @param unwanted ends it, also during its start
   */
  static async start(launch: Launch, most = MAX_ANSWER_BYTES, unwanted?: AbortSignal): Promise<Helper | undefined> {
    const helper = new Helper(launch, most);
    if (unwanted?.aborted) helper.end();
    unwanted?.addEventListener('abort', () => helper.end(), { once: true });
    // The first shell may read ahead, so send nothing before the second one answers.
    const up = await helper.#ask(
      `exec ${CLEAN} /bin/sh -c 'printf "\\n%s 0\\n" "$1"; exec /bin/sh' sh MARK`,
      START_TIMEOUT_MS,
    );
    if (up) return helper;
    helper.end();
    return undefined;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Runs code there; undefined after a timeout, which also ends this helper. Never rejects. */
  ask(code: string, patience = ANSWER_TIMEOUT_MS): Promise<Answer | undefined> {
    return this.#ask(`{ ${code}\n} </dev/null 2>/dev/null; printf '\\n%s %d\\n' MARK $?`, patience);
  }

  /** Ends the helper. Idempotent. */
  end(): void {
    this.#dead = true;
    this.#child.kill('SIGKILL');
    // The master also holds this pipe and may be stopped, so don't wait for its end.
    this.#child.stdout?.destroy();
  }

  #ask(code: string, patience: number): Promise<Answer | undefined> {
    if (this.#dead) return Promise.resolve(undefined);
    this.#serial += 1;
    const mark = `${this.#mark}-${this.#serial}`;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.end(), patience);
      const answer = (given: Answer | undefined) => {
        clearTimeout(timer);
        resolve(given);
      };
      this.#asked.push({ mark: Buffer.from(`\n${mark} `), answer });
      this.#child.stdin?.write(`${code.replace(/MARK(?=( \$\?)?$)/, mark)}\n`);
    });
  }

  #take(data: Buffer): void {
    if (this.#dead) return;
    this.#seen.push(data);
    this.#bytes += data.length;
    const end = Buffer.concat([this.#tail, data]);
    const [first] = this.#asked;
    this.#tail = first ? Buffer.from(end.subarray(Math.max(0, end.length - first.mark.length))) : NOTHING;
    // Don't search long output again with each piece.
    if (this.#marked || (first && end.includes(first.mark))) this.#answer();
    if (this.#bytes > this.#most) this.end();
  }

  #answer(): void {
    let seen = Buffer.concat(this.#seen);
    this.#marked = false;
    for (let first = this.#asked[0]; first; first = this.#asked[0]) {
      const at = seen.indexOf(first.mark);
      if (at < 0) break;
      const from = at + first.mark.length;
      const code = /^(\d{1,3})\n/.exec(seen.toString('latin1', from, from + MAX_CODE_BYTES))?.[1];
      if (code === undefined) {
        this.#marked = seen.length < from + MAX_CODE_BYTES;
        if (!this.#marked) this.end();
        break;
      }
      const text = seen.toString('utf8', 0, at);
      seen = seen.subarray(from + code.length + 1);
      this.#asked.shift();
      first.answer({ exit: Number(code), text });
    }
    this.#seen = [seen];
    this.#bytes = seen.length;
  }
}
