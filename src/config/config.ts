/** The configuration with every default (CF-3). `schema.ts` defines what a file may contain. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Mode } from '../session/ids.ts';

export type SecretsPolicy = 'scrub' | 'block' | 'off';

export type ModelConfig = {
  readonly base_url: string;
  readonly model?: string;
  readonly api_key_env?: string;
  readonly api_key_cmd?: string;
  /** The window in tokens, which overrides the server’s own value. */
  readonly context?: number;
  readonly secrets?: SecretsPolicy;
  /** Whether it accepts images; `auto`: as its answer to the first image shows. */
  readonly images?: boolean | 'auto';
  /** Seconds until the first token. */
  readonly timeout?: number;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly reasoning_effort?: string;
  readonly max_answer_tokens?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly extra_body?: Readonly<Record<string, unknown>>;
  readonly fallback?: readonly string[];
  /** Dollars per million tokens; absent: the server's own price, or free. */
  readonly prices?: { readonly input: number; readonly output: number; readonly cached?: number };
  /** A shell command that starts the server if nothing answers at `base_url`. */
  readonly serve?: string;
};

/** An MCP server: started by `command`, or reached at `url` (MC-1). */
export type McpServer =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly env_cmd?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly oauth?: {
        readonly client_id?: string;
        readonly client_secret_env?: string;
        readonly private_key_env?: string;
        readonly issuer?: string;
        readonly scope?: string;
        readonly redirect_port?: number;
        readonly client_credentials?: boolean;
      };
    };

/** Settings for a directory and everything below it. */
export type DirectorySettings = {
  readonly mode?: Mode;
  readonly allow?: readonly string[];
  readonly net?: readonly string[];
};

export type Config = {
  readonly models: Readonly<Record<string, ModelConfig>>;
  readonly model?: string;
  readonly system_prompt?: string;
  /** Whether a trusted project's AGENTS.md or CLAUDE.md is part of the system prompt. */
  readonly instructions: boolean;
  readonly max_turns: number;
  /** Tokens of context; absent: the preset's window minus the room for the answer (CX-1). */
  readonly token_budget?: number;
  readonly max_tool_rounds: number;
  readonly max_answer_tokens: number;
  readonly wait_seconds: number;
  readonly confirm_cmd: boolean | 'acts';
  /** Globs of tools that need no consent: this key and `mcp.auto_approve` merged. */
  readonly auto_approve: readonly string[];
  readonly safety: {
    readonly llm_second_opinion: boolean;
    readonly llm_model: string;
    readonly destructive_patterns: readonly { readonly pattern: string; readonly reason: string }[];
    readonly disable_rules: readonly string[];
    readonly always_destructive_tools: readonly string[];
  };
  readonly norris: {
    readonly max_norris_steps: number;
    readonly preplanner?: string;
    readonly executor?: string;
    readonly tasks_max: number;
    readonly preplan_system?: string;
    /** Presets that a plan's task may name. */
    readonly task_models: readonly string[];
    readonly approve_plan: 'never' | 'ask';
  };
  readonly mcp: {
    readonly servers: Readonly<Record<string, McpServer>>;
    readonly auto_approve: readonly string[];
    /** Globs of tools that may run in Restricted (MO-2). */
    readonly read_only: readonly string[];
    /** Seconds for a server to start. */
    readonly start_seconds?: number;
  };
  /** Dollars per session (CO-2). */
  readonly cost: { readonly warn_at_dollars?: number; readonly stop_at_dollars?: number };
  /** Limits for saved outputs of all sessions. */
  readonly disk: {
    readonly session_mb: number;
    readonly total_mb: number;
    readonly caches_mb: number;
    readonly days: number;
  };
  /** Whether evicted turns are summarised, and by which preset. */
  readonly context: { readonly summarize: boolean; readonly summary_model?: string };
  readonly memory: { readonly enabled: boolean; readonly model?: string };
  /** The first mode of a conversation, if the kernel sandbox works (MO-1). */
  readonly mode: Mode;
  /** Settings by directory, only in the user's own file. */
  readonly projects: Readonly<Record<string, DirectorySettings>>;
  readonly sandbox: {
    readonly unrestricted: 'plain' | 'light';
    /** Keys of presets that the model's commands can see: these variables, or all. */
    readonly pass_keys: boolean | readonly string[];
  };
  /**
   * Limits for recorded changes of the agent (EF-1): total megabytes, days, megabytes of a file that must be copied.
   */
  readonly undo: {
    readonly budget: number;
    readonly days: number;
    readonly max_file: number;
    readonly credentials: boolean;
  };
  readonly ui: {
    readonly theme?: string;
    readonly mouse: boolean;
    /** `plain`: lines without drawing, for screen readers (UI-5). */
    readonly screen: 'full' | 'plain';
    readonly wheel_lines: number;
    /** Ring the bell for a question or at the end of a long run. */
    readonly notify: boolean;
    readonly motion: boolean;
    /** Show dimly how the line probably continues. */
    readonly suggestions: boolean;
    /** Whether aish-tui’s prompt or the shell’s own precedes the line. */
    readonly prompt: 'aish' | 'shell';
  };
  /** Words that expand in command position after a blank. */
  readonly abbreviations: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<string, string | readonly string[]>>;
  readonly shell?: string;
};

export const DEFAULTS: Config = {
  models: {},
  instructions: true,
  max_turns: 40,
  max_tool_rounds: 16,
  max_answer_tokens: 32_768,
  wait_seconds: 60,
  confirm_cmd: 'acts',
  auto_approve: [],
  safety: {
    llm_second_opinion: true,
    llm_model: 'fast',
    destructive_patterns: [],
    disable_rules: [],
    always_destructive_tools: ['*__shell', '*__shell_bg', '*__write_file', '*__edit_file'],
  },
  norris: { max_norris_steps: 16, tasks_max: 16, task_models: [], approve_plan: 'never' },
  mcp: { servers: {}, auto_approve: [], read_only: [] },
  cost: {},
  disk: { session_mb: 256, total_mb: 2048, caches_mb: 4096, days: 30 },
  context: { summarize: true },
  memory: { enabled: true },
  mode: 'restricted',
  projects: {},
  sandbox: { unrestricted: 'light', pass_keys: false },
  undo: { budget: 2000, days: 7, max_file: 256, credentials: false },
  ui: { mouse: true, screen: 'full', wheel_lines: 3, notify: true, motion: true, suggestions: true, prompt: 'aish' },
  abbreviations: {},
  keys: {},
};

export type Environment = Readonly<Record<string, string | undefined>>;

export type Places = {
  /** The user's configuration file. */
  readonly config: string;
  /** The directory of sessions, history, logs and trusted files. */
  readonly state: string;
  /** The directory of data that can be recreated. */
  readonly cache: string;
};

/** Returns the directories by the XDG base directory specification, which ignores relative values. */
export function placesOf(env: Environment): Places {
  const home = env.HOME || homedir();
  const base = (value: string | undefined, usual: string): string =>
    value !== undefined && isAbsolute(value) ? value : join(home, usual);
  return {
    config: join(base(env.XDG_CONFIG_HOME, '.config'), 'aish', 'config.jsonc'),
    state: join(base(env.XDG_STATE_HOME, '.local/state'), 'aish'),
    cache: join(base(env.XDG_CACHE_HOME, '.cache'), 'aish'),
  };
}
