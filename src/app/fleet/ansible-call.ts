/** One Ansible at work: the same command on some hosts, each told of as soon as it is done. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { asCompanion } from '../../executor/index.ts';
import {
  type AnsibleHost,
  aliasOf,
  ansibleArguments,
  ansibleEnvironment,
  ansibleFiles,
  type Carried,
  MAX_FORKS,
  MAX_REPORT_BYTES,
  readCarried,
  whyOf,
} from '../../remote/fleet/index.ts';
import { messageOf } from '../../text/errors.ts';
import { removeTree } from '../../text/remove-tree.ts';

/** How often it is looked who is done. In ms. */
const LOOK_MS = 100;
const KILL_AFTER_MS = 3000;
const MAX_COMPLAINT_CHARS = 4000;
/** What a timer of Node's can wait; one that is longer would end at once. In ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export type CallOptions = {
  /** A private directory with a short path, for all calls. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hosts: readonly AnsibleHost[];
  readonly command: string;
  /** What each host may take of its time. In ms. */
  readonly limitMs: number;
  /** Called once for each host that was not dropped. */
  readonly onCarried: (name: string, carried: Carried) => void;
  readonly onEnd: () => void;
};

export class AnsibleCall {
  readonly #options: CallOptions;
  readonly #work: string;
  /** Hosts that somebody waits for, by their place in the inventory. */
  readonly #waiting: Map<number, string>;
  readonly #timers: NodeJS.Timeout[] = [];
  #child: ChildProcess | undefined;
  #complaint = '';
  #looking = false;
  #dropped = false;
  #stopped = false;
  #over = false;

  constructor(options: CallOptions) {
    this.#options = options;
    const { folder, hosts, command } = options;
    this.#waiting = new Map(hosts.map(({ name }, at) => [at, name]));
    this.#work = mkdtempSync(join(folder, 'call-'));
    mkdirSync(join(this.#work, 'told'));
    for (const [name, text] of Object.entries(ansibleFiles(command, hosts)))
      writeFileSync(join(this.#work, name), text, { mode: 0o600 });
    this.#start();
  }

  /** Nobody waits for this host any more. What has begun there is not ended by that. */
  drop(name: string): void {
    for (const [at, each] of this.#waiting) if (each === name) this.#waiting.delete(at);
    this.#dropped = true;
    if (this.#waiting.size === 0) this.#stop();
  }

  /** Ends it now: what it has not begun it does not begin any more. */
  kill(): void {
    this.#signal('SIGKILL');
  }

  #start(): void {
    const { folder, hosts, limitMs, env } = this.#options;
    const { argv, env: marked } = asCompanion(
      ['ansible', ...ansibleArguments(hosts)],
      ansibleEnvironment(env, this.#work, folder),
    );
    const [file, ...words] = argv;
    // A session of its own: no ssh of it finds a terminal to ask in.
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    const child = spawn(file, words, { cwd: this.#work, env: marked, detached: true, stdio: [...stdio] });
    this.#child = child;
    child.stderr?.on('data', (data: Buffer) => {
      this.#complaint = `${this.#complaint}${data.toString()}`.slice(-MAX_COMPLAINT_CHARS);
    });
    child.once('error', (error) => void this.#end(messageOf(error)));
    child.once('close', (code) => void this.#end(this.#whyEnded(code)));
    this.#timers.push(setInterval(() => void this.#look(), LOOK_MS));
    // Those that find no place at once wait for others.
    const rounds = Math.ceil(hosts.length / MAX_FORKS);
    this.#timers.push(setTimeout(() => this.#stop(), Math.min(limitMs * rounds, MAX_TIMER_MS)));
  }

  #stop(): void {
    if (this.#over || this.#stopped) return;
    this.#stopped = true;
    this.#signal('SIGTERM');
    this.#timers.push(setTimeout(() => this.kill(), KILL_AFTER_MS));
  }

  #signal(name: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined || this.#over) return;
    try {
      process.kill(-pid, name);
    } catch {
      // Gone already.
    }
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    for (const at of [...this.#waiting.keys()]) {
      const carried = await this.#carriedOf(at);
      const name = this.#waiting.get(at);
      if (!carried || name === undefined) continue;
      this.#waiting.delete(at);
      this.#options.onCarried(name, carried);
    }
    this.#looking = false;
    // It would go on for those alone that nobody waits for.
    if (this.#dropped && this.#waiting.size === 0) this.#stop();
  }

  /** Undefined while there is no whole report: it is written in pieces. */
  async #carriedOf(at: number): Promise<Carried | undefined> {
    const path = join(this.#work, 'told', aliasOf(at));
    try {
      if ((await stat(path)).size > MAX_REPORT_BYTES) return { kind: 'failed', why: 'it told too much' };
      return readCarried(await readFile(path, 'utf8'), this.#options.command);
    } catch {
      return undefined;
    }
  }

  async #end(why: string): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    for (const timer of this.#timers) clearTimeout(timer);
    // One look may be under way; what it has taken is not told again.
    this.#looking = false;
    await this.#look();
    for (const name of this.#waiting.values()) this.#options.onCarried(name, { kind: 'failed', why });
    this.#waiting.clear();
    removeTree(this.#work);
    this.#options.onEnd();
  }

  #whyEnded(code: number | null): string {
    if (this.#stopped || code === null) return 'no answer in time';
    if (/ansible: (?:command )?not found|exec: ansible/.test(this.#complaint)) return 'there is no ansible here';
    return whyOf(this.#complaint) ?? `ansible ended with ${code}`;
  }
}
