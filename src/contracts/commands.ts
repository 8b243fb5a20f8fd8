/**
 * Commands that run: what every executor of them offers, to the engine, to `:` commands, and to front ends; and jobs.
 */
import type { CommandResult } from '../session/action.ts';
import type { Attempt } from '../session/phase.ts';
import type { Review } from '../session/question.ts';

/** The rendered screen of a command, also after its end. */
export type LiveOutput = {
  /** Grows with every change: what was read at one version need not be read again. */
  readonly version: number;
  /** Raw bytes received. */
  readonly bytes: number;
  /**
   * The last rendered lines, at most `max`, with SGR colours, safe hyperlinks and nothing else. Cheap; cached per
   * version.
   */
  lines(max: number): readonly string[];
  /** It has cleared the screen at least once. */
  readonly cleared: boolean;
  /** What stands left of the cursor in its row, blanks kept: a question that waits for an answer, mostly. */
  readonly promptText: string;
  /** Calls `listener` after each change, some hundred times a second at most; returns how to stop. */
  subscribe(listener: () => void): () => void;
};

/** How far a shell within a command is. Its own word, or that of what it prints: for showing only. */
export type NestedShell = {
  /** A command of its own runs. */
  readonly busy: boolean;
  /** How the last one ended, where it told. */
  readonly exit?: number;
};

/** What a program has asked for of the keyboard and of pasted blocks. */
export type KeyboardModes = {
  /** Kitty's protocol: keys that share a code are told apart. */
  readonly disambiguates: boolean;
  /** DECCKM: cursor keys as SS3. */
  readonly applicationCursor: boolean;
  /** A pasted block stands in brackets. */
  readonly bracketsPastes: boolean;
};

/** What the user's terminal has told of itself, for programs that ask. */
export type TerminalFacts = {
  /** `rgb:rrrr/gggg/bbbb` of text (`10`), behind it (`11`), of palette entry N (`4;N`). */
  readonly colours: Readonly<Record<string, string>>;
  /** It speaks kitty's keyboard protocol. */
  readonly kitty: boolean;
};

/** A command that runs, from its start to its result. */
export type RunningCommand = {
  readonly output: LiveOutput;
  /** The process it runs in: the shell's own for a command of the user. */
  readonly pid: number;
  /** It shows a full screen of its own (vim, less) and should be given the terminal. */
  readonly fullScreen: boolean;
  /**
   * It waits for input. Known some 50 ms after a question; if it prompts with no text, or in ways that can't be
   * observed, later or never.
   */
  readonly asks: boolean;
  /** What it waits for is not echoed: a password. Always known. */
  readonly echoOff: boolean;
  /** The name of the program that asks, where it can be known. */
  readonly asker: string | undefined;
  /** What waits is a shell of its own (`bash`, ssh): its commands are one block here. */
  readonly asksAsShell: boolean;
  /** What a shell in it tells of its commands by marks (OSC 133); undefined where none has told anything. */
  readonly nested: NestedShell | undefined;
  readonly keyboard: KeyboardModes;
  /** Called when `fullScreen`, `asks`, `echoOff` or `nested` changed; returns how to stop. */
  onModes(listener: () => void): () => void;
  /**
   * Hands over the bytes of its full screen for the real terminal, less what would outlast it (title, clipboard …):
   * first what was painted since the switch, then as it comes, up to and with the switch back. While anyone listens,
   * the program's queries are the listener's to answer. Returns how to stop.
   */
  rawOutput(listener: (data: Buffer) => void): () => void;
  /** Keys for it. */
  write(data: string): void;
  resize(columns: number, rows: number): void;
  /** SIGINT; SIGTERM 2 s and SIGKILL 4 s later if it does not go. Again while one is under way: the next one now. */
  interrupt(): void;
  /** Ends it as closing its terminal would: what was detached in it stays. */
  hangUp(): void;
  /** Resolves when it has ended; never rejects. */
  readonly result: Promise<CommandResult>;
  /**
   * Behind the result, once: what was typed for it that nobody read, as lines. Empty for none, for what was typed while
   * typing was hidden, and for all but the user's own commands.
   */
  unread(): Promise<string>;
};

/**
 * What the kernel lets a command of the model do. `restricted`: read. `project`: read, and write the tree of its
 * project and private temporary directories; no network but the session's loopback, no signals outside, no Unix
 * sockets.
 */
export type Confinement = 'restricted' | 'project' | 'unrestricted';

/** What a command of the model left that only the user decides on: the model's next step waits for it (MO-9, EF-1). */
export type Leftover = Omit<Review, 'command'> & {
  /** Carries the answer out; a line about it, for the model as well. Never rejects. */
  settle(yes: boolean): Promise<string>;
};

/** The same of a command whose program was closed before the user had spoken. */
export type LeftBehind = { readonly command: string; readonly left: Leftover };

/** `once`: for the command that waits; `always`: until the job, the run or the session ends. */
export type NetworkAnswer = 'once' | 'always' | 'no';

/** How a command of Project fares with the network (MO-10). */
export type Connecting = {
  /** For how long the user has been asked about its connections so far. Ms. */
  askedMs(): number;
  /** Behind its end, which withdraws its questions: what it had asked for and never got. */
  gaveUp(): GaveUp | undefined;
};

