/** THE schema of a configuration file. The errors, `docs/config.md` and the published schema are made from it. */
import { DEFAULTS } from './config.ts';

export type Schema = {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
};

const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more });
const count = (description: string, fallback: number): Schema => ({
  type: 'integer',
  minimum: 1,
  description,
  default: fallback,
});
const flag = (description: string, fallback: boolean): Schema => ({ type: 'boolean', description, default: fallback });
const names = (description: string, fallback: readonly string[] = []): Schema => ({
  type: 'array',
  items: { type: 'string' },
  description,
  default: fallback,
});
const block = (
  description: string,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema => ({
  type: 'object',
  description,
  properties,
  additionalProperties: false,
  ...(required.length > 0 ? { required } : {}),
});

const model = block(
  'One preset.',
  {
    base_url: text('Address of an OpenAI-compatible server, usually ending in /v1.'),
    model: text('The model as the server calls it.'),
    api_key_env: text('Name of the environment variable that holds the key. The key itself is never written down.'),
    api_key_cmd: text('A command that prints the key, for example of a password manager.'),
    context: { type: 'integer', minimum: 512, description: 'Window in tokens, where the server does not say it.' },
    secrets: text('What happens to secrets before a call: default off on this machine, scrub elsewhere.', {
      enum: ['scrub', 'block', 'off'],
    }),
    fallback: names('Presets used in turn when this one fails.'),
  },
  ['base_url'],
);

const pattern = block(
  'One pattern.',
  { reason: text('What the HALT says.'), pattern: text('A regular expression over the command.') },
  ['reason', 'pattern'],
);

export const SCHEMA: Schema = block('Configuration of aish-tui.', {
  $schema: text('Where the schema stands, for editors.'),
  models: {
    type: 'object',
    description: 'The presets by name; fast, deep and cloud by convention.',
    additionalProperties: model,
  },
  model: text('The preset that is active at start. Default: the first.'),
  system_prompt: text('Replaces the built-in system prompt.'),
  max_turns: count('Turns kept in the context.', DEFAULTS.max_turns),
  max_tool_rounds: count('Rounds of actions after one question.', DEFAULTS.max_tool_rounds),
  max_answer_tokens: count('The longest answer asked for, in tokens.', DEFAULTS.max_answer_tokens),
  wait_seconds: count('Seconds after which a command of the model goes on as a job.', DEFAULTS.wait_seconds),
  confirm_cmd: flag('Ask before a CMD: line in chat.', DEFAULTS.confirm_cmd),
  auto_approve: names('Globs over tool names that run without asking, as long as the gate does not stop them.'),
  safety: block('The gate.', {
    llm_second_opinion: flag(
      'Ask a model about commands that the rules leave open.',
      DEFAULTS.safety.llm_second_opinion,
    ),
    llm_model: text('The preset that is asked.', { default: DEFAULTS.safety.llm_model }),
    destructive_patterns: {
      type: 'array',
      items: pattern,
      description: 'Your own patterns, added to the rules.',
      default: [],
    },
    disable_rules: names('Rules switched off by name; shown at start.'),
    always_destructive_tools: names('Globs over tools that always HALT.', DEFAULTS.safety.always_destructive_tools),
    max_norris_steps: count('The same as norris.max_norris_steps.', DEFAULTS.norris.max_norris_steps),
  }),
  norris: block('Autonomous runs.', {
    max_norris_steps: count('Steps of one run.', DEFAULTS.norris.max_norris_steps),
    executor: text('The preset for the steps. Default: the active one.'),
  }),
  mode: text('The mode a conversation starts in, where the kernel sandbox is available.', {
    enum: ['restricted', 'unrestricted'],
    default: DEFAULTS.mode,
  }),
  sandbox: block('The kernel sandbox.', {
    unrestricted: text(
      'light keeps commands in Unrestricted away from other terminals and processes; it costs them sudo and killing processes outside.',
      { enum: ['plain', 'light'], default: DEFAULTS.sandbox.unrestricted },
    ),
  }),
  ui: block('The screen.', {
    theme: text('Colours. Default: dark, or none with NO_COLOR.', { enum: ['dark', 'light', 'high-contrast', 'none'] }),
    mouse: flag('Take the mouse: wheel and buttons. Off leaves selecting to the terminal.', DEFAULTS.ui.mouse),
  }),
  keys: {
    type: 'object',
    description: 'Commands of the key table bound to other keys.',
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  },
  shell: text('The shell to run instead of $SHELL.'),
});
