import type {
  Adopt,
  InteractiveShell,
  OwnSearch,
  RunningCommand,
  ShellJob,
  TerminalFacts,
} from '../contracts/commands.ts';
import type { ShellThere } from '../contracts/machine.ts';
import { plainText } from '../text/sanitize.ts';
import type { Fact, Question } from './completion/complete.ts';
import type { DrivenShell, ShellState, TerminalSize } from './driven-shell.ts';
import type { Environment } from './environment.ts';
import { PassthroughFilter } from './full-screen-output.ts';
import { Run } from './running.ts';
import { idleText } from './shell-integration/integration.ts';
import { ShellJobs, type Task } from './shell-jobs.ts';
import { noteOnEnd, type ShellEnd, ShellSupervisor } from './shell-supervisor.ts';
import { completeStop, ignoresCtrlC, Stopper, shellStopper } from './stopper.ts';

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
    if (task && data.includes('\x1a')) completeStop(this.pid);
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
    const leaves = task.leave !== undefined && exit !== null && STOPPED.has(exit);
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
