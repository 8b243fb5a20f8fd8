/** Models behind presets: what talks to them, what counts for them, what plans with them, what they cost. */
import type { Category, Message, Reply, ToolSpec } from '../session/message.ts';
import type { Budget } from '../session/state.ts';

/** What has to be done about secrets before a message leaves for a preset (SE-1). */
export type SecretsPolicy = 'off' | 'scrub' | 'block';

export type PresetInfo = {
  readonly name: string;
  readonly model: string;
  readonly baseUrl: string;
  /** It runs on this machine. */
  readonly local: boolean;
  /** The scripted model inside the program (BR-6). */
  readonly demo: boolean;
  /** The policy in force. */
  readonly secrets: SecretsPolicy;
  /** Whether it takes images; absent: nobody has asked it yet. */
  readonly images?: boolean;
};

/** What a look at a preset's server found. */
export type Probe = {
  readonly reachable: boolean;
  /** It is elsewhere and nobody chose it yet: not asked, and no key was sent. */
  readonly unasked?: true;
  /** The server is up, the model is not yet. */
  readonly loading?: true;
  /** Tokens. */
  readonly window?: number;
  /** One clean line. */
  readonly detail: string;
};

/** Tokens of a request as counted before it went out; `corrected` is the best guess of the server's own count. */
export type Counted = { readonly counter: string; readonly tokens: number; readonly corrected: number };

export type ChatOptions = {
  readonly tools?: readonly ToolSpec[];
  readonly signal: AbortSignal;
  /** Absent: the field is left out of the request. */
  readonly maxTokens?: number;
  /** Left out for presets that do not take it. */
  readonly temperature?: number;
  readonly category: Category;
  /** One word is wanted: a model that thinks is asked not to, where its family is known. */
  readonly brief?: boolean;
  /** What the request was counted at, and by whom: the server's own count is compared with it. */
  readonly counted?: Counted;
  /** A line worth showing while the call still waits: a model that loads, the first pause of a call, a fallback. */
  onNotice?(line: string): void;
  /** An attempt failed for the reason `why`, a clean line; the next one begins in `ms` milliseconds. */
  onPause?(why: string, ms: number): void;
  /** The request is sent again: text and reasoning that had arrived are dropped. */
  onAgain?(): void;
};

export type StreamOptions = ChatOptions & {
  /** Text as it comes. The reply's `text` is the last word: what turned out to be thinking is missing from it. */
  onText(delta: string): void;
  onReasoning?(delta: string): void;
  /** The messages for a server that turns out to take no tools, which it says at the first call. */
  withoutTools?(): readonly Message[];
  /** The request goes out; the attempt ends in `ms` milliseconds if nothing comes. */
  onSent?(ms: number): void;
  /** The server has taken the request. */
  onOpen?(): void;
};

export type MeasureRequest = {
  /** The system prompt, and the tools as JSON. */
  readonly head: string;
  /** What is sent of each turn. */
  readonly texts: readonly string[];
  readonly signal: AbortSignal;
  /** A line worth showing while a model loads. */
  onNotice?(line: string): void;
};

/**
 * Tokens as `counter` counts them: of the head, of each text. Times `factor`, give or take `margin`, they are the
 * server's.
 */
export type Measured = Pick<Budget, 'window' | 'source' | 'counter' | 'head' | 'factor'> & {
  readonly tokens: readonly number[];
  /** A share of the whole. */
  readonly margin: number;
  /** The longest answer that the preset is asked for, in tokens. */
  readonly maxAnswer?: number;
};

/** What talks to models. No method rejects; what goes wrong is in the result. */
export type Broker = {
  chatStream(preset: string, messages: readonly Message[], options: StreamOptions): Promise<Reply>;
  /** The same, not streamed. */
  chat(preset: string, messages: readonly Message[], options: ChatOptions): Promise<Reply>;
  presets(): readonly PresetInfo[];
  /** False once the server of a preset has said that it takes no tools. */
  takesTools(name: string): boolean;
  /** Whether a preset answers, and how large its window is. Takes a few seconds at most; kept for a few seconds. */
  probe(name: string, signal: AbortSignal): Promise<Probe>;
  /** The window in tokens, as set by the user, told by the last probe or learned from an overflow. */
  window(name: string): number | undefined;
  /** What errors have taught of its window, in tokens; believed for a while only. */
  learnedWindow(name: string): number | undefined;
  /** Forgets what errors have taught of all windows. */
  forgetWindows(): void;
  /** Counts a request and says what it goes into; undefined for a preset that is not there or not up. */
  measure(name: string, request: MeasureRequest): Promise<Measured | undefined>;
};

