import type {
  Adopt,
  InteractiveShell,
  OwnSearch,
  RunningCommand,
  ShellJob,
  TerminalFacts,
} from '../contracts/commands.ts';
import type { ShellThere } from '../contracts/machine.ts';
import type { CommandResult } from '../session/action.ts';
import { plainText } from '../text/sanitize.ts';
import type { Fact, Question } from './completion/complete.ts';
import type { DrivenShell, ShellState, TerminalSize } from './driven-shell.ts';
import type { Environment } from './environment.ts';
import { PassthroughFilter } from './full-screen-output.ts';
import { backgroundOf, findProcess, isAlive, signal } from './processes.ts';
import { Run, type RunOptions } from './running.ts';
import { idleText } from './shell-integration/integration.ts';
import { noteOnEnd, type ShellEnd, ShellSupervisor } from './shell-supervisor.ts';
import { ignoresCtrlC, StopCompleter, Stopper, shellStopper, suspendGroup } from './stopper.ts';
import type { TerminalModes } from './terminal-state.ts';
import { drainInput } from './typeahead.ts';

/** After an interrupt whose end was not reported: hooks may be gone. */
const END_TIMEOUT_MS = 300;
/** How long the user's own search waits for the prompt. Ms. */
const SEARCH_TIMEOUT_MS = 3000;
/** Commands that wait for the next line to be remembered with. */
const MAX_REMEMBERED = 1000;
/** How the shell reports that a command was stopped: 128 + SIGTSTP or SIGSTOP. */
const STOPPED = new Set([148, 147]);

/** Starts the user's shell; resolves at its first prompt. Rejects where no shell can be run at all. */
export async function startUserShell(options: UserShellOptions): Promise<UserShell> {
  const shell = new UserShell(options);
  await shell.start();
  return shell;
}

/** The user's own interactive shell: what a line changes in it lasts (EX-1). */
export class UserShell implements InteractiveShell {
  readonly #options: UserShellOptions;
  readonly #supervisor: ShellSupervisor;
  readonly #stops = new StopCompleter();
  #cwd: string;
  #size: TerminalSize;
  #task: Task | undefined;
  #queue: Task[] = [];
  #remember: string[] = [];
  #ready = false;
  #keysSent = false;
  /** Unread input is being taken out of the terminal. */
  #taking = false;
  #closing: Promise<void> | undefined;
  /** It will not be started again. */
  #gone = false;
  #overdue: NodeJS.Timeout | undefined;
  readonly #jobs: ShellJobs;

