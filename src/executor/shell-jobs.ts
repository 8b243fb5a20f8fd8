import type { Adopt, RunningCommand, ShellJob } from '../contracts/commands.ts';
import type { CommandResult } from '../session/action.ts';
import { backgroundOf, findProcess, isAlive, signal } from './processes.ts';
import { Run, type RunOptions } from './running.ts';
import { Stopper, suspendGroup } from './stopper.ts';

/** How often a job is polled, and how long a busy shell may take to report its exit code. In ms. */
const POLL_INTERVAL_MS = 250;
const EXIT_CODE_TIMEOUT_MS = 10_000;

/** How a shell reports that a command was suspended: 128 + SIGTSTP. */
const SUSPENDED = 148;

/** What the line editor prints around a prompt that is empty. */
const PROMPT_NOISE = /\r\x1b\[K\r/g;

/** What a shell prints about its jobs, `[1]+  Done  …`: their end is reported otherwise. */
const WORD_ON_JOB =
  /(^|\n)\r?\[\d+\] *[-+]? +(?:\d+ +)?(?:done|exit|terminated|interrupt|killed|hangup|running|stopped|suspended|continued)\b[^\n]*\n?/gi;

/** What of it tells an exit code: in the words of bash and zsh without a translation. */
const END_OF_JOB = /(?:^|\n)\r?\[(\d+)\] *[-+]? +(?:\d+ +)?(done|exit +\d+|[a-z]+)\b/gi;
const EXIT_OF: Readonly<Record<string, number>> = {
  done: 0,
  hangup: 129,
  interrupt: 130,
  quit: 131,
  aborted: 134,
  abort: 134,
  killed: 137,
  terminated: 143,
};

/** A line on its way through the user's shell. */
export type Task = {
  readonly line: string;
  readonly keep: boolean;
  /** A line of this program's own. */
  readonly hidden: boolean;
  readonly run: Run;
  readonly stopper: Stopper;
  late?: NodeJS.Timeout;
  /** The shell asked for the rest of it. */
  unfinished?: boolean;
  /** It is being sent to the background: called with where it stopped, or undefined when it ended instead. */
  leave?: (cwd: string | undefined) => void;
};

export type JobHost = {
  /** Runs a line of this program's own in the shell, before any of the user's. */
  readonly hidden: (text: string) => Promise<CommandResult>;
  readonly shellPid: () => number;
  readonly cwd: () => string;
  readonly say: (text: string) => void;
  /** Whether `wait` reports the exit code of a job that has ended: zsh's does not. */
  readonly remembersExits: () => boolean;
};

type Job = {
  readonly run: Run;
  readonly group: number;
  /** What the shell calls it. */
  readonly number: number;
  /** The process whose exit code is the job's. */
  readonly last: number;
  readonly id: number;
  readonly release: () => void;
  stopped: boolean;
  /** Its exit code, where the shell has shown how it ended. */
  shown?: number;
  /** The line that brings it to the front was asked for. */
  recalled: boolean;
};

/**
 * Commands of the user's that were sent to the background within their shell. The shell keeps them as its own jobs, so
 * `jobs`, `fg` and `wait` work as ever; here they are watched. They still write to the shell's terminal: what comes
 * while the shell is idle and one such job runs is that job's output; what comes while another command runs can't be
 * told from that command's.
 */
export class ShellJobs {
  readonly #host: JobHost;
  readonly #jobs = new Set<Job>();
  /** Of which the shell is asked how they ended. */
  readonly #ending = new Set<Job>();
  #timer: NodeJS.Timeout | undefined;

  constructor(host: JobHost) {
    this.#host = host;
  }

  /** Sends the program that `task` runs to the background; why not, where it can't. */
  async send(task: Task, options: RunOptions, adopt: Adopt): Promise<string | undefined> {
    const shell = this.#host.shellPid();
    const group = findProcess(shell)?.foreground ?? -1;
    if (task.run.fullScreen) return 'it has the whole screen: its own Ctrl-Z stops it, fg resumes it';
    if (group <= 1 || group === shell)
      return 'the shell itself is running: there is no program to send to the background';
    const stopped = new Promise<string | undefined>((resolve) => {
      task.leave = resolve;
    });
    const letGo = suspendGroup(group);
    const cwd = await stopped;
    letGo();
    if (cwd === undefined)
      return isAlive(-group) ? 'only a part of the line stopped; jobs lists it' : 'it has just ended';
    const job = await this.#take(group, options, adopt);
    await task.run.end(SUSPENDED, cwd, job === undefined ? 'stopped; fg resumes it' : `continues as job ${job}`);
    return job === undefined ? 'the shell does not list it as a job: it is stopped' : undefined;
  }

  /**
   * Sets a stopped process group going in the background, and watches it; its number, or undefined if the shell has
   * lost it.
   */
  async #take(group: number, options: RunOptions, adopt: Adopt): Promise<number | undefined> {
    const { head } = await this.#host.hidden('\\builtin bg >/dev/null 2>&1; \\builtin jobs -l');
    const found = findJob(head, group);
    if (!found) return undefined;
    const stopper = new Stopper(
      (['SIGINT', 'SIGTERM', 'SIGKILL'] as const).map((name) => () => {
        signal(-group, name);
        // A stopped process handles other signals only once it continues.
        signal(-group, 'SIGCONT');
      }),
    );
    const run = new Run(options, {
      pid: () => group,
      slave: () => '',
      write: () => {},
      resize: () => {},
      pause: () => {},
      resume: () => {},
      interrupt: () => stopper.stop(),
      // Closing the shell's terminal is what ends it, if anything does.
      hangUp: () => {},
    });
    void run.result.then(() => stopper.done());
    const { id, release } = adopt(run);
    this.#jobs.add({ ...found, run, group, id, release, stopped: false, recalled: false });
    this.#timer ??= setInterval(() => this.#look(), POLL_INTERVAL_MS).unref();
    return id;
  }

  /** Takes output printed while the shell was idle, if it can only be a job's; false: it is not. */
  feed(data: Buffer): boolean {
    // What it printed last may come when it is known to have ended.
    const [job, another] = [...this.#jobs, ...this.#ending];
    this.hear(data);
    if (!job || another) return false;
    const text = data.toString('latin1').replace(PROMPT_NOISE, '').replace(WORD_ON_JOB, '$1');
    if (text !== '') job.run.feed(Buffer.from(text, 'latin1'));
    return true;
  }

  /** Looks in what the terminal shows for the shell's own word on how a job ended. */
  hear(data: Buffer): Buffer {
    if (this.#jobs.size === 0 && this.#ending.size === 0) return data;
    for (const [, number, word = ''] of data.toString('latin1').matchAll(END_OF_JOB)) {
      const exit = /\d+/.exec(word)?.[0] ?? EXIT_OF[word.toLowerCase()];
      const job = [...this.#jobs, ...this.#ending].find((each) => each.number === Number(number));
      // What still runs has not ended, whatever a program prints.
      if (job && exit !== undefined && !isAlive(-job.group)) job.shown = Number(exit);
    }
    return data;
  }

  /**
   * All other process groups that the shell keeps in the background: what the user sent there with the shell's own
   * means.
   */
  others(): readonly ShellJob[] {
    const own = new Set([...this.#jobs].map((job) => job.group));
    const shell = this.#host.shellPid();
    return shell < 0 ? [] : backgroundOf(shell).filter(({ group }) => !own.has(group));
  }

  /** Asks one of `others` to end; false: there is none with this process group. */
  endOther(group: number): boolean {
    if (!this.others().some((job) => job.group === group)) return false;
    signal(-group, 'SIGTERM');
    // A stopped process handles it once it continues.
    signal(-group, 'SIGCONT');
    return true;
  }

  /** The line that brings a job back to the front of the shell. */
  lineFor(run: RunningCommand): string | undefined {
    const job = [...this.#jobs].find((each) => each.run === run);
    if (job === undefined) return undefined;
    job.recalled = true;
    return `fg %${job.number}`;
  }

  /** The program ends; the jobs are the shell's. */
  dispose(): void {
    clearInterval(this.#timer);
    for (const { run } of this.#jobs) void run.end(null, this.#host.cwd(), 'the program ended');
    this.#jobs.clear();
  }

  #look(): void {
    const front = findProcess(this.#host.shellPid())?.foreground;
    for (const job of this.#jobs) {
      const alive = isAlive(-job.group);
      // It may have come to the front and ended there between two looks.
      if (alive ? job.group === front : job.recalled) {
        this.#drop(job);
        job.release();
        void job.run.end(null, this.#host.cwd(), 'back in the foreground');
      } else if (!alive) {
        this.#drop(job);
        void this.#tellEnd(job);
      } else this.#lookForStop(job);
    }
  }

  #drop(job: Job): void {
    this.#jobs.delete(job);
    if (this.#jobs.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #lookForStop(job: Job): void {
    const stopped = findProcess(job.group)?.state === 'T';
    if (stopped && !job.stopped) this.#host.say(`[aish] job ${job.id} is stopped: it waits for input; :fg ${job.id}`);
    job.stopped = stopped;
  }

  async #tellEnd(job: Job): Promise<void> {
    this.#ending.add(job);
    const exit = (await this.#exitOf(job)) ?? job.shown;
    this.#ending.delete(job);
    await job.run.end(
      exit ?? null,
      this.#host.cwd(),
      exit === undefined ? 'the shell did not report its exit code' : undefined,
    );
  }

  /** Undefined where the shell has forgotten it, which it does once it has shown its end behind any other command. */
  async #exitOf({ last }: Job): Promise<number | undefined> {
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise<undefined>((resolve) => {
      late = setTimeout(() => resolve(undefined), EXIT_CODE_TIMEOUT_MS);
      late.unref();
    });
    const remembers = this.#host.remembersExits();
    // It shows it before a prompt: the second line begins behind one.
    const ask = () => this.#host.hidden(remembers ? `\\builtin wait ${last}` : ':');
    const told = await Promise.race([remembers ? ask() : ask().then(ask), patience]);
    clearTimeout(late);
    const forgotten = !remembers || (told?.exit === 127 && told.head.includes('wait:'));
    return forgotten ? undefined : (told?.exit ?? undefined);
  }
}

/** A job in what `jobs -l` of bash or zsh lists: its number, and the last process of its pipeline. */
function findJob(listed: string, group: number): { readonly number: number; readonly last: number } | undefined {
  let found: { number: number; last: number } | undefined;
  for (const line of listed.split('\n')) {
    const first = /^\[(\d+)\]\s*[-+]?\s*(\d+)\s/.exec(line);
    if (first) {
      if (found) return found;
      if (Number(first[2]) === group) found = { number: Number(first[1]), last: group };
    } else if (found) found.last = Number(/^\s+(\d+)\s/.exec(line)?.[1] ?? found.last);
  }
  return found;
}
