/** Running commands, as every executor provides them to the engine, `:` commands and front ends; and jobs. */
import type { CommandResult } from '../session/action.ts';
import type { Attempt } from '../session/phase.ts';
import type { Review } from '../session/question.ts';

/** The rendered screen of a command, also after its end. */
export type LiveOutput = {
  /** Increases with every change, so that readers can skip unchanged versions. */
  readonly version: number;
  /** The number of raw bytes received. */
  readonly bytes: number;
  /** The last rendered lines, at most `max`, with SGR colours and safe hyperlinks only. Cheap; cached per version. */
  lines(max: number): readonly string[];
  /** The command has cleared the screen at least once. */
  readonly cleared: boolean;
  /** The text before the cursor in its row, with blanks: usually a question that waits for an answer. */
  readonly promptText: string;
  /**
   * Calls `listener` after each change, at most some hundred times a second; returns a function that unsubscribes.
   */
  subscribe(listener: () => void): () => void;
};

/** The state of a shell within a command, as its output claims: only for display. */
export type NestedShell = {
  /** Whether the nested shell runs a command. */
  readonly busy: boolean;
  /** The exit code of its last command, if reported. */
  readonly exit?: number;
};

/** Keyboard and paste modes that a program has requested. */
export type KeyboardModes = {
  /** Kitty's protocol: keys that share a code are distinguished. */
  readonly disambiguates: boolean;
  /** DECCKM: cursor keys as SS3. */
  readonly applicationCursor: boolean;
  /** Whether the program marks pasted text (bracketed paste). */
  readonly bracketsPastes: boolean;
};

/** Facts reported by the user's terminal, for programs that ask. */
export type TerminalFacts = {
  /** `rgb:rrrr/gggg/bbbb` of the text (`10`), the background (`11`), palette entry N (`4;N`). */
  readonly colours: Readonly<Record<string, string>>;
  /** The terminal supports kitty's keyboard protocol. */
  readonly kitty: boolean;
};

/** A running command, from its start to its result. */
export type RunningCommand = {
  readonly output: LiveOutput;
  /** The command’s process id; for a command of the user’s, the shell’s. */
  readonly pid: number;
  /** Whether the command draws a full screen (vim, less) and should get the terminal. */
  readonly fullScreen: boolean;
  /**
   * Whether the command waits for input. Known some 50 ms after a question; later or never if it asks without text, or
   * in ways that can’t be observed.
   */
  readonly asks: boolean;
  /** Whether echo is off, as for a password. Always known. */
  readonly echoOff: boolean;
  /** The name of the asking program, if known. */
  readonly asker: string | undefined;
  /** Whether the waiting program is a nested shell (`bash`, ssh), whose commands are one block here. */
  readonly asksAsShell: boolean;
  /** The facts that a nested shell reports by marks (OSC 133); undefined if it reports none. */
  readonly nested: NestedShell | undefined;
  readonly keyboard: KeyboardModes;
  /** Called when `fullScreen`, `asks`, `echoOff` or `nested` changes; returns a function that unsubscribes. */
  onModes(listener: () => void): () => void;
  /**
   * Passes on the bytes of the program's full screen for the real terminal, without effects that outlast it (title,
   * clipboard …): first everything since the switch to the full screen, then each output live, up to and including the
   * switch back. In that time the listener must answer the program's queries. Returns a function that unsubscribes.
   */
  rawOutput(listener: (data: Buffer) => void): () => void;
  /** Sends keys to the program. */
  write(data: string): void;
  resize(columns: number, rows: number): void;
  /**
   * Sends SIGINT; SIGTERM after 2 s and SIGKILL after 4 s if it does not end. A further call sends the next one at
   * once.
   */
  interrupt(): void;
  /** Ends it as closing its terminal would: detached processes survive. */
  hangUp(): void;
  /** Resolves at its end; never rejects. */
  readonly result: Promise<CommandResult>;
  /**
   * Returns once, after the result, the lines typed for it that nobody read. '' for none, for input while echo was
   * off, and for all but the user's own commands.
   */
  unread(): Promise<string>;
};

/**
 * The operations that the kernel allows a model’s command. `restricted`: only reading. `project`: reading, and writing
 * to the project’s tree and private temporary directories; no network but the session’s loopback, no signals to outside
 * processes, no Unix sockets.
 */
export type Confinement = 'restricted' | 'project' | 'unrestricted';

/** Something a model's command left for the user to decide; the model's next step waits for it (MO-9, EF-1). */
export type Leftover = Omit<Review, 'command'> & {
  /** Applies the answer; returns a line about it, for the model too. Never rejects. */
  settle(yes: boolean): Promise<string>;
};

/** The same for a command whose program closed before the user answered. */
export type UnansweredLeftover = { readonly command: string; readonly left: Leftover };

/** `once`: for the waiting command; `always`: until the job, run or session ends. */
export type NetworkAnswer = 'once' | 'always' | 'no';

/** A Project command's use of the network (MO-10). */
export type Connecting = {
  /** How long the user has been asked about its connections so far, in ms. */
  askedMs(): number;
  /** Called after the program's end, which withdraws its questions. Returns what it asked for and never got. */
  gaveUp(): GaveUp | undefined;
};

/** The connection for which a program stopped waiting. */
export type GaveUp = {
  readonly program: string;
  readonly items: readonly string[];
  /** The current Norris run; an answer for the whole run ends with it. */
  readonly run?: string | undefined;
  /** The user allowed all of it, too late. */
  readonly isAllowed: boolean;
  /** Stores the answer for the command that runs next. */
  settle(said: NetworkAnswer): void;
};

