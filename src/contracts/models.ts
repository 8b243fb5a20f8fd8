/** Models behind presets: the broker, token counts, planning, costs. */
import type { Category, Message, Reply, ToolSpec } from '../session/message.ts';
import type { Budget } from '../session/state.ts';

/** How secrets are handled before a message leaves for a preset (SE-1). */
export type SecretsPolicy = 'off' | 'scrub' | 'block';

export type PresetInfo = {
  readonly name: string;
  readonly model: string;
  readonly baseUrl: string;
  /** Whether the model runs on this machine. */
  readonly local: boolean;
  /** The built-in scripted model (BR-6). */
  readonly demo: boolean;
  /** The active policy about secrets. */
  readonly secrets: SecretsPolicy;
  /** Whether it accepts images; undefined until the first attempt. */
  readonly images?: boolean;
};

/** The result of probing a preset's server. */
export type Probe = {
  readonly reachable: boolean;
  /** Set for a remote server that was not chosen yet: it was not contacted, and no key was sent. */
  readonly unasked?: true;
  /** The server is running and still loading its model. */
  readonly loading?: true;
  /** The window in tokens. */
  readonly window?: number;
  /** One clean line about the server’s state. */
  readonly detail: string;
};

/** A request's tokens as counted before sending; `corrected` is the best guess of the server's count. */
export type Counted = { readonly counter: string; readonly tokens: number; readonly corrected: number };

export type ChatOptions = {
  readonly tools?: readonly ToolSpec[];
  readonly signal: AbortSignal;
  /** Absent: omitted from the request. */
  readonly maxTokens?: number;
  /** The temperature, omitted for presets that don't accept it. */
  readonly temperature?: number;
  readonly category: Category;
  /** Whether one word is expected: a thinking model is asked not to think, if its family is known. */
  readonly brief?: boolean;
  /** Our count of the request and its counter, to compare with the server's. */
  readonly counted?: Counted;
  /** Shows a line while the call waits: a loading model, the first retry, a fallback. */
  onNotice?(line: string): void;
  /** An attempt failed because of `why`, a clean line; the next one starts in `ms` ms. */
  onPause?(why: string, ms: number): void;
  /** The request is sent again: drop the text and reasoning so far. */
  onAgain?(): void;
};

export type StreamOptions = ChatOptions & {
  /**
   * Gets each piece of text when it arrives. The reply's `text` is final: it omits text that turned out to be thinking.
   */
  onText(delta: string): void;
  onReasoning?(delta: string): void;
  /** The messages for a server that turns out to support no tools, which its first refusal shows. */
  withoutTools?(): readonly Message[];
  /** The request was sent; the attempt ends in `ms` ms without an answer. */
  onSent?(ms: number): void;
  /** The server has accepted the request. */
  onOpen?(): void;
};

export type MeasureRequest = {
  /** The system prompt, and the tools as JSON. */
  readonly head: string;
  /** The sent text of each turn. */
  readonly texts: readonly string[];
  readonly signal: AbortSignal;
  /** Shows a line while a model loads. */
  onNotice?(line: string): void;
};

/**
 * Tokens of the head and of each text, as counted by `counter`. Multiplied by `factor`, give or take `margin`, they
 * are the server's.
 */
export type Measured = Pick<Budget, 'window' | 'source' | 'counter' | 'head' | 'factor'> & {
  readonly tokens: readonly number[];
  /** The safety margin as a share of the whole. */
  readonly margin: number;
  /** The preset's maximum answer length, in tokens. */
  readonly maxAnswer?: number;
};

/** Calls models. No method rejects; errors are in the result. */
export type Broker = {
  chatStream(preset: string, messages: readonly Message[], options: StreamOptions): Promise<Reply>;
  /** The same without streaming. */
  chat(preset: string, messages: readonly Message[], options: ChatOptions): Promise<Reply>;
  presets(): readonly PresetInfo[];
  /** Returns false once a preset's server has rejected tools. */
  takesTools(name: string): boolean;
  /** Returns whether a preset answers, and its window. Takes at most a few seconds; cached for a few seconds. */
  probe(name: string, signal: AbortSignal): Promise<Probe>;
  /** The window in tokens: set by the user, from the last probe, or concluded from an overflow. */
  window(name: string): number | undefined;
  /** The window concluded from errors, in tokens; expires. */
  learnedWindow(name: string): number | undefined;
  /** Forgets all windows concluded from errors. */
  forgetWindows(): void;
  /** Counts a request and returns its limits; undefined for a preset that is unknown or not running. */
  measure(name: string, request: MeasureRequest): Promise<Measured | undefined>;
};

