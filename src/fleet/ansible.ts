/**
 * Hosts of a fleet through Ansible. A command judged for several hosts at the same time is sent in one call, and so
 * are the examinations of the files it names. There is no connection to lose: the host's own records tell how a
 * command ended.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { FleetMachine, OpenMachine } from '../contracts/fleet.ts';
import type { Machine } from '../contracts/machine.ts';
import { sizeForModel } from '../engine/live.ts';
import { asCompanion, processEnvironment, type Reported, runReported, socketFolder } from '../executor/index.ts';
import {
  type AnsibleHost,
  aliasOf,
  ansibleArguments,
  ansibleEnvironment,
  ansibleFiles,
  askLine,
  type Carried,
  CLOSE_CODE,
  endingCode,
  identityCode,
  MAX_FORKS,
  MAX_OUTPUT_BYTES,
  MAX_REPORT_BYTES,
  readCarried,
  readEnd,
  readFacts,
  readRun,
  runLine,
  SETUP_CODE,
  whyOf,
} from '../remote/fleet/index.ts';
import { absentHost, endMasters } from '../remote/hosts/index.ts';
import { directoryAt } from '../session/place.ts';
import { sha256 } from '../text/digest.ts';
import { messageOf } from '../text/errors.ts';
import { removeTree } from '../text/files.ts';
import { type ContainerOptions, checkLength, checkOrder } from './container.ts';

/** The time limit of an examination in ms, including the start of Ansible. */
const ANSWER_TIMEOUT_MS = 60_000;
const NAME_CHARS = 16;

export type Carrier = {
  /**
   * @param seconds a command's time limit, enforced on the host, because nothing here can end it once Ansible has
   * gone
   */
  readonly open: (seconds: number) => OpenMachine;
  readonly close: () => void;
};

