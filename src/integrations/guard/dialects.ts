/** How each agent asks a hook about a shell command, and how it reads the answer. A table; nothing here judges. */
import type { Agent } from '../../knowledge/agents.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../text/json.ts';

/** A shell command about to run, or a call that is none. */
export type Asked = { readonly command: string; readonly cwd?: string } | 'no command';

/**
 * What the hook says. Never that a command is allowed: that would lift the agent's own question. `silence` leaves it to
 * the agent, `ask` makes it ask the person, where that can be relied on.
 */
export type Answer =
  | { readonly kind: 'silence' }
  | { readonly kind: 'ask'; readonly reason: string }
  | { readonly kind: 'deny'; readonly reason: string };

type Dialect = {
  /** The call in the hook's input; undefined where it is not to be understood. */
  readonly read: (input: JsonObject) => Asked | undefined;
  /** The exact text on standard output; the exit code is always 0. */
  readonly say: (answer: Answer) => string;
};

const line = (value: unknown) => `${JSON.stringify(value)}\n`;

/** `tool_name`, `tool_input.command`; another tool is no command of the shell. */
const byToolName =
  (...shells: readonly string[]): Dialect['read'] =>
  ({ tool_name: tool, tool_input: given, cwd }) =>
    typeof tool !== 'string' ? undefined : shells.includes(tool) ? commandIn(given, cwd) : 'no command';

function commandIn(given: unknown, cwd: unknown): Asked | undefined {
  if (!isJsonObject(given) || typeof given.command !== 'string') return undefined;
  return { command: given.command, ...(typeof cwd === 'string' ? { cwd } : {}) };
}

const preToolUse = (permissionDecision: string, permissionDecisionReason: string) =>
  line({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason } });

export const DIALECTS: Readonly<Record<Agent, Dialect>> = {
  'claude-code': {
    read: byToolName('Bash'),
    say: (answer) => (answer.kind === 'silence' ? '' : preToolUse(answer.kind, answer.reason)),
  },
  // It knows no `ask` and takes one for an error, after which the command runs.
  codex: {
    read: byToolName('Bash', 'shell', 'local_shell', 'exec_command'),
    say: (answer) => (answer.kind === 'deny' ? preToolUse('deny', answer.reason) : line({})),
  },
  // Its `ask` would override a policy of the user's that denies.
  gemini: {
    read: byToolName('run_shell_command'),
    say: (answer) => (answer.kind === 'deny' ? line({ decision: 'deny', reason: answer.reason }) : line({})),
  },
  copilot: {
    // The arguments are JSON within a text.
    read: ({ toolName: tool, toolArgs, cwd }) => {
      if (typeof tool !== 'string') return undefined;
      if (tool !== 'bash') return 'no command';
      return commandIn(typeof toolArgs === 'string' ? parseJson(toolArgs) : toolArgs, cwd);
    },
    say: (answer) =>
      answer.kind === 'silence'
        ? ''
        : line({ permissionDecision: answer.kind, permissionDecisionReason: answer.reason }),
  },
  cursor: {
    read: (input) => commandIn(input, input.cwd),
    // Both spellings of the message are in use. What is no JSON would block.
    say: (answer) =>
      answer.kind === 'silence'
        ? line({})
        : line({ permission: answer.kind, user_message: answer.reason, agent_message: answer.reason }),
  },
  // The two that take a plugin: it speaks this dialect with us, and theirs with the agent.
  opencode: { read: byToolName('bash'), say: (answer) => pluginAnswer(answer) },
  pi: { read: byToolName('bash'), say: (answer) => pluginAnswer(answer) },
};

function pluginAnswer(answer: Answer): string {
  return answer.kind === 'silence' ? line({}) : line({ [answer.kind]: answer.reason });
}

/** The call in the bytes that an agent sent; undefined for what is not to be understood. */
export function readCall(agent: Agent, text: string): Asked | undefined {
  const input = parseJson(text);
  return isJsonObject(input) ? DIALECTS[agent].read(input) : undefined;
}
