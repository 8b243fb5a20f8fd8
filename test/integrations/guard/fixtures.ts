/** The messages that each agent sends before a shell command, and the exact bytes that the guard must answer. */
import type { Agent } from '../../../src/knowledge/programs.ts';

export const DENIED =
  'aish-guard: destructive: rm -rf. A person who wants it can run `aish-guard allow` in a terminal and have it pass once.';
export const ASKED = (reason: string) => `aish-guard: not known to be harmless: ${reason}`;
export const STRICT = (reason: string) =>
  `aish-guard: not known to be harmless: ${reason}. A person who wants it can run \`aish-guard allow\` in a terminal and have it pass once.`;
export const GARBAGE = "aish-guard: the call can't be understood, so it does not run.";

type Fixture = {
  readonly call: (command: string) => string;
  readonly otherTool: string;
  readonly deny: (reason: string) => string;
  /** The answer for an unknown command; undefined: the agent has no reliable way to ask. */
  readonly ask?: (reason: string) => string;
  readonly silence: string;
};

const hook = (decision: string) => (reason: string) =>
  `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"${decision}","permissionDecisionReason":${JSON.stringify(reason)}}}\n`;
const command = (tool: string) => (text: string) =>
  JSON.stringify({
    session_id: 's',
    hook_event_name: 'PreToolUse',
    tool_name: tool,
    tool_input: { command: text },
    cwd: '/',
  });
const one = (key: string) => (reason: string) => `{"${key}":${JSON.stringify(reason)}}\n`;

export const FIXTURES: Readonly<Record<Agent, Fixture>> = {
  'claude-code': {
    call: command('Bash'),
    otherTool: '{"tool_name":"Write","tool_input":{"file_path":"/x","content":"rm -rf /"}}',
    deny: hook('deny'),
    ask: hook('ask'),
    silence: '',
  },
  codex: {
    call: command('Bash'),
    otherTool: '{"tool_name":"apply_patch","tool_input":{"command":"rm -rf /"}}',
    deny: hook('deny'),
    silence: '{}\n',
  },
  gemini: {
    call: command('run_shell_command'),
    otherTool: '{"tool_name":"write_file","tool_input":{"file_path":"/x"}}',
    deny: (reason) => `{"decision":"deny","reason":${JSON.stringify(reason)}}\n`,
    silence: '{}\n',
  },
  copilot: {
    call: (text) => JSON.stringify({ toolName: 'bash', toolArgs: JSON.stringify({ command: text }), cwd: '/' }),
    otherTool: '{"toolName":"view","toolArgs":"{\\"path\\":\\"/x\\"}"}',
    deny: (reason) => `{"permissionDecision":"deny","permissionDecisionReason":${JSON.stringify(reason)}}\n`,
    ask: (reason) => `{"permissionDecision":"ask","permissionDecisionReason":${JSON.stringify(reason)}}\n`,
    silence: '',
  },
  cursor: {
    call: (text) => JSON.stringify({ hook_event_name: 'beforeShellExecution', command: text, cwd: '/' }),
    // This agent calls the hook for nothing else.
    otherTool: '',
    deny: (reason) =>
      `{"permission":"deny","user_message":${JSON.stringify(reason)},"agent_message":${JSON.stringify(reason)}}\n`,
    ask: (reason) =>
      `{"permission":"ask","user_message":${JSON.stringify(reason)},"agent_message":${JSON.stringify(reason)}}\n`,
    silence: '{}\n',
  },
  opencode: {
    call: command('bash'),
    otherTool: '{"tool_name":"edit","tool_input":{}}',
    deny: one('deny'),
    ask: one('ask'),
    silence: '{}\n',
  },
  pi: {
    call: command('bash'),
    otherTool: '{"tool_name":"edit","tool_input":{}}',
    deny: one('deny'),
    ask: one('ask'),
    silence: '{}\n',
  },
};