export function carrierByAnsible(options: ContainerOptions): Carrier {
  const env = processEnvironment();
  const token = randomBytes(16).toString('hex');
  let folder: string | undefined;
  let serial = 0;
  const place = () => {
    folder ??= socketFolder('a');
    return { folder, env };
  };
  const closing = new Together(async () => {
    if (folder !== undefined) await endMasters(folder, env);
  });
  const parts = { ...options, closing, commands: new AnsibleQueue(place), looks: new AnsibleQueue(place) };
  return {
    open: (seconds) => (name, signal) => {
      serial += 1;
      // Unique, because two names may be one machine.
      return openHost({ name, folder: `/tmp/aish-tui-${token}-${serial}` }, signal, { ...parts, seconds });
    },
    close() {
      parts.commands.close();
      parts.looks.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Parts = ContainerOptions & {
  readonly commands: AnsibleQueue;
  /** A separate queue, because commands may occupy all places for a long time. */
  readonly looks: AnsibleQueue;
  readonly closing: Together;
  readonly seconds: number;
};

/** Delays closing until all hosts are closed: then it is a single call, and nobody needs it earlier. */
class Together {
  #open = 0;
  #works: (() => Promise<unknown>)[] = [];
  #closed = Promise.withResolvers<void>();
  readonly #after: () => Promise<void>;

  /** @param after runs when everything is closed and nothing was opened since */
  constructor(after: () => Promise<void>) {
    this.#after = after;
  }

  begin(): void {
    this.#open += 1;
  }

  /** Runs the work once nothing is open any more; resolves when all of it is done. */
  end(work: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    this.#open -= 1;
    this.#works.push(work);
    const { promise, resolve } = this.#closed;
    if (this.#open > 0) return promise;
    this.#closed = Promise.withResolvers();
    const works = this.#works.splice(0).map((each) => each());
    resolve(Promise.all(works).then(() => (this.#open > 0 ? undefined : this.#after())));
    return promise;
  }
}

async function openHost(at: AnsibleHost, signal: AbortSignal, parts: Parts): ReturnType<OpenMachine> {
  const { name: host } = at;
  const { commands, looks, closing, seconds, size, dataDir } = parts;
  const ask = async (code: string) => {
    const answer = await looks.send(at, askLine(code), ANSWER_TIMEOUT_MS);
    return answer.kind === 'ran' && answer.exit === 0 ? answer.output : undefined;
  };
  closing.begin();
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closing.end(() => ask(CLOSE_CODE));
    return closed;
  };
  const told = await looks.send(at, askLine(SETUP_CODE), ANSWER_TIMEOUT_MS, signal);
  const facts = told.kind === 'ran' && told.exit === 0 ? readFacts(told.output) : undefined;
  if (facts?.folder !== at.folder) {
    if (told.kind === 'dropped' && !told.over) void closing.end();
    // While its call lives, the host may still create its directory.
    else if (told.kind === 'dropped') await told.over?.then(close);
    else void close();
    return { problem: problemOf(host, told) };
  }
  const { home, root } = facts;
  const lost = Promise.withResolvers<string>();
  const times = new Map<string, number>();
  /** The same for all hosts that run the same command at the same time. */
  const recordsOf = (cwd: string, command: string) => {
    const digest = sha256(JSON.stringify([cwd, command])).slice(0, NAME_CHARS);
    const time = (times.get(digest) ?? 0) + 1;
    times.set(digest, time);
    return `op-${digest}-${time}`;
  };
  const machine: Machine = {
    ...absentHost(host),
    home,
    files: {
      ...absentHost(host).files,
      // A file that can’t be examined counts as changed.
      identities: async (named) =>
        (await ask(identityCode(named)))?.split('\n') ?? [`not looked at ${performance.now()}`],
    },
    async spawn(command, { cwd: place, mode, env = {}, signal: aborted }) {
      checkOrder(host, { command, mode, env });
      const cwd = directoryAt(place);
      const name = recordsOf(cwd, command);
      const line = runLine(name, cwd, command, seconds);
      checkLength(line);
      aborted.throwIfAborted();
      return runReported({ ...sizeForModel(size()), dataDir }, place, async (ending): Promise<Reported> => {
        const outcome = await commands.send(at, line, seconds * 1000 + ANSWER_TIMEOUT_MS, ending);
        const reported = reportedOf(outcome) ?? endOf(outcome, await ask(endingCode(name)));
        if (reported.lost !== undefined) lost.resolve(`${host}: ${reported.lost}`);
        // A command that could not be ended may still start while its call lives.
        if (reported.lost !== undefined && outcome.kind === 'dropped')
          void outcome.over?.then(() => ask(endingCode(name)));
        return reported;
      });
    },
    processes: async () => ['the processes there were not looked at'],
  };
  return {
    ...{ machine, directory: home, root, ask, lost: lost.promise, close },
  } satisfies FleetMachine;
}

function problemOf(host: string, told: Outcome): string {
  if (told.kind === 'altered') return ALTERED;
  if (told.kind === 'failed') return told.why;
  return told.kind === 'dropped' ? 'no longer wanted' : `there is no usable shell in ${host}`;
}

const ALTERED = 'Ansible brought back another command than was judged; what ran there is not known';

type Known = Reported & { readonly lost?: string };

/** Returns the end of a command; undefined if only the host’s own record can tell. */
function reportedOf(outcome: Outcome): Known | undefined {
  if (outcome.kind === 'altered') return { exit: null, note: ALTERED, lost: ALTERED };
  if (outcome.kind === 'dropped' && !outcome.over) return { exit: null, note: 'interrupted', began: false };
  if (outcome.kind !== 'ran') return undefined;
  const { exit } = outcome;
  const run = readRun(exit, outcome.output);
  // Possibly a second start by Ansible, which was refused; or its supervisor on the host was killed.
  if (!run) return undefined;
  const { output, isWhole } = run;
  const isCut = Buffer.byteLength(output) >= MAX_OUTPUT_BYTES;
  const note = isCut ? 'of its output only the beginning was kept' : 'of its output the end may be missing';
  return { exit, output, ...(isCut || !isWhole ? { note } : {}) };
}

/** Returns the end of a command from the host’s record, if Ansible could not tell it. */
function endOf(outcome: Outcome, answer: string | undefined): Known {
  const end = readEnd(answer);
  const isDropped = outcome.kind === 'dropped';
  const why =
    outcome.kind === 'failed' ? outcome.why : isDropped ? 'interrupted' : 'its watcher never reported the end';
  if (isDropped && end.kind !== 'silent') return { exit: null, note: why };
  if (end.kind === 'never began') return { exit: null, note: `it never began: ${why}`, began: false };
  if (end.kind === 'ended') return { exit: end.exit, note: 'its output is lost' };
  return { exit: null, note: `how it ended is not known: ${why}`, lost: `what ran there then is not known: ${why}` };
}

// Combines equal commands for several hosts into one Ansible call.

/** How long to wait for further hosts after the last one, and after the first. In ms. */
const QUIET_MS = 400;
const GATHER_MS = 3000;
/** The most calls that run at the same time; while they run, further hosts gather for the next call. */
const CALLS = 8;

/** `dropped`: no longer awaited. `over`: the command was sent, so it may run or start there until this resolves. */
type Outcome = Carried | { readonly kind: 'dropped'; readonly over?: Promise<void> };

type Batch = Pick<CallOptions, 'command' | 'limitMs'> & {
  readonly hosts: Map<string, { readonly host: AnsibleHost; readonly resolve: (outcome: Outcome) => void }>;
  readonly since: number;
  timer?: NodeJS.Timeout;
  due: boolean;
  call?: AnsibleCall;
  readonly over: PromiseWithResolvers<void>;
};

export class AnsibleQueue {
  readonly #options: () => Pick<CallOptions, 'folder' | 'env'>;
  /** Batches that have not started, by command. */
  readonly #gathering = new Map<string, Batch>();
  readonly #calls = new Set<AnsibleCall>();

  constructor(options: () => Pick<CallOptions, 'folder' | 'env'>) {
    this.#options = options;
  }

  /**
   * Runs a command line on a host. Never rejects.
   * @param limitMs afterwards it counts as not answered
   */
  send(host: AnsibleHost, command: string, limitMs: number, signal?: AbortSignal): Promise<Outcome> {
    if (signal?.aborted) return Promise.resolve({ kind: 'dropped' });
    return new Promise((resolve) => {
      const batch = this.#batchFor(host, command, limitMs);
      const drop = () => {
        batch.hosts.delete(host.name);
        batch.call?.drop(host.name);
        resolve({ kind: 'dropped', ...(batch.call ? { over: batch.over.promise } : {}) });
      };
      signal?.addEventListener('abort', drop, { once: true });
      batch.hosts.set(host.name, {
        host,
        resolve(outcome) {
          signal?.removeEventListener('abort', drop);
          resolve(outcome);
        },
      });
    });
  }

  /** Ends all calls, and starts no others. */
  close(): void {
    for (const { timer } of this.#gathering.values()) clearTimeout(timer);
    this.#gathering.clear();
    for (const call of this.#calls) call.kill();
  }

  #batchFor(host: AnsibleHost, command: string, limitMs: number): Batch {
    const found = this.#gathering.get(command);
    // The same host twice in a batch means that the command should run twice.
    if (found?.hosts.has(host.name)) this.#begin(found);
    const over = Promise.withResolvers<void>();
    const fresh: Batch = { command, limitMs, hosts: new Map(), since: performance.now(), due: false, over };
    const batch = this.#gathering.get(command) ?? fresh;
    this.#gathering.set(command, batch);
    clearTimeout(batch.timer);
    const left = GATHER_MS - (performance.now() - batch.since);
    batch.timer = setTimeout(() => this.#letGo(batch), Math.max(0, Math.min(QUIET_MS, left)));
    return batch;
  }

  #letGo(batch: Batch): void {
    batch.due = true;
    if (this.#calls.size < CALLS) this.#begin(batch);
  }

  /** Starts batches while there is room. One without waiting hosts, or that can't start, takes no room. */
  #beginDue(): void {
    for (const batch of [...this.#gathering.values()]) {
      if (this.#calls.size >= CALLS) return;
      if (batch.due) this.#begin(batch);
    }
  }

  #begin(batch: Batch): void {
    clearTimeout(batch.timer);
    if (this.#gathering.get(batch.command) === batch) this.#gathering.delete(batch.command);
    if (batch.hosts.size === 0) return;
    const { command, limitMs, hosts } = batch;
    try {
      const call = new AnsibleCall({
        ...this.#options(),
        ...{ command, limitMs, hosts: [...hosts.values()].map(({ host }) => host) },
        onCarried: (name, carried) => hosts.get(name)?.resolve(carried),
        onEnd: () => {
          this.#calls.delete(call);
          batch.over.resolve();
          this.#beginDue();
        },
      });
      batch.call = call;
      this.#calls.add(call);
    } catch (error) {
      for (const { resolve } of hosts.values()) resolve({ kind: 'failed', why: messageOf(error) });
    }
  }
}

// One Ansible process: the same command on some hosts, each reported as soon as it is done.

/** How often to check for finished hosts, in ms. */
const LOOK_MS = 100;
const KILL_AFTER_MS = 3000;
const MAX_COMPLAINT_CHARS = 4000;
/** Node's longest timer; a longer one would fire at once. In ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

type CallOptions = {
  /** A private directory with a short path, for all calls. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hosts: readonly AnsibleHost[];
  readonly command: string;
  /** The time limit of each host, in ms. */
  readonly limitMs: number;
  /** Called once for each host that was not dropped. */
  readonly onCarried: (name: string, carried: Carried) => void;
  readonly onEnd: () => void;
};

class AnsibleCall {
  readonly #options: CallOptions;
  readonly #work: string;
  /** Awaited hosts, by their index in the inventory. */
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

  /** Stops waiting for this host. A command that has started there continues. */
  drop(name: string): void {
    for (const [at, each] of this.#waiting) if (each === name) this.#waiting.delete(at);
    this.#dropped = true;
    if (this.#waiting.size === 0) this.#stop();
  }

  /** Ends the process now: commands that have not started never do. */
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
    // In its own session, so that its ssh finds no terminal to ask in.
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    const child = spawn(file, words, { cwd: this.#work, env: marked, detached: true, stdio: [...stdio] });
    this.#child = child;
    child.stderr?.on('data', (data: Buffer) => {
      this.#complaint = `${this.#complaint}${data.toString()}`.slice(-MAX_COMPLAINT_CHARS);
    });
    child.once('error', (error) => void this.#end(messageOf(error)));
    child.once('close', (code) => void this.#end(this.#whyEnded(code)));
    this.#timers.push(setInterval(() => void this.#look(), LOOK_MS));
    // Hosts beyond Ansible's limit wait for others.
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
      // The process has already ended.
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
    // Only dropped hosts are still waiting.
    if (this.#dropped && this.#waiting.size === 0) this.#stop();
  }

  /** Undefined while the report is incomplete: it is written in pieces. */
  async #carriedOf(at: number): Promise<Carried | undefined> {
    const path = join(this.#work, 'told', aliasOf(at));
    try {
      if ((await stat(path)).size > MAX_REPORT_BYTES) return { kind: 'failed', why: 'its report is too large' };
      return readCarried(await readFile(path, 'utf8'), this.#options.command);
    } catch {
      return undefined;
    }
  }

  async #end(why: string): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    for (const timer of this.#timers) clearTimeout(timer);
    // Another check may be running; hosts it has reported are not reported again.
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
