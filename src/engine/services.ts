/** What the engine needs of the services, as plain interfaces: services know neither the engine nor each other. */
import type { Action, CommandResult, Judgement, ToolFacts } from '../session/action.ts';
import type { SessionEvent } from '../session/event.ts';
import type { Category, Message, Reply, ToolSpec } from '../session/message.ts';
import type { Outcome } from '../session/phase.ts';
import type { Budget } from '../session/state.ts';

/** Talks to models. Never rejects; a failure is part of the reply. */
export type Models = {
  chatStream(
    preset: string,
    messages: readonly Message[],
    options: {
      readonly tools?: readonly ToolSpec[];
      readonly signal: AbortSignal;
      readonly maxTokens?: number;
      readonly category: Category;
      /** What the request was counted at, by whom, and what the server is thought to count. */
      readonly counted?: { readonly counter: string; readonly tokens: number; readonly corrected: number };
      readonly onText: (delta: string) => void;
      readonly onReasoning?: (delta: string) => void;
      /** A line worth showing while the call still waits. */
      readonly onNotice?: (line: string) => void;
    },
  ): Promise<Reply>;
  /** Counts a request to `preset` and says what it goes into; undefined where nothing can be said (no such server now). */
  measure(
    preset: string,
    request: {
      readonly head: string;
      readonly texts: readonly string[];
      readonly signal: AbortSignal;
      readonly onNotice?: (line: string) => void;
    },
  ): Promise<Measured | undefined>;
};

/** Tokens as `counter` counts them: of the head, of each text. Times `factor`, give or take `margin`, they are the server's. */
export type Measured = Pick<Budget, 'window' | 'source' | 'counter' | 'head' | 'factor'> & {
  readonly tokens: readonly number[];
  /** A share of the whole. */
  readonly margin: number;
};

/** Asks for the tasks of a goal (PP-1). A failure is part of the reply. */
export type Preplanner = {
  plan(preset: string, goal: string, tasksMax: number, signal: AbortSignal): Promise<Reply>;
};

/** Why a call that costs money has to wait for the user (CO-2), in dollars; `allowance`: what a yes adds. */
export type SpendStop = { readonly spent: number; readonly limit: number; readonly allowance: number };

export type Spending = {
  /** Undefined where the call may be made: it is free, or there is room. */
  stopFor(preset: string): SpendStop | undefined;
};

/** The gate. Never rejects; what can't be judged is destructive. */
export type Gate = {
  judge(
    action: Action,
    context: {
      readonly cwd: string;
      readonly goal: string;
      readonly signal: AbortSignal;
      /** The action as a model may be told of it: with handles where it has secrets. */
      readonly told: Action;
    },
  ): Promise<Judgement>;
  /** The static word alone: the command reads, and neither adds, changes nor moves anything. */
  onlyReads(command: string, cwd: string): boolean;
};

/** The rendered screen of a command that runs. */
export type LiveOutput = {
  readonly version: number;
  readonly bytes: number;
  /** The last `max` rendered lines; SGR colour only. */
  lines(max: number): readonly string[];
  /** What stands left of the cursor in its row, blanks kept: a question that waits for an answer, mostly. */
  readonly promptText: string;
  subscribe(listener: () => void): () => void;
};

export type RunningCommand = {
  readonly output: LiveOutput;
  readonly pid: number;
  /** It shows a full screen of its own (vim, less) and should be given the terminal. */
  readonly fullScreen: boolean;
  /** It waits for input, as far as that can be seen. */
  readonly asks: boolean;
  /** What it waits for is not echoed: a password. */
  readonly echoOff: boolean;
  /** The name of the program that asks, where it is known. */
  readonly asker: string | undefined;
  /** Called when `fullScreen`, `asks` or `echoOff` changed; returns how to stop. */
  onModes(listener: () => void): () => void;
  /** The bytes of its full screen, for whoever takes over the terminal; returns how to stop. */
  rawOutput(listener: (data: Buffer) => void): () => void;
  write(data: string): void;
  resize(columns: number, rows: number): void;
  /** SIGINT, then SIGTERM, then SIGKILL to everything the command started. */
  interrupt(): void;
  /** Ends it as closing its terminal would. */
  hangUp(): void;
  readonly result: Promise<CommandResult>;
  /** Behind the result: what was typed for it, not hidden, and read by nobody; lines. */
  unread(): Promise<string>;
};

/** Runs one command of the model. */
export type AgentCommands = {
  /** Rejects, and starts nothing, once `signal` has fired. */
  run(
    command: string,
    options: {
      readonly cwd: string;
      readonly restricted: boolean;
      readonly signal: AbortSignal;
      /** Variables beside those of the user's shell. */
      readonly env?: Readonly<Record<string, string>>;
    },
  ): Promise<RunningCommand>;
};