/** What a program gave up to wait for. */
export type GaveUp = {
  readonly program: string;
  readonly items: readonly string[];
  /** The run under way, with which an answer for longer ends. */
  readonly run?: string | undefined;
  /** The user has said yes to all of it, too late. */
  readonly isAllowed: boolean;
  /** Takes the answer for the command that runs next. */
  settle(said: NetworkAnswer): void;
};

/** How a command of the model is to run. */
export type LaunchOptions = {
  readonly cwd: string;
  readonly mode: Confinement;
  readonly signal: AbortSignal;
  /** It behaves the same without a terminal: none need be made. */
  readonly pipes?: boolean;
  /** In Unrestricted: outside the light sandbox, where that is on. */
  readonly outside?: boolean;
  /** The user was asked what it may destroy, and said yes. */
  readonly approved?: boolean;
  /** Variables beside those of the user's shell. */
  readonly env?: Readonly<Record<string, string>>;
};

/** A command of the model that is ready to begin. Nothing of it runs before. */
export type PreparedCommand = {
  /** Called at most once. */
  begin(): RunningCommand;
  /** One that has not begun never does, and leaves nothing behind. Idempotent; never throws. */
  drop(): void;
};

/** Runs commands of the model, each in a fresh shell (EX-10). */
export type AgentCommands = {
  /** Behind the result of one of its commands: what it left. Never rejects. */
  left?(running: RunningCommand): Promise<Leftover | undefined>;
  /** Behind that: what of it can be taken back, and whether that is all it changed; undefined: nothing is kept. */
  attempt?(running: RunningCommand): Attempt | undefined;
  /** Whether one of its commands was in the light sandbox of Unrestricted. */
  isLight?(running: RunningCommand): boolean;
  /** How it fares with the network; undefined where it has none to ask for. */
  connecting?(running: RunningCommand): Connecting | undefined;
  /** Takes it back, or nothing of it; why not, in a line. Once it is taken back, it does nothing. Never rejects. */
  takeBack?(action: number): Promise<string | undefined>;
  /** What commands of earlier programs of this session left, and nobody has answered. Never rejects. */
  waiting?(): Promise<readonly LeftBehind[]>;
  /** Where it rejects, as it does once `signal` has fired, it has started nothing. */
  run(command: string, options: LaunchOptions): Promise<RunningCommand>;
  /**
   * All of `run` that comes before the command itself; undefined where there is no such part. Rejects as `run` does.
   */
  prepare?(command: string, options: LaunchOptions): Promise<PreparedCommand> | undefined;
};

/** Runs commands of the user beside their shell: by its program, where it is, with its environment (`:bg`). */
export type UserCommands = { run(command: string): Promise<RunningCommand> };

/** A job that only the user's shell knows of. */
export type ShellJob = { readonly group: number; readonly command: string; readonly stopped: boolean };

/** Adds a job to the list of jobs: its number there, and how to take it out again without reporting its end. */
export type Adopt = (job: RunningCommand) => { readonly id: number; readonly release: () => void };

/** A search of the history that the user has bound to Ctrl-R in their shell: it has the terminal until it ends. */
export type OwnSearch = {
  /** Keys for it. */
  write(data: string): void;
  /** The line that it leaves; undefined for none. */
  readonly result: Promise<string | undefined>;
};

/** The user's own interactive shell: what a line changes in it lasts (EX-1). */
export type InteractiveShell = {
  /** The working directory as of the last prompt. */
  readonly cwd: string;
  /**
   * Runs a line, or several, as if typed; behind one that still runs. `keep: false` leaves it out of the shell's
   * history.
   */
  run(line: string, options: { readonly keep: boolean }): RunningCommand;
  /** Its terminal has another size, whether anything runs in it or not. */
  resize(columns: number, rows: number): void;
  /** Sends the program in the foreground to the background, as Ctrl-Z and `bg` do; why not, where it can't. */
  background(adopt: Adopt): Promise<string | undefined>;
  /** The line that brings such a job back; undefined for any other. */
  lineToResume(job: RunningCommand): string | undefined;
  /** What else the shell keeps in the background: what the user sent there with the shell's own means. */
  jobs(): readonly ShellJob[];
  /** Asks one of those to end; false: there is none with this process group. */
  endJob(group: number): boolean;
};

// Background jobs (EX-8): commands that run beside the conversation, the user's and the model's.

export type JobFacts = {
  readonly command: string;
  /** Who started it: the model's jobs are reported to the model. */
  readonly owner: 'user' | 'model';
  /** The mode it was started in and keeps (MO-4); the user's own have none. */
  readonly mode?: string;
};

export type Job = JobFacts & {
  readonly id: number;
  readonly running: RunningCommand;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Set when it has ended. */
  readonly result?: CommandResult;
};

export type Jobs = {
  /** Keeps a command that runs as a job; its number. */
  adopt(running: RunningCommand, facts: JobFacts): number;
  /** Takes a job out of the list; the end of one that runs is not told. */
  release(id: number): void;
  find(id: number): Job | undefined;
  /** All jobs that were not released, oldest first. */
  list(): readonly Job[];
  /** Those of them that still run. */
  running(): readonly Job[];
  /** Stops a job as Ctrl-C does, harder if it does not go; false: no such job runs. */
  kill(id: number): boolean;
  /** What a job printed since the last call, as plain text; of a screen redrawn in place, the screen as it is now. */
  readSince(id: number): string | undefined;
  /** Calls `listener` when a job has ended; returns how to stop. */
  onEnd(listener: (job: Job) => void): () => void;
};