/** Asks for the tasks of a goal (PP-1). A failure is part of the reply. */
export type Preplanner = {
  plan(
    preset: string,
    goal: string,
    tasksMax: number,
    signal: AbortSignal,
    category?: 'norris-preplan' | 'norris-replan',
  ): Promise<Reply>;
};

/** A server that answers here, or a key in the environment. */
export type SetupOffer = {
  /** What its preset is or would be called. */
  readonly name: string;
  readonly kind: 'server' | 'key';
  /** `llama.cpp`, `OpenAI`. */
  readonly label: string;
  readonly model: string;
  readonly address: string;
  /** The variable that holds the key. */
  readonly key?: string;
  /** A preset of the configuration has this address: only its model would change. */
  readonly known?: true;
  /** It is elsewhere, and there is no key for it: that it lists its models does not mean that it answers. */
  readonly unproven?: true;
};

/** Why not, in one line. */
export type SetupProblem = { readonly problem: string };

/** What `:setup` looks for and does. */
export type SetupPort = {
  /** The user's configuration file. */
  readonly file: string;
  /** Nothing leaves this machine for it. */
  find(): Promise<readonly SetupOffer[]>;
  /** Asks that one, elsewhere too: by its name or address. `written`: what `write` would add, as JSON. */
  test(
    wanted: string,
    signal: AbortSignal,
  ): Promise<{ readonly offer: SetupOffer; readonly probe: Probe; readonly written: string } | SetupProblem>;
  /** Writes it into the configuration as the model to use; its name there. */
  write(wanted: string, signal: AbortSignal): Promise<{ readonly name: string } | SetupProblem>;
};

/** What `:model` sees of the presets and does with them. */
export type PresetsPort = {
  list(): readonly PresetInfo[];
  /** Whether it answers, in a line, and how large its window is; kept for some seconds. */
  probe(name: string, signal: AbortSignal): Promise<Probe>;
  /**
   * Why a server of this machine can't answer, in a line; none where it does, is elsewhere, or is started when needed.
   * Asked without its key.
   */
  problem(name: string, signal: AbortSignal): Promise<string | undefined>;
  /** What an error has taught of its window, in tokens, where that is less than it is said to be. */
  learnedWindow(name: string): number | undefined;
  /** Forgets that of all of them. */
  forgetWindows(): void;
  /** Writes a preset that was found into the configuration; what came of it, in one line. */
  keep(name: string): string;
};

// What model calls cost, beside the sums of this session, which are in its state. Dollars.

/** Why a call that costs money has to wait for the user (CO-2); `allowance`: what a yes adds. */
type SpendStop = {
  readonly spent: number;
  readonly limit: number;
  readonly allowance: number;
  /** What the call may cost at most, where that is what would pass the limit. */
  readonly estimate?: number;
};

/** What a call that is about to be made is priced by: its tokens as counted, else by the length of its messages. */
export type Planned = Pick<ChatOptions, 'counted' | 'maxTokens'> & { readonly messages: readonly Message[] };

export type Spending = {
  /** Undefined where the call may be made: it is free, or there is room. `call`: also for all that it may cost. */
  stopFor(preset: string, call?: Planned): SpendStop | undefined;
};

/** What one model has cost on one day. */
export type DayCost = {
  /** The user's own day, as YYYY-MM-DD. */
  readonly day: string;
  readonly model: string;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly dollars: number;
  readonly local: boolean;
  /** Calls of it whose price is not known. */
  readonly unpriced: number;
};

/** What `:cost` asks for. */
export type CostPort = {
  /** The sums of all sessions by day and model, oldest first. */
  days(): Promise<readonly DayCost[]>;
  /** Where the user's own prices stand, and what is wrong with them. */
  readonly priceFile: string;
  readonly problem?: string;
};
