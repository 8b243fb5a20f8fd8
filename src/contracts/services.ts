/** The services that the engine needs. They know neither the engine nor each other. */
import type { AgentCommands, Confinement, Jobs, UserCommands } from './commands.ts';
import type { Gate } from './gate.ts';
import type { Broker, Preplanner, Spending } from './models.ts';

import type { Secrets } from './secrets.ts';
import type { Journal } from './store.ts';
import type { Tools } from './tools.ts';
import type { Trials } from './trials.ts';

export type Services = {
  readonly models: Pick<Broker, 'chatStream' | 'measure'> & Partial<Pick<Broker, 'takesTools' | 'chat' | 'window'>>;
  readonly gate: Gate;
  readonly preplanner?: Preplanner;
  readonly spending?: Spending;
  readonly agent: AgentCommands;
  /** Why no command of this mode can run at a place, in a line; undefined: it can. Absent: no host has a sandbox. */
  readonly lacks?: (place: string, mode: Confinement) => string | undefined;
  readonly user: UserCommands;
  /** Absent: nothing can be tried, and a HALT has three answers. */
  readonly trials?: Trials;
  /** Allows commands in Project to connect to `host:port`. */
  readonly connect?: (target: string) => void;
  readonly jobs: Pick<Jobs, 'adopt' | 'release' | 'running' | 'kill'>;
  readonly tools: Tools;
  readonly journal: Journal;
  readonly secrets: Secrets;
  /**
   * Returns the directory that Project may write to on the place's machine; undefined: none (MO-9). For this machine
   * it follows the user's current directory.
   */
  readonly projectTree?: (place: string) => Promise<string | undefined>;
  /** Returns the git branch at a place with any unfinished operation; undefined outside a repository. */
  readonly gitState?: (place: string) => string | undefined;
  /** Lists names in a place's directory, limited; undefined if unreadable. */
  readonly listing?: (place: string) => Promise<string | undefined>;
  readonly systemPrompt: string;
  /**
   * The text after the system prompt: how a model acts, with or without tool calls. Absent if the system prompt
   * contains it.
   */
  readonly protocol?: (how: { readonly tools: boolean; readonly agent: boolean }) => string;
  /** The maximum answer length in tokens: without a limit a model may write to the end of its window. */
  readonly maxAnswerTokens: number;
  /**
   * How evicted turns are summarised (CX-8): by this preset, else by the current one; `automatic` false: only on
   * request. Absent: they are dropped.
   */
  readonly summaries?: { readonly preset?: string; readonly automatic: boolean };
  /** The maximum tokens of one request; absent: the window minus the room for the answer (CX-1). */
  readonly tokenBudget?: number;
  /** Saves an evicted text where the model can read it again; returns the path on success. */
  readonly saveEvictedText?: (text: string) => Promise<string | undefined>;
  readonly now: () => number;
  /** Seconds after which a command becomes a job (EX-10). */
  readonly waitSeconds: number;
};
