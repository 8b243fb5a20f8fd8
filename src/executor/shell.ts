import type {
  Adopt,
  InteractiveShell,
  OwnSearch,
  RunningCommand,
  ShellJob,
  TerminalFacts,
} from '../contracts/commands.ts';
import type { RemoteShell } from '../contracts/machine.ts';
import type { CommandResult } from '../session/action.ts';
import { plainText } from '../text/sanitize.ts';
import type { Fact, Question } from './completion/complete.ts';
import type { ShellState, TerminalSize } from './driven-shell.ts';
import type { EditorShell } from './editor-shell.ts';
import type { Environment } from './environment.ts';
import { PassthroughFilter } from './full-screen-output.ts';
import { backgroundOf, findProcess, isAlive, signal } from './processes.ts';
import { Run, type RunOptions } from './running.ts';
import { idleText } from './shell-integration/integration.ts';
import { noteOnEnd, type ShellEnd, ShellSupervisor } from './shell-supervisor.ts';
import { ignoresCtrlC, StopCompleter, Stopper, shellStopper, suspendGroup } from './stopper.ts';
import type { TerminalModes } from './terminal-state.ts';

/** Milliseconds after an interrupt without a reported end: the hooks may be lost. */
const END_TIMEOUT_MS = 300;
/** Milliseconds that the user's own search waits for the prompt. */
const SEARCH_TIMEOUT_MS = 3000;
/** How many commands can wait to be added to the history with the next line. */
const MAX_REMEMBERED = 1000;
/** The exit codes of a stopped command: 128 + SIGTSTP or SIGSTOP. */
const STOPPED = new Set([148, 147]);

/** Starts the user's shell; resolves at its first prompt. Rejects if no shell can run at all. */
export async function startUserShell(options: UserShellOptions): Promise<UserShell> {
  const shell = new UserShell(options);
  await shell.start();
  return shell;
}

