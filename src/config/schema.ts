/**
 * The schema of a configuration file. Error messages, `docs/config.md` and the published schema are generated from
 * it.
 */
import { MODES } from '../session/ids.ts';
import { DEFAULTS } from './config.ts';

export type Schema = {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly (string | boolean)[];
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
const dollars = (description: string): Schema => ({ type: 'number', minimum: 0, description });
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

const strings = (description: string): Schema => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
});

const model = block(
  'One preset.',
  {
    base_url: text('Address of an OpenAI-compatible server, usually ending in /v1.'),
    model: text('The model as the server calls it.'),
    api_key_env: text('Name of the environment variable that holds the key. The key itself is never stored.'),
    api_key_cmd: text('A command that prints the key, for example a password manager’s.'),
    context: {
      type: 'integer',
      minimum: 512,
      description: 'The context window in tokens, if the server does not report it.',
    },
    secrets: text(
      'What happens to secrets before a call. Default: off for a server on this machine, scrub for any other.',
      {
        enum: ['scrub', 'block', 'off'],
      },
    ),
    images: {
      enum: [true, false, 'auto'],
      description: 'Whether the model takes images. Default: auto, learned from the answer to the first image.',
    },
    timeout: count('Seconds until the first token of an answer; after that the call fails.', 600),
    temperature: { type: 'number', minimum: 0, description: 'How freely the model chooses its words.' },
    top_p: { type: 'number', minimum: 0, description: 'The share of likely words that it chooses from, up to 1.' },
    reasoning_effort: text('How much a thinking model thinks, as its server names it: low, medium, high.'),
    max_answer_tokens: {
      type: 'integer',
      minimum: 1,
      description: 'The longest answer that is requested from this preset, in tokens, if that is less.',
    },
    headers: strings(
      `Headers of each request to the server. \`\${NAME}\` becomes the value of an environment variable.`,
    ),
    extra_body: {
      type: 'object',
      description: `Fields of each request, as the server names them; all but messages, tools, stream and model. \`\${NAME}\` as in headers.`,
    },
    fallback: names('Presets tried in turn when this one fails.'),
    prices: block(
      'Dollars per million tokens. Default: prices.jsonc beside this file, then a built-in list; a server on this machine is free. A cost that the server itself reports takes precedence.',
      {
        input: dollars('Tokens sent.'),
        output: dollars('Tokens received.'),
        cached: dollars('Tokens sent that the server had cached. Default: the same as input.'),
      },
      ['input', 'output'],
    ),
    serve: text('A shell command that starts the server when nothing answers at base_url.'),
  },
  ['base_url'],
);

const pattern = block(
  'One pattern.',
  {
    reason: text('The reason that the HALT shows.'),
    pattern: text('A regular expression that is matched against the command.'),
  },
  ['reason', 'pattern'],
);

// One block instead of two alternatives, so that a wrong key has one clear error. `check.ts` requires either command
// or url.
const server = block('One MCP server: either `command`, which starts it, or `url`, where it listens.', {
  command: text('The program that speaks MCP on its standard input and output.'),
  args: names('Its arguments.'),
  env: strings('Environment variables for it, in addition to a few harmless ones of yours.'),
  env_cmd: strings('Environment variables whose values these shell commands print, for example a password manager’s.'),
  cwd: text('The directory that it starts in. Default: the one that aish-tui was started in.'),
  url: text('Address of a server that speaks streamable HTTP.'),
  headers: strings('Headers sent with each request.'),
  oauth: block('How to log in (`:mcp login NAME`). Most servers need no settings here.', {
    client_id: text('A client registered beforehand, or the https address that describes one.'),
    client_secret_env: text('Name of the environment variable that holds its secret.'),
    private_key_env: text('Name of the environment variable that holds its private key (PEM), to log in as itself.'),
    issuer: text('The only authorization server that may be used; needed with a secret or a key.'),
    scope: text('Rights to ask for if the server names none, separated by blanks.'),
    redirect_port: {
      type: 'integer',
      minimum: 1,
      description: 'Local port that the browser returns to. Default: any free port.',
    },
    client_credentials: { type: 'boolean', description: 'Log in as the program itself, without a person.' },
  }),
});

/** The options of the validator. */
export const SCHEMA_OPTIONS = { allErrors: true, strict: false } as const;