/** Requests the tasks of a goal (PP-1). A failure is part of the reply. */
export type Preplanner = {
  plan(
    preset: string,
    goal: string,
    tasksMax: number,
    signal: AbortSignal,
    category?: 'norris-preplan' | 'norris-replan',
  ): Promise<Reply>;
};

/** A local server, or a key in the environment. */
export type SetupOffer = {
  /** The name of its preset, existing or new. */
  readonly name: string;
  readonly kind: 'server' | 'key';
  /** The server's name, such as `llama.cpp` or `OpenAI`. */
  readonly label: string;
  readonly model: string;
  readonly address: string;
  /** The variable with the key. */
  readonly key?: string;
  /** A configured preset has this address: only its model would change. */
  readonly known?: true;
  /** Set for a remote server without a key: listing its models does not prove that it answers. */
  readonly unproven?: true;
};

/** The reason why the setup failed, in one line. */
export type SetupProblem = { readonly problem: string };

/** The functions of `:setup`. */
export type SetupPort = {
  /** The user's configuration file. */
  readonly file: string;
  /** If no model is configured or chosen: the servers and keys found at the start, in one line. */
  readonly found: string | undefined;
  /** Sends nothing out of this machine. */
  find(): Promise<readonly SetupOffer[]>;
  /** Tests a server, also a remote one, by name or address. `written`: what `write` would add, as JSON. */
  test(
    wanted: string,
    signal: AbortSignal,
  ): Promise<{ readonly offer: SetupOffer; readonly probe: Probe; readonly written: string } | SetupProblem>;
  /** Saves the server as the configured model; returns the preset's name. */
  write(wanted: string, signal: AbortSignal): Promise<{ readonly name: string } | SetupProblem>;
};

/** The functions of `:model`. */
export type PresetsPort = {
  list(): readonly PresetInfo[];
  /** Returns whether it answers, in a line, and its window; cached for some seconds. */
  probe(name: string, signal: AbortSignal): Promise<Probe>;
  /**
   * Returns why a local server can't answer, in a line; nothing if it answers, is remote, or starts on demand. Sends
   * no key.
   */
  problem(name: string, signal: AbortSignal): Promise<string | undefined>;
  /** The window concluded from an error, in tokens, if smaller than the stated one. */
  learnedWindow(name: string): number | undefined;
  /** Forgets those of all presets. */
  forgetWindows(): void;
  /** Saves a detected preset to the configuration; returns the result in one line. */
  keep(name: string): string;
};

// Costs of model calls in dollars, besides the sums of this session in its state.

/** Why a paid call waits for the user (CO-2); `allowance`: what a yes adds. */
type SpendStop = {
  readonly spent: number;
  readonly limit: number;
  readonly allowance: number;
  /** The maximum cost of the call, if that would exceed the limit. */
  readonly estimate?: number;
};

/** The price basis of a planned call: its counted tokens, else the length of its messages. */
export type Planned = Pick<ChatOptions, 'counted' | 'maxTokens'> & { readonly messages: readonly Message[] };

export type Spending = {
  /** Returns undefined if the call may be made: it is free, or below the limit. `call`: includes its maximum cost. */
  stopFor(preset: string, call?: Planned): SpendStop | undefined;
};

export type DayCost = {
  /** The user's local day, as YYYY-MM-DD. */
  readonly day: string;
  readonly model: string;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly dollars: number;
  readonly local: boolean;
  /** The number of calls without a known price. */
  readonly unpriced: number;
};

/** The functions of `:cost`. */
export type CostPort = {
  /** The sums of all sessions by day and model, oldest first. */
  days(): Promise<readonly DayCost[]>;
  /** The path of the user's own prices. */
  readonly priceFile: string;
  readonly problem?: string;
};