/** The user's own interactive shell, whose state persists between lines (EX-1). */
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
  /** Unread input is being taken out of the terminal. */
  #taking = false;
  #closing: Promise<void> | undefined;
  /** The shell will not be restarted. */
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

  /** Resolves at the first prompt. Rejects if no shell can run at all. */
  start(): Promise<void> {
    return this.#supervisor.start();
  }

  /** The path of the shell's program. */
  get program(): string {
    return this.#supervisor.program;
  }

  /** The shell’s process id; -1 without a process. */
  get pid(): number {
    return this.#pty?.pid ?? -1;
  }

  get #pty() {
    return this.#supervisor.process?.pty;
  }

  /** The shell’s directory at the last prompt. */
  get cwd(): string {
    return this.#cwd;
  }

  /** The shell’s reported state at the last prompt. */
  get state(): ShellState {
    return this.#supervisor.state;
  }

  get busy(): boolean {
    return this.#task !== undefined || this.#queue.length > 0;
  }

  /** The directories of the shell's PATH at the last prompt. */
  get path(): readonly string[] {
    return (this.#supervisor.state.env.PATH ?? '').split(':').filter((entry) => entry !== '');
  }

  /**
   * Runs one or more lines as if typed, after a line that still runs. `keep: false` keeps it out of the shell's
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
        takeInput: async () => (await this.#supervisor.process?.takeTyped()) ?? '',
        ...(far ? { modes: far.modes } : {}),
      },
    );
    const task: Task = { line, keep, hidden, run, stopper };
    return task;
  }

  /** Refuses an incomplete line: our prompt never sends one, so it came in another way. */
  #refuseRest(): void {
    if (this.#task) this.#task.unfinished = true;
  }

  /**
   * Moves the foreground program to the background, like Ctrl-Z and `bg`: it becomes a job of the shell, which is
   * free again. The rest of its line is dropped. Returns why that failed; undefined on success.
   */
  async background(adopt: Adopt): Promise<string | undefined> {
    const task = this.#task;
    if (!task || task.hidden || task.leave) return 'no command of yours is running';
    return this.#jobs.send(task, { ...this.#size, dataDir: this.#options.dataDir }, adopt);
  }

  lineToResume(job: RunningCommand): string | undefined {
    return this.#jobs.lineFor(job);
  }

  /** Adds a command that ran elsewhere to the shell's history, with the next line (EX-11). */
  remember(command: string): void {
    this.#remember = [...this.#remember.slice(1 - MAX_REMEMBERED), command];
  }

  jobs(): readonly ShellJob[] {
    return this.#jobs.others();
  }

  endJob(group: number): boolean {
    return this.#jobs.endOther(group);
  }

  /** Asks the shell itself for completions; undefined while a command runs, or after a timeout. */
  async complete(question: Question, signal: AbortSignal): Promise<readonly Fact[] | undefined> {
    await this.#atRest(signal);
    const { process } = this.#supervisor;
    if (!process || !this.#ready || this.busy || this.#closing || signal.aborted) return undefined;
    return process.complete(question, signal);
  }

  /** Starts the user's own history search; undefined without one, or while a line runs. */
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

  /** Waits a moment for the next prompt. */
  async #atRest(signal: AbortSignal, patience = END_TIMEOUT_MS): Promise<void> {
    const end = performance.now() + patience;
    while (!this.#ready && !this.busy && !signal.aborted && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** The exported environment at the last prompt (EX-10); right after a command, at the prompt that follows. */
  async environment(): Promise<Record<string, string>> {
    await this.#atRest(AbortSignal.timeout(END_TIMEOUT_MS));
    return { ...this.#supervisor.state.env };
  }

  /** Whether a word is an alias, function, builtin or keyword of the shell at the last prompt. */
  knows(word: string): boolean {
    return word !== '' && this.#supervisor.state.words.has(word);
  }

  /** Sends keys to the program that reads the shell's terminal. */
  write(data: string): void {
    this.#supervisor.process?.write(data);
    const task = this.#task;
    if (task && data.includes('\x1a')) this.#stops.complete(this.pid);
    if (!data.includes('\x03') || !task) return;
    this.#expectEnd(task);
    void ignoresCtrlC(this.#pty).then((ignored) => ignored && this.#task === task && this.#interrupt(task));
  }

  resize(columns: number, rows: number): void {
    this.#size = { columns, rows };
    if (this.#task) this.#task.run.resize(columns, rows);
    else this.#supervisor.process?.resize(columns, rows);
  }

  /**
   * Ends the shell as closing a terminal would: its history is saved, detached processes survive. Resolves at its
   * end. Idempotent.
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
      // If the prompt does not come, its hooks are lost: then ask for a prompt.
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
    // The next line waits for the prompt, so that it can't overwrite a half-read state.
    this.#ready = false;
    this.#supervisor.process?.run({
      text: task.line,
      keep: task.keep,
      hidden: task.hidden,
      remember: this.#remember.splice(0),
    });
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
    // In fish a stopped program does not change $status.
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

// Stops and watches a command of a shell on a host; only ssh runs on this machine.

/** ssh's exit code if its connection fails. */
const LOST = 255;

type FarControl = { stopper(): Stopper; modes(): Promise<TerminalModes> };

/** Undefined for a local shell. */
function farControl(there: RemoteShell | undefined, shell: () => EditorShell | undefined): FarControl | undefined {
  if (!there) return undefined;
  const signal = (name: 'TERM' | 'KILL') => () => {
    const files = shell()?.seat?.files;
    if (files) there.signal(files, name);
  };
  const atLast = () => {
    signal('KILL')();
    // A hanging connection can't transmit signals.
    void there.isLost(LOST).then((lost) => lost && shell()?.pty.dispose());
  };
  return {
    // Ctrl-C is sent as a key; the host does the rest.
    stopper: () => new Stopper([() => shell()?.write('\x03'), signal('TERM'), atLast]),
    modes: async () => {
      const files = shell()?.seat?.files;
      return files ? there.modes(files) : { echo: true, lines: true };
    },
  };
}

export type UserShellOptions = {
  /** `$SHELL`; other shells than bash, zsh and fish fall back to bash. */
  readonly shell?: string;
  /** The host it runs on; absent: this machine. */
  readonly there?: RemoteShell;
  /** The directory in which the shell starts. */
  readonly cwd: string;
  readonly env: Environment;
  readonly columns: number;
  readonly rows: number;
  /** A private directory for full-output files. */
  readonly dataDir: string;
  /** Facts about the outer terminal, for programs that ask. */
  readonly facts?: () => TerminalFacts;
  /** The shell ended and was restarted (or not, with `restarted: false`): one line for the user. */
  readonly onExit?: (end: ShellEnd) => void;
  readonly onMove?: (cwd: string) => void;
  /** The shell waits for a line and has reported its state. */
  readonly onPrompt?: () => void;
  /** Clean text printed while no command ran: by background jobs, prompt hooks, startup files. */
  readonly onIdleOutput?: (text: string) => void;
};

/** How often a job is polled, and how long a busy shell may take to report its exit code. In ms. */
const POLL_INTERVAL_MS = 250;
const EXIT_CODE_TIMEOUT_MS = 10_000;

/** The exit code of a suspended command: 128 + SIGTSTP. */
const SUSPENDED = 148;

/** The characters that the line editor prints around an empty prompt. */
const PROMPT_NOISE = /\r\x1b\[K\r/g;

/** The shell's messages about jobs, `[1]+  Done  …`: aish-tui reports their end itself. */
const WORD_ON_JOB =
  /(^|\n)\r?\[\d+\] *[-+]? +(?:\d+ +)?(?:done|exit|terminated|interrupt|killed|hangup|running|stopped|suspended|continued)\b[^\n]*\n?/gi;

/** The exit status in such a message, in the untranslated words of bash and zsh. */
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
  /** The line is aish-tui's own. */
  readonly hidden: boolean;
  readonly run: Run;
  readonly stopper: Stopper;
  late?: NodeJS.Timeout;
  /** The shell asked for the rest of the line. */
  unfinished?: boolean;
  /** The line is being moved to the background: called with its directory, or undefined if it ended instead. */
  leave?: (cwd: string | undefined) => void;
  /** The process group that is moved. */
  group?: number;
};

const isFish = (program: string) => program.endsWith('/fish');
const isStopped = (group: number | undefined) => group !== undefined && findProcess(group)?.state === 'T';

type JobHost = {
  /** Runs a line of aish-tui's own in the shell, before any of the user's. */
  readonly hidden: (text: string) => Promise<CommandResult>;
  readonly shellPid: () => number;
  readonly program: () => string;
  readonly cwd: () => string;
  readonly say: (text: string) => void;
  /** Whether `wait` reports the exit code of an ended job: zsh's does not. */
  readonly remembersExits: () => boolean;
};

type Job = {
  readonly run: Run;
  readonly group: number;
  /** The shell's number for the job. */
  readonly number: number;
  /** The process whose exit code is the job's. */
  readonly last: number;
  readonly id: number;
  readonly release: () => void;
  stopped: boolean;
  /** The exit code, if the shell has printed how the job ended. */
  shown?: number;
  /** The user has requested the line that brings it to the foreground. */
  recalled: boolean;
};

/**
 * The user's commands that were moved to the background of their shell. They stay the shell's own jobs, so that
 * `jobs`, `fg` and `wait` work; this class watches them. They still write to the shell's terminal: output while the
 * shell is idle and one such job runs belongs to that job. Output while another command runs can't be separated from
 * that command's.
 */
class ShellJobs {
  readonly #host: JobHost;
  readonly #jobs = new Set<Job>();
  /** Jobs whose exit status is being requested from the shell. */
  readonly #ending = new Set<Job>();
  #timer: NodeJS.Timeout | undefined;

  constructor(host: JobHost) {
    this.#host = host;
  }

  /** Moves the program of `task` to the background; returns why that failed. */
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
   * Continues a stopped process group in the background and watches it. Returns its job number; undefined if the shell
   * has lost it.
   */
  async #take(group: number, options: RunOptions, adopt: Adopt): Promise<number | undefined> {
    // A user's alias must not run instead; in fish `\b` is a character.
    const builtin = isFish(this.#host.program()) ? 'builtin' : '\\builtin';
    const list = isFish(this.#host.program()) ? 'jobs' : 'jobs -l';
    const { head } = await this.#host.hidden(`${builtin} bg >/dev/null 2>&1; ${builtin} ${list}`);
    const found = findJob(head, group);
    if (!found) return undefined;
    const stopper = new Stopper(
      (['SIGINT', 'SIGTERM', 'SIGKILL'] as const).map((name) => () => {
        signal(-group, name);
        // A stopped process handles other signals only after it continues.
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
      // A job of the shell ends only when the shell’s terminal is closed.
      hangUp: () => {},
    });
    void run.result.then(() => stopper.done());
    const { id, release } = adopt(run);
    this.#jobs.add({ ...found, run, group, id, release, stopped: false, recalled: false });
    this.#timer ??= setInterval(() => this.#look(), POLL_INTERVAL_MS).unref();
    return id;
  }

  /** Takes output printed while the shell was idle, if it can only be a job's; else returns false. */
  feed(data: Buffer): boolean {
    // A job's last output may come after its end is known.
    const [job, another] = [...this.#jobs, ...this.#ending];
    this.hear(data);
    if (!job || another) return false;
    const text = data.toString('latin1').replace(PROMPT_NOISE, '').replace(WORD_ON_JOB, '$1');
    if (text !== '') job.run.feed(Buffer.from(text, 'latin1'));
    return true;
  }

  /** Searches the terminal's output for the shell's message on how a job ended. */
  hear(data: Buffer): Buffer {
    if (this.#jobs.size === 0 && this.#ending.size === 0) return data;
    for (const [, number, word = ''] of data.toString('latin1').matchAll(END_OF_JOB)) {
      const exit = /\d+/.exec(word)?.[0] ?? EXIT_OF[word.toLowerCase()];
      const job = [...this.#jobs, ...this.#ending].find((each) => each.number === Number(number));
      // A running job has not ended, whatever a program prints.
      if (job && exit !== undefined && !isAlive(-job.group)) job.shown = Number(exit);
    }
    return data;
  }

  /** All other background process groups of the shell, which the user started with the shell's own means. */
  others(): readonly ShellJob[] {
    const own = new Set([...this.#jobs].map((job) => job.group));
    const shell = this.#host.shellPid();
    return shell < 0 ? [] : backgroundOf(shell).filter(({ group }) => !own.has(group));
  }

  /** Asks one of `others` to end; false if no such process group exists. */
  endOther(group: number): boolean {
    if (!this.others().some((job) => job.group === group)) return false;
    signal(-group, 'SIGTERM');
    // A stopped process handles the signal after it continues.
    signal(-group, 'SIGCONT');
    return true;
  }

  /** Returns the line that brings a job back to the foreground of the shell. */
  lineFor(run: RunningCommand): string | undefined {
    const job = [...this.#jobs].find((each) => each.run === run);
    if (job === undefined) return undefined;
    job.recalled = true;
    return `fg %${job.number}`;
  }

  /** The program ends; the jobs stay the shell's. */
  dispose(): void {
    clearInterval(this.#timer);
    for (const { run } of this.#jobs) void run.end(null, this.#host.cwd(), 'the program ended');
    this.#jobs.clear();
  }

  #look(): void {
    const front = findProcess(this.#host.shellPid())?.foreground;
    for (const job of this.#jobs) {
      const alive = isAlive(-job.group);
      // The job may have come to the foreground and ended there between two checks.
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

  /** Undefined if the shell has forgotten the job, which it does after reporting its end with any other command. */
  async #exitOf({ last }: Job): Promise<number | undefined> {
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise<undefined>((resolve) => {
      late = setTimeout(() => resolve(undefined), EXIT_CODE_TIMEOUT_MS);
      late.unref();
    });
    const remembers = this.#host.remembersExits();
    // The shell reports a job before a prompt; the second line makes such a prompt come.
    const ask = () => this.#host.hidden(remembers ? `\\builtin wait ${last}` : ':');
    const told = await Promise.race([remembers ? ask() : ask().then(ask), patience]);
    clearTimeout(late);
    const forgotten = !remembers || (told?.exit === 127 && told.head.includes('wait:'));
    return forgotten ? undefined : (told?.exit ?? undefined);
  }
}

/** Finds a job in the output of `jobs -l`: its number, and the last process of its pipeline (in fish, its group). */
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