/** An action with its handles resolved: as the gate must see it, and as it runs. */
export type ReadyAction = {
  readonly kind: 'ready';
  readonly judged: Action;
  readonly runs: Action;
  readonly env: Readonly<Record<string, string>>;
  /** Why the user must be asked: a secret would stand where it could run as code. */
  readonly unsafe?: string;
};
export type RestoredAction =
  | ReadyAction
  /** It holds a handle that nothing here resolves; `text` tells the model. */
  | { readonly kind: 'unknown'; readonly text: string };

/** The one filter (SE-1, SE-2, SE-3). Everything that is kept or that leaves has passed `hide`. */
export type Secrets = {
  /** The same value with handles in place of secrets: a text, or every text within. */
  hide<T>(value: T, where?: string): T;
  /** The true texts again, for the user's own screen; handles of an earlier process stay. */
  reveal<T>(value: T): T;
  /** `written`: the action as it was written, in which handles are only what its writer was given. */
  restore(action: Action, written?: Action): RestoredAction;
  /** The outcome of an action, with handles again where what the action was given stands in it. */
  hideEchoed<T extends Outcome>(action: Action, outcome: T): T;
  /** Somebody works in this directory: its credential files count from now on. */
  entered(cwd: string): void;
  /** What was found so far; never a value. */
  list(): readonly { readonly handle: string; readonly kind: string; readonly where: string }[];
};

export type JobInfo = {
  readonly id: number;
  readonly command: string;
  readonly running: RunningCommand;
  readonly by: 'user' | 'model';
  readonly startedAt: number;
  /** The mode it was started in and keeps (MO-4); the user's own have none. */
  readonly mode?: string;
};

export type Jobs = {
  /** Starts a command of the user's in the background, where their shell is and with its environment; its number. */
  start(command: string): Promise<number>;
  /** Keeps a running command as a job; its number. */
  adopt(running: RunningCommand, command: string, by: 'user' | 'model', mode?: string): number;
  /** Takes a running job out again; its end is not told. */
  release(id: number): void;
  /** Those that run. */
  list(): readonly JobInfo[];
  /** False when there is no such job. */
  kill(id: number): boolean;
};

/** What a tool is run with. */
export type ToolCallOptions = {
  /** The directory it was judged in. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** The definition it was judged under; by now another one, it does not run. */
  readonly definition?: string;
  /** Told how far it is, in one line, where the tool tells. */
  readonly onProgress?: (line: string) => void;
};

/** Tools other than shell commands. */
export type Tools = {
  /** As they stand now; servers bring and take theirs. */
  readonly specs: readonly ToolSpec[];
  /** Why a call can't be accepted (unknown name, arguments against the schema), told to the model; undefined when fine. */
  refusal(action: Action): Promise<string | undefined>;
  /** What the program knows of a call of its own tools; undefined leaves it to the gate. */
  judge(action: Action, cwd: string): Judgement | undefined;
  autoApproved(action: Action): boolean;
  /** What a lasting consent is bound to; undefined for what is no tool. */
  facts(action: Action): ToolFacts | undefined;
  /** By the tool's own declaration this call changes nothing, so that others may run beside it. */
  onlyReads(action: Action): boolean;
  run(action: Action, options: ToolCallOptions): Promise<{ readonly text: string; readonly failed: boolean }>;
};

export type Journal = {
  /** Resolves when the event is durable. */
  append(event: SessionEvent): Promise<void>;
};

/** A job that only the user's shell knows of. */
export type ShellJob = { readonly group: number; readonly command: string; readonly stopped: boolean };

/** The user's own interactive shell. */
export type UserShell = {
  readonly cwd: string;
  run(line: string): RunningCommand;
  /** Its terminal has another size, whether anything runs in it or not. */
  resize(columns: number, rows: number): void;
  /** Sends the program in the foreground to the background, as a job that `adopt` numbers; why not, where it can't. */
  background(
    adopt: (job: RunningCommand) => { readonly id: number; readonly release: () => void },
  ): Promise<string | undefined>;
  /** The line that brings such a job back; undefined for any other. */
  lineToResume(job: RunningCommand): string | undefined;
  /** What else the shell keeps in the background: what the user sent there with the shell's own means. */
  jobs(): readonly ShellJob[];
  /** Asks one of those to end; false: there is none with this process group. */
  endJob(group: number): boolean;
};

export type Services = {
  readonly models: Models;
  readonly gate: Gate;
  readonly preplanner?: Preplanner;
  readonly spending?: Spending;
  readonly agent: AgentCommands;
  readonly jobs: Jobs;
  readonly tools: Tools;
  readonly journal: Journal;
  readonly secrets: Secrets;
  /** The constant system prompt. */
  readonly systemPrompt: string;
  /** The longest answer asked for, in tokens: without a limit a model may write to the end of its window. */
  readonly maxAnswerTokens: number;
  /** Tokens of one request at most; absent: the window less room for the answer (CX-1). */
  readonly tokenBudget?: number;
  /** Keeps a text that leaves the context where the model can read it again; the path, where that worked. */
  readonly keepText?: (text: string) => Promise<string | undefined>;
  readonly now: () => number;
  /** Seconds after which a command becomes a job (EX-10). */
  readonly waitSeconds: number;
};