export const SCHEMA: Schema = block('Configuration of aish-tui.', {
  $schema: text('The address of the JSON schema, for editors.'),
  models: {
    type: 'object',
    description: 'The presets by name; fast, deep and cloud by convention.',
    additionalProperties: model,
  },
  model: text('The preset that is active at start. Default: the first.'),
  system_prompt: text('Replaces the built-in system prompt.'),
  instructions: flag(
    'Add the AGENTS.md, or else CLAUDE.md, of a trusted project to the system prompt.',
    DEFAULTS.instructions,
  ),
  max_turns: count('Turns kept in the context.', DEFAULTS.max_turns),
  token_budget: {
    type: 'integer',
    minimum: 512,
    description: 'Tokens of context. Default: the preset’s window minus room for the answer.',
  },
  max_tool_rounds: count('Rounds of actions for one question.', DEFAULTS.max_tool_rounds),
  max_answer_tokens: count(
    'The longest answer that is requested, in tokens; never more than a quarter of the window.',
    DEFAULTS.max_answer_tokens,
  ),
  wait_seconds: count(
    'Seconds after which a command of the model continues as a background job.',
    DEFAULTS.wait_seconds,
  ),
  confirm_cmd: {
    enum: [true, 'acts', false],
    description:
      'Ask before a command in chat: before every one, in each mode (true); before those that the mode does not bound and undo does not cover (acts); or before none that the gate lets pass (false).',
    default: DEFAULTS.confirm_cmd,
  },
  auto_approve: names('Globs over the names of tools that run without asking, unless the gate stops them.'),
  safety: block('The gate.', {
    llm_second_opinion: flag(
      'Ask a model about commands that the rules can’t decide.',
      DEFAULTS.safety.llm_second_opinion,
    ),
    llm_model: text('The preset that gives the second opinion.', { default: DEFAULTS.safety.llm_model }),
    destructive_patterns: {
      type: 'array',
      items: pattern,
      description: 'Your own patterns, added to the rules.',
      default: [],
    },
    disable_rules: names('Names of rules that are switched off; listed at start.'),
    always_destructive_tools: names('Globs over tools that always HALT.', DEFAULTS.safety.always_destructive_tools),
    max_norris_steps: count('The same as norris.max_norris_steps.', DEFAULTS.norris.max_norris_steps),
  }),
  norris: block('Autonomous runs.', {
    max_norris_steps: count('Steps of one run.', DEFAULTS.norris.max_norris_steps),
    preplanner: text('The preset that plans the tasks before the first step. Default: no plan.'),
    executor: text('The preset for the steps. Default: the active one.'),
    tasks_max: count('The most tasks taken from a plan.', DEFAULTS.norris.tasks_max),
    preplan_system: text('Replaces the system prompt of the planning call.'),
    task_models: names('Presets that a task of a plan may name: `TASK: @deep …`.'),
    approve_plan: text('Whether a plan waits for you before its first step.', {
      enum: ['never', 'ask'],
      default: DEFAULTS.norris.approve_plan,
    }),
  }),
  mcp: block('Tools of MCP servers.', {
    servers: {
      type: 'object',
      description: 'The servers by name; their tools are called NAME__tool.',
      additionalProperties: server,
    },
    auto_approve: names('Globs over NAME__tool (and names of built-in tools) that run without asking.'),
    read_only: names('Globs over NAME__tool that you know to be read-only: they work in Restricted.'),
    start_seconds: {
      type: 'integer',
      minimum: 1,
      description:
        'Seconds that a server may take to start, and that a run without a screen waits for its tools. Default: 60, and 10 without a screen.',
    },
  }),
  cost: block('Costs.', {
    warn_at_dollars: dollars('Warn once a session has cost this much.'),
    stop_at_dollars: dollars(
      'Ask before every paid call with which a session could cost more than this. 0 asks before each one.',
    ),
  }),
  context: block('How a long conversation is shortened.', {
    summarize: flag(
      'Have a model summarise turns that no longer fit; off, or in a window below 16,000 tokens, they are dropped.',
      DEFAULTS.context.summarize,
    ),
    summary_model: text('The preset that writes these summaries. Default: the active one.'),
  }),
  memory: block('Notes from one session for the next.', {
    enabled: flag('Save a short summary of each session for later ones.', DEFAULTS.memory.enabled),
    model: text('The preset that writes the summaries. Default: the active one.'),
  }),
  disk: block('Saved outputs of commands, and package caches. Journals are removed by :sessions prune alone.', {
    session_mb: count(
      'Megabytes of one session; of further outputs only the beginning and the end are saved.',
      DEFAULTS.disk.session_mb,
    ),
    total_mb: count(
      'Megabytes of all sessions; the next start removes the oldest outputs beyond that.',
      DEFAULTS.disk.total_mb,
    ),
    caches_mb: count(
      'Megabytes of the package caches of all projects (Project mode); the next start removes the least recently used beyond that.',
      DEFAULTS.disk.caches_mb,
    ),
    days: count(
      'Days after which outputs and unused caches are removed, and :sessions prune offers to delete a session.',
      DEFAULTS.disk.days,
    ),
  }),
  mode: text(
    'The mode that a conversation starts in. Left out, it is unrestricted where the kernel sandbox is missing.',
    {
      enum: MODES,
      default: DEFAULTS.mode,
    },
  ),
  projects: {
    type: 'object',
    description:
      "Settings of a directory and below it; the longest path wins. Only in your own file, never in a project's.",
    additionalProperties: block('One directory.', {
      mode: text('The mode that a conversation starts in there, if the kernel can enforce it.', { enum: MODES }),
      allow: names('Programs with their subcommand that run there without a question, as :allow keep writes them.'),
      net: names(
        'Hosts that commands in Project connect to from there without a question, each HOST:PORT; HOST alone is its ports 443 and 80.',
      ),
    }),
  },
  sandbox: block('The kernel sandbox.', {
    unrestricted: text(
      'light keeps commands in Unrestricted away from other terminals and processes; sudo, mounts and signals outside need a yes. plain refuses nothing.',
      { enum: ['plain', 'light'], default: DEFAULTS.sandbox.unrestricted },
    ),
    pass_keys: {
      anyOf: [{ type: 'boolean' }, { type: 'array', items: { type: 'string' } }],
      description:
        'Variables named by an api_key_env that the model’s commands may see in Unrestricted; true: all of them.',
      default: DEFAULTS.sandbox.pass_keys,
    },
  }),
  undo: block('The old states that :undo needs.', {
    budget: {
      type: 'integer',
      minimum: 0,
      description: 'Megabytes in all; the oldest actions go first. 0 keeps nothing.',
      default: DEFAULTS.undo.budget,
    },
    days: count('Days after which an action is removed.', DEFAULTS.undo.days),
    max_file: count(
      'Megabytes of one file that has to be copied before it is written; file systems that share blocks need no limit.',
      DEFAULTS.undo.max_file,
    ),
    credentials: flag(
      'Keep files of keys and passwords (~/.ssh, ~/.gnupg, ~/.aws, .netrc …) as well.',
      DEFAULTS.undo.credentials,
    ),
  }),
  ui: block('The screen.', {
    theme: text('Colours. Default: by the background of the terminal, or none with NO_COLOR.', {
      enum: ['dark', 'light', 'high-contrast', 'none'],
    }),
    mouse: flag('Use the mouse: wheel and buttons. Off leaves selection to the terminal.', DEFAULTS.ui.mouse),
    screen: text('full draws the whole terminal; plain prints lines only, for screen readers.', {
      enum: ['full', 'plain'],
      default: DEFAULTS.ui.screen,
    }),
    wheel_lines: count('Lines per notch of the wheel.', DEFAULTS.ui.wheel_lines),
    notify: flag('Ring the terminal bell when a question waits or a long run has ended.', DEFAULTS.ui.notify),
    motion: flag(
      'Turn the sign of a running activity. Off: the sign stands still; times still count.',
      DEFAULTS.ui.motion,
    ),
    suggestions: flag('Show a dim suggestion from the history; → takes it.', DEFAULTS.ui.suggestions),
    prompt: text('shell: show the last row of your shell’s own prompt.', {
      enum: ['aish', 'shell'],
      default: DEFAULTS.ui.prompt,
    }),
  }),
  abbreviations: strings(
    'Words that expand when you type a space after them at a command’s place, in addition to those of fish.',
  ),
  keys: {
    type: 'object',
    description: 'Other keys for the commands of the key table.',
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  },
  shell: text('The shell to run instead of $SHELL.'),
});