/** How to run a model's command. */
export type LaunchOptions = {
  readonly cwd: string;
  readonly mode: Confinement;
  readonly signal: AbortSignal;
  /** Set for a command that behaves the same without a terminal, so that pipes are used. */
  readonly pipes?: boolean;
  /** In Unrestricted: whether to run the command outside the light sandbox, if that is on. */
  readonly outside?: boolean;
  /** Whether the user was asked about the command's dangers and approved it. */
  readonly approved?: boolean;
  /** Variables added to those of the user's shell. */
  readonly env?: Readonly<Record<string, string>>;
};

/** A model's command that is ready to start. Nothing of it runs before. */
export type PreparedCommand = {
  /** Starts the command. Call at most once. */
  begin(): RunningCommand;
  /** Releases a command that was not started, which then never starts. Idempotent; never throws. */
  drop(): void;
};

/** Runs the model's commands, each in a fresh shell (EX-10). */
export type AgentCommands = {
  /** Returns, after a command’s result, the files that it left for the user to decide about. Never rejects. */
  left?(running: RunningCommand): Promise<Leftover | undefined>;
  /**
   * Returns, after that, which action undoes the command’s changes, and whether it covers all; undefined: nothing is
   * recorded.
   */
  attempt?(running: RunningCommand): Attempt | undefined;
  /** Whether a command ran in the light sandbox of Unrestricted. */
  isLight?(running: RunningCommand): boolean;
  /** Returns the command’s use of the network; undefined if it can’t request any. */
  connecting?(running: RunningCommand): Connecting | undefined;
  /**
   * Undoes all changes of an action, or none; returns a one-line reason on failure. Does nothing if they are already
   * undone. Never rejects.
   */
  takeBack?(action: number): Promise<string | undefined>;
  /** Returns the unanswered questions of earlier programs of this session. Never rejects. */
  waiting?(): Promise<readonly UnansweredLeftover[]>;
  /** If it rejects, as it does once `signal` has fired, it has started nothing. */
  run(command: string, options: LaunchOptions): Promise<RunningCommand>;
  /**
   * Does everything in `run` that precedes the command itself; undefined if there is no such part. Rejects like `run`.
   */
  prepare?(command: string, options: LaunchOptions): Promise<PreparedCommand> | undefined;
};

/** Runs the user's `:bg` commands with the program, directory and environment of their shell. */
export type UserCommands = { run(command: string): Promise<RunningCommand> };

/** A job known only to the user's shell. */
export type ShellJob = { readonly group: number; readonly command: string; readonly stopped: boolean };

/** Adds a job to the list; returns its number, and a function that removes it without reporting its end. */
export type Adopt = (job: RunningCommand) => { readonly id: number; readonly release: () => void };

/** The user's own Ctrl-R search in their shell: it owns the terminal until it ends. */
export type OwnSearch = {
  /** Sends keys to the job. */
  write(data: string): void;
  /** The chosen line; undefined for none. */
  readonly result: Promise<string | undefined>;
};

/** The user's own interactive shell, whose state persists between lines (EX-1). */
export type InteractiveShell = {
  /** The working directory at the last prompt. */
  readonly cwd: string;
  /**
   * Runs one or more lines as if typed, after a line that still runs. `keep: false` keeps it out of the shell's
   * history.
   */
  run(line: string, options: { readonly keep: boolean }): RunningCommand;
  /** Sets the size of its terminal, whether a command runs or not. */
  resize(columns: number, rows: number): void;
  /** Moves the foreground program to the background, like Ctrl-Z and `bg`; returns the reason on failure. */
  background(adopt: Adopt): Promise<string | undefined>;
  /** Returns the line that resumes such a job; undefined for others. */
  lineToResume(job: RunningCommand): string | undefined;
  /** Other background jobs, which the user started with the shell's own means. */
  jobs(): readonly ShellJob[];
  /** Asks one of those to end; returns false if no such process group exists. */
  endJob(group: number): boolean;
};

// Background jobs (EX-8) of the user and the model, beside the conversation.

export type JobFacts = {
  readonly command: string;
  /** Whether the user or the model started it: the model learns about its own jobs. */
  readonly owner: 'user' | 'model';
  /** The mode it was started in, which it keeps (MO-4); the user's jobs have none. */
  readonly mode?: string;
};

export type Job = JobFacts & {
  readonly id: number;
  readonly running: RunningCommand;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** The result, set at the job's end. */
  readonly result?: CommandResult;
};

export type Jobs = {
  /** Turns a running command into a job; returns its number. */
  adopt(running: RunningCommand, facts: JobFacts): number;
  /** Removes a job from the list; the end of a running one is not reported. */
  release(id: number): void;
  find(id: number): Job | undefined;
  /** All jobs in the list, oldest first. */
  list(): readonly Job[];
  /** The jobs that still run. */
  running(): readonly Job[];
  /** Stops a job like Ctrl-C, harder if it does not end; returns false if no such job runs. */
  kill(id: number): boolean;
  /** A job's output since the last call, as plain text; for a redrawn screen, the current screen. */
  readSince(id: number): string | undefined;
  /** Calls `listener` at a job's end; returns a function that unsubscribes. */
  onEnd(listener: (job: Job) => void): () => void;
};