  constructor(options: UserShellOptions) {
    this.#options = options;
    this.#cwd = options.cwd;
    this.#size = { columns: options.columns, rows: options.rows };
    this.#supervisor = new ShellSupervisor(
      {
        there: options.there,
        shell: options.shell ?? options.env.SHELL ?? '',
        env: options.env,
        place: () => ({ cwd: this.#cwd, ...this.#size }),
        commandRuns: () => this.#task !== undefined,
      },
      {
        onIdle: (data) => this.#tellIdle(data),
        onOutput: (data) => this.#task?.run.feed(this.#jobs.hear(data)),
        onStart: () => this.#task?.run.begin(),
        onEnd: (exit, cwd) => this.#ended(exit, cwd),
        onReady: (cwd) => this.#atPrompt(cwd),
        onRest: () => this.#refuseRest(),
        onNotice: (text) => options.onIdleOutput?.(`[aish] ${text}`),
        onExit: (end) => this.#exited(end),
      },
    );
    this.#jobs = new ShellJobs({
      hidden: (text) => this.#submit(text, { keep: false, hidden: true }).result,
      shellPid: () => this.#pty?.pid ?? -1,
      cwd: () => this.#cwd,
      say: (text) => options.onIdleOutput?.(text),
      program: () => this.program,
      remembersExits: () => this.#supervisor.process?.remembersExits ?? false,
    });
  }

  /** Resolves at the first prompt. Rejects where no shell can be run at all. */
  start(): Promise<void> {
    return this.#supervisor.start();
  }

  /** The program that runs it. */
  get program(): string {
    return this.#supervisor.program;
  }

  /** Its process; -1 while there is none. */
  get pid(): number {
    return this.#pty?.pid ?? -1;
  }

  get #pty() {
    return this.#supervisor.process?.pty;
  }

  /** The place it is at as of the last prompt. */
  get cwd(): string {
    return this.#cwd;
  }

  /** What it told of itself at its last prompt. */
  get state(): ShellState {
    return this.#supervisor.state;
  }

  get busy(): boolean {
    return this.#task !== undefined || this.#queue.length > 0;
  }

  /** The directories of the shell's PATH, as of the last prompt. */
  get path(): readonly string[] {
    return (this.#supervisor.state.env.PATH ?? '').split(':').filter((entry) => entry !== '');
  }

  /**
   * Runs a line, or several, as if typed; behind one that still runs. `keep: false` leaves it out of the shell's
   * history, as a leading blank does.
   */
  run(line: string, { keep = !line.startsWith(' ') }: { readonly keep?: boolean } = {}): RunningCommand {
    return this.#submit(line, { keep, hidden: false });
  }

  #submit(line: string, { keep, hidden }: { readonly keep: boolean; readonly hidden: boolean }): RunningCommand {
    const task = this.#newTask(line, { keep, hidden });
    if (this.#gone) {
      this.#finish(task, null, this.#cwd, 'there is no shell');
      return task.run;
    }
    this.#queue.splice(hidden ? 0 : this.#queue.length, 0, task);
    this.#next();
    return task.run;
  }

  #newTask(line: string, { keep, hidden }: { readonly keep: boolean; readonly hidden: boolean }): Task {
    const far = farControl(this.#options.there, () => this.#supervisor.process);
    const stopper = far ? far.stopper() : shellStopper(() => this.#pty?.pid);
    const run: Run = new Run(
      { ...this.#size, dataDir: this.#options.dataDir, facts: this.#options.facts },
      {
        pid: () => this.#pty?.pid ?? -1,
        slave: () => this.#pty?.slave ?? '',
        write: (data) => {
          if (this.#task?.run === run) this.write(data);
        },
        resize: (columns, rows) => this.#supervisor.process?.resize(columns, rows),
        pause: () => this.#pty?.pause(),
        resume: () => this.#pty?.resume(),
        interrupt: () => this.#interrupt(task),
        hangUp: () => {},
        takeInput: () => this.#takeInput(),
        edited: () => this.#supervisor.process?.takeTyped !== undefined,
        ...(far ? { modes: far.modes } : {}),
      },
    );
    const task: Task = { line, keep, hidden, run, stopper };
    return task;
  }

  /** Half a line: a prompt of ours keeps one until it is whole, so this came by another way. */
  #refuseRest(): void {
    if (this.#task) this.#task.unfinished = true;
  }

  /**
   * Sends the program in the foreground to the background, as Ctrl-Z and `bg` do: it becomes a job of the shell, which
   * is free again. Gives why not, where it can't; undefined once it is one. What stood behind it in its line is done
   * with.
   */
  async background(adopt: Adopt): Promise<string | undefined> {
    const task = this.#task;
    if (!task || task.hidden || task.leave) return 'no command of yours is running';
    return this.#jobs.send(task, { ...this.#size, dataDir: this.#options.dataDir }, adopt);
  }

  lineToResume(job: RunningCommand): string | undefined {
    return this.#jobs.lineFor(job);
  }

  /** Puts a command that was run elsewhere into the shell's history, with the next line (EX-11). */
  remember(command: string): void {
    this.#remember = [...this.#remember.slice(1 - MAX_REMEMBERED), command];
  }

  jobs(): readonly ShellJob[] {
    return this.#jobs.others();
  }

  endJob(group: number): boolean {
    return this.#jobs.endOther(group);
  }

  /** What the shell itself says may stand at the cursor; undefined while a command runs, or when it takes too long. */
  async complete(question: Question, signal: AbortSignal): Promise<readonly Fact[] | undefined> {
    await this.#atRest(signal);
    const { process } = this.#supervisor;
    if (!process || !this.#ready || this.busy || this.#closing || signal.aborted) return undefined;
    if (process.promptsAfterQuestion) this.#ready = false;
    return process.complete(question, signal);
  }

  /** Starts the user's own search of the history; undefined where there is none, or a line runs. */
  search(line: string, size: TerminalSize, onData: (data: Buffer) => void): OwnSearch | undefined {
    const { process } = this.#supervisor;
    if (!process?.search || !this.state.searches || this.busy || this.#taking || this.#closing) return undefined;
    this.#taking = true;
    const filter = new PassthroughFilter();
    const begin = () => process.search?.(line, size, (data) => onData(filter.pass(data)));
    const result = this.#atRest(AbortSignal.timeout(SEARCH_TIMEOUT_MS), SEARCH_TIMEOUT_MS).then(() =>
      this.#ready ? begin() : undefined,
    );
    const over = result.finally(() => {
      this.#taking = false;
      this.#next();
    });
    return { result: over, write: (keys) => process.write(keys) };
  }

  /** Waits a moment for the prompt that is about to come. */
  async #atRest(signal: AbortSignal, patience = END_TIMEOUT_MS): Promise<void> {
    const end = performance.now() + patience;
    while (!this.#ready && !this.busy && !signal.aborted && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /**
   * The exported environment as of the last prompt (EX-10); behind a command that has just ended, of the one to come.
   */
  async environment(): Promise<Record<string, string>> {
    await this.#atRest(AbortSignal.timeout(END_TIMEOUT_MS));
    return { ...this.#supervisor.state.env };
  }

  /** Whether a word is an alias, function, builtin or keyword of the shell, as of the last prompt. */
  knows(word: string): boolean {
    return word !== '' && this.#supervisor.state.words.has(word);
  }

  /** Keys for whatever has the shell's terminal. */
  write(data: string): void {
    this.#keysSent = true;
    this.#supervisor.process?.write(data);
    const task = this.#task;
    if (task && data.includes('\x1a')) this.#stops.complete(this.pid);
    if (!data.includes('\x03') || !task) return;
    this.#expectEnd(task);
    void ignoresCtrlC(this.#pty).then((ignored) => ignored && this.#task === task && this.#interrupt(task));
  }

  /** Takes unread input out of the terminal, once the shell is idle; further lines wait meanwhile. */
  async #takeInput(): Promise<string> {
    const typed = this.#supervisor.process?.takeTyped?.();
    if (typed !== undefined) return typed;
    await this.#atRest(AbortSignal.timeout(END_TIMEOUT_MS));
    if (this.busy || this.#closing) return '';
    this.#taking = true;
    return drainInput(this.#pty?.slave ?? '').finally(() => {
      this.#taking = false;
      this.#next();
    });
  }

  resize(columns: number, rows: number): void {
    this.#size = { columns, rows };
    if (this.#task) this.#task.run.resize(columns, rows);
    else this.#supervisor.process?.resize(columns, rows);
  }

  /**
   * Ends the shell as closing a terminal would: its history is saved, what was detached in it stays. Resolves when it
   * is gone. Idempotent.
   */
  dispose(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#gone = true;
    clearTimeout(this.#overdue);
    this.#jobs.dispose();
    const gone = this.#supervisor.dispose();
    for (const task of [this.#task, ...this.#queue]) {
      if (task) this.#finish(task, null, this.#cwd, 'the program ended');
    }
    this.#task = undefined;
    this.#queue = [];
    await gone;
  }

  #next(): void {
    if (this.#task || this.#taking || this.#closing || this.#queue.length === 0) return;
    if (!this.#ready) {
      // A prompt that does not come has lost its hooks: it is asked for.
      this.#overdue ??= setTimeout(() => {
        this.#overdue = undefined;
        if (!this.#ready && !this.#task && !this.#supervisor.starting) this.#supervisor.process?.askForEnd();
        this.#next();
      }, END_TIMEOUT_MS);
      return;
    }
    const task = this.#queue.shift();
    if (!task) return;
    this.#task = task;
    // The next line waits for the prompt: what it tells of the shell's state must not be overwritten half read.
    this.#ready = false;
    this.#supervisor.process?.run({
      text: task.line,
      keep: task.keep,
      drain: this.#keysSent,
      hidden: task.hidden,
      remember: this.#remember.splice(0),
    });
    this.#keysSent = false;
  }

  #ended(exit: number, cwd: string): void {
    const task = this.#task;
    if (!task) return;
    this.#task = undefined;
    this.#move(cwd);
    const note = task.stopper.stopping ? 'interrupted' : task.unfinished ? 'the command was not complete' : undefined;
    this.#finish(task, exit, cwd, note);
    this.#next();
  }

  #finish(task: Task, exit: number | null, cwd: string, note: string | undefined): void {
    clearTimeout(task.late);
    task.stopper.done();
    // A stopped program is no end in fish: $status stays as it was.
    const stopped = exit !== null && (STOPPED.has(exit) || (isFish(this.program) && isStopped(task.group)));
    const leaves = task.leave !== undefined && stopped;
    task.leave?.(leaves ? cwd : undefined);
    if (!leaves) void task.run.end(exit, cwd, note);
  }

  #atPrompt(cwd: string): void {
    this.#move(cwd);
    this.#ready = true;
    this.#options.onPrompt?.();
    this.#next();
  }

  #move(cwd: string): void {
    if (cwd === this.#cwd) return;
    this.#cwd = cwd;
    this.#options.onMove?.(cwd);
  }

  #exited(end: ShellEnd): void {
    this.#ready = false;
    const task = this.#task;
    this.#task = undefined;
    if (task) this.#finish(task, end.lost ? null : end.code, this.#cwd, noteOnEnd(end));
    this.#options.onExit?.(end);
    if (end.restarted) return;
    this.#gone = true;
    for (const waiting of this.#queue.splice(0)) this.#finish(waiting, null, this.#cwd, 'there is no shell');
  }

  #tellIdle(data: Buffer): void {
    if (this.#jobs.feed(data)) return;
    const text = idleText(data);
    if (plainText(text).trim() !== '') this.#options.onIdleOutput?.(text);
  }

  #interrupt(task: Task): void {
    const queued = this.#queue.indexOf(task);
    if (queued >= 0) {
      this.#queue.splice(queued, 1);
      this.#finish(task, null, this.#cwd, 'cancelled before it started');
      return;
    }
    task.stopper.stop();
    this.#expectEnd(task);
  }

  #expectEnd(task: Task): void {
    clearTimeout(task.late);
    task.late = setTimeout(() => {
      if (this.#task === task) this.#supervisor.process?.askForEnd();
    }, END_TIMEOUT_MS);
  }
}

// How a command of a shell on a host is stopped and watched: what is here of it is only ssh.

/** What ssh ends with when its connection does. */
const LOST = 255;

type FarControl = { stopper(): Stopper; modes(): Promise<TerminalModes> };

/** Undefined for a shell that runs here. */
function farControl(there: ShellThere | undefined, shell: () => DrivenShell | undefined): FarControl | undefined {
  if (!there) return undefined;
  const signal = (name: 'TERM' | 'KILL') => () => {
    const files = shell()?.seat?.files;
    if (files) there.signal(files, name);
  };
  const atLast = () => {
    signal('KILL')();
    // A connection that hangs takes no signal there.
    void there.isLost(LOST).then((lost) => lost && shell()?.pty.dispose());
  };
  return {
    // Ctrl-C goes there as a key; what it takes beside that, the host does.
    stopper: () => new Stopper([() => shell()?.write('\x03'), signal('TERM'), atLast]),
    modes: async () => {
      const files = shell()?.seat?.files;
      return files ? there.modes(files) : { echo: true, lines: true };
    },
  };
}

export type UserShellOptions = {
  /** `$SHELL`; whatever is none of bash, zsh and fish falls back to bash. */
  readonly shell?: string;
  /** Where it runs; absent: here. */
  readonly there?: ShellThere;
  /** Where it begins, as a place. */
  readonly cwd: string;
  readonly env: Environment;
  readonly columns: number;
  readonly rows: number;
  /** A private directory for full-output files. */
  readonly dataDir: string;
  /** What the outer terminal has told, for programs that ask. */
  readonly facts?: () => TerminalFacts;
  /** The shell ended and was started again (or, `restarted: false`, was not): one line for the user. */
  readonly onExit?: (end: ShellEnd) => void;
  readonly onMove?: (cwd: string) => void;
  /** It waits for a line; what it tells of itself is new. */
  readonly onPrompt?: () => void;
  /** Clean text printed while no command ran: by background jobs, prompt hooks, startup files. */
  readonly onIdleOutput?: (text: string) => void;
};

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
type Task = {
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
  /** The process group of what is sent. */
  group?: number;
};

const isFish = (program: string) => program.endsWith('/fish');
const isStopped = (group: number | undefined) => group !== undefined && findProcess(group)?.state === 'T';

type JobHost = {
  /** Runs a line of this program's own in the shell, before any of the user's. */
  readonly hidden: (text: string) => Promise<CommandResult>;
  readonly shellPid: () => number;
  readonly program: () => string;
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
class ShellJobs {
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
      task.group = group;
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
    // An alias of the user's must not run; in fish `\b` is a character.
    const builtin = isFish(this.#host.program()) ? 'builtin' : '\\builtin';
    const list = isFish(this.#host.program()) ? 'jobs' : 'jobs -l';
    const { head } = await this.#host.hidden(`${builtin} bg >/dev/null 2>&1; ${builtin} ${list}`);
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
    const stopped = isStopped(job.group);
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

/** A job in what `jobs -l` lists: its number, and the last process of its pipeline (in fish, its group). */
function findJob(listed: string, group: number): { readonly number: number; readonly last: number } | undefined {
  let found: { number: number; last: number } | undefined;
  for (const line of listed.split('\n')) {
    const first = /^\[(\d+)\]\s*[-+]?\s*(\d+)\s/.exec(line) ?? /^(\d+)\s+(\d+)\s/.exec(line);
    if (first) {
      if (found) return found;
      if (Number(first[2]) === group) found = { number: Number(first[1]), last: group };
    } else if (found) found.last = Number(/^\s+(\d+)\s/.exec(line)?.[1] ?? found.last);
  }
  return found;
}
