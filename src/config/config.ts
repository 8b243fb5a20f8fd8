/** The configuration as the program uses it, with every default (CF-3). `schema.ts` says what a file may hold. */

export type SecretsPolicy = 'scrub' | 'block' | 'off';

export type ModelConfig = {
  readonly base_url: string;
  readonly model?: string;
  readonly api_key_env?: string;
  readonly api_key_cmd?: string;
  /** Tokens; overrides what the server says. */
  readonly context?: number;
  readonly secrets?: SecretsPolicy;
  readonly fallback?: readonly string[];
};

export type Config = {
  readonly models: Readonly<Record<string, ModelConfig>>;
  readonly model?: string;
  readonly system_prompt?: string;
  readonly max_turns: number;
  readonly max_tool_rounds: number;
  readonly max_answer_tokens: number;
  readonly wait_seconds: number;
  readonly confirm_cmd: boolean;
  readonly auto_approve: readonly string[];
  readonly safety: {
    readonly llm_second_opinion: boolean;
    readonly llm_model: string;
    readonly destructive_patterns: readonly { readonly pattern: string; readonly reason: string }[];
    readonly disable_rules: readonly string[];
    readonly always_destructive_tools: readonly string[];
  };
  readonly norris: { readonly max_norris_steps: number; readonly executor?: string };
  /** The mode a conversation starts in, where the kernel sandbox is there (MO-1). */
  readonly mode: 'restricted' | 'unrestricted';
  readonly sandbox: { readonly unrestricted: 'plain' | 'light' };
  readonly ui: { readonly theme?: string; readonly mouse: boolean };
  readonly keys: Readonly<Record<string, string | readonly string[]>>;
  readonly shell?: string;
};

export const DEFAULTS: Config = {
  models: {},
  max_turns: 40,
  max_tool_rounds: 16,
  max_answer_tokens: 2048,
  wait_seconds: 60,
  confirm_cmd: true,
  auto_approve: [],
  safety: {
    llm_second_opinion: true,
    llm_model: 'fast',
    destructive_patterns: [],
    disable_rules: [],
    always_destructive_tools: ['*__shell', '*__shell_bg', '*__write_file', '*__edit_file'],
  },
  norris: { max_norris_steps: 16 },
  mode: 'restricted',
  sandbox: { unrestricted: 'plain' },
  ui: { mouse: true },
  keys: {},
};
