/** What the engine needs of the services: they know neither the engine nor each other. */
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
  /** Why no command of this mode can run at a place, in a line; undefined: it can. Absent: no host holds any. */
  readonly lacks?: (place: string, mode: Confinement) => string | undefined;
  readonly user: UserCommands;
  /** Absent: nothing is tried, a HALT has three answers. */
  readonly trials?: Trials;
  /** Lets commands in Project connect to `host:port`. */
  readonly connect?: (target: string) => void;
  readonly jobs: Pick<Jobs, 'adopt' | 'release' | 'running' | 'kill'>;
  readonly tools: Tools;
  readonly journal: Journal;
  readonly secrets: Secrets;
  /**
   * The directory that Project mode may write in, on the machine of a place; on this one as the user stands now;
   * undefined: there is none (MO-9).
   */
  readonly projectTree?: (place: string) => Promise<string | undefined>;
  /** The git branch around a place, and what git is in the middle of; undefined outside a repository. */
  readonly gitState?: (place: string) => string | undefined;
  /** The names in the directory of a place, bounded; undefined where that can't be read. */
  readonly listing?: (place: string) => Promise<string | undefined>;
  /** The constant system prompt. */
  readonly systemPrompt: string;
  /** What follows it: how a model acts, with or without tool calls. Absent: the system prompt says it. */
  readonly protocol?: (how: { readonly tools: boolean; readonly agent: boolean }) => string;
  /** The longest answer asked for, in tokens: without a limit a model may write to the end of its window. */
  readonly maxAnswerTokens: number;
  /**
   * How turns that leave the context are summarised (CX-8): by this preset, else by the one in use; `automatic` false:
   * only when the user asks for it. Absent: they are dropped.
   */
  readonly summaries?: { readonly preset?: string; readonly automatic: boolean };
  /** Tokens of one request at most; absent: the window less room for the answer (CX-1). */
  readonly tokenBudget?: number;
  /** Saves a text that leaves the context where the model can read it again; the path, where that worked. */
  readonly saveEvictedText?: (text: string) => Promise<string | undefined>;
  readonly now: () => number;
  /** Seconds after which a command becomes a job (EX-10). */
  readonly waitSeconds: number;
};
