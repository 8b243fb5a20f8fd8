/**
 * `aish-guard AGENT [--strict]`: the hook of another agent. It reads a call from standard input and writes the answer
 * in that agent's format to standard output. Small, because it starts for every command of the agent. `aish-guard
 * allow`: a person permits one denied command.
 */
import { writeSync } from 'node:fs';
import { placesOf } from '../../config/config.ts';
import { AGENTS, type Agent } from '../../knowledge/programs.ts';
import { realFiles } from '../../safety/files.ts';
import { judgeWithFiles } from '../../safety/judge.ts';
import { MAX_COMMAND_CHARS } from '../../safety/shell/machine.ts';
import { everyDanger } from '../../session/action.ts';
import { messageOf } from '../../text/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../text/json.ts';
import { visible } from '../../text/sanitize.ts';
import { Allowances } from './allowance.ts';

// How each agent asks a hook about a shell command, and how it reads the answer. Only formats; nothing here judges.

/** A shell command about to run, or another kind of call. */
type Asked = { readonly command: string; readonly cwd?: string } | 'no command';

/**
 * The hook's answer. Never "allow", which would suppress the agent's own question. `silence` leaves the decision to
 * the agent; `ask` makes the agent ask the person, where that works reliably.
 */
type Answer =
  | { readonly kind: 'silence' }
  | { readonly kind: 'ask'; readonly reason: string }
  | { readonly kind: 'deny'; readonly reason: string };

type Dialect = {
  /** Parses the hook's input; undefined if it is not understood. */
  readonly read: (input: JsonObject) => Asked | undefined;
  /** Returns the exact text for standard output; the exit code is always 0. */
  readonly say: (answer: Answer) => string;
};

const line = (value: unknown) => `${JSON.stringify(value)}\n`;

/** `tool_name`, `tool_input.command`; other tools are not shell commands. */
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

const DIALECTS: Readonly<Record<Agent, Dialect>> = {
  'claude-code': {
    read: byToolName('Bash'),
    say: (answer) => (answer.kind === 'silence' ? '' : preToolUse(answer.kind, answer.reason)),
  },
  // Codex treats the unknown answer `ask` as an error, after which it runs the command.
  codex: {
    read: byToolName('Bash', 'shell', 'local_shell', 'exec_command'),
    say: (answer) => (answer.kind === 'deny' ? preToolUse('deny', answer.reason) : line({})),
  },
  // Gemini's `ask` would override a user's policy that denies.
  gemini: {
    read: byToolName('run_shell_command'),
    say: (answer) => (answer.kind === 'deny' ? line({ decision: 'deny', reason: answer.reason }) : line({})),
  },
  copilot: {
    // The arguments are JSON inside a string.
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
    // Both spellings of the message are in use. Output that is not JSON would block the agent.
    say: (answer) =>
      answer.kind === 'silence'
        ? line({})
        : line({ permission: answer.kind, user_message: answer.reason, agent_message: answer.reason }),
  },
  // These two agents need a plugin, which translates between this format and their own.
  opencode: { read: byToolName('bash'), say: (answer) => pluginAnswer(answer) },
  pi: { read: byToolName('bash'), say: (answer) => pluginAnswer(answer) },
};

function pluginAnswer(answer: Answer): string {
  return answer.kind === 'silence' ? line({}) : line({ [answer.kind]: answer.reason });
}

/** Parses the bytes that an agent sent; undefined if not understood. */
function readCall(agent: Agent, text: string): Asked | undefined {
  const input = parseJson(text);
  return isJsonObject(input) ? DIALECTS[agent].read(input) : undefined;
}

// Converts the gate's verdict to an agent's answer. Fails closed.

type DecideOptions = {
  readonly agent: Agent;
  /** Whether to deny commands that the gate does not know too. */
  readonly strict: boolean;
  /** The directory, if the call contains none. */
  readonly cwd: string;
  readonly allowances: Allowances;
  readonly now: number;
};

const HOW = 'A person who wants it can run `aish-guard allow` in a terminal and have it pass once.';
/** Every name of the guard itself, which an agent must not control. */
const GUARD_ITSELF = /aish-guard|aish-tui['"]?\s+guard|aish\/guard\//;

/** @param asked undefined: the call was not understood */
async function decide(asked: Asked | undefined, options: DecideOptions): Promise<Answer> {
  if (asked === undefined)
    return { kind: 'deny', reason: "aish-guard: the call can't be understood, so it does not run." };
  if (asked === 'no command') return { kind: 'silence' };
  const { agent, strict, allowances, now } = options;
  const { command, cwd = options.cwd } = asked;
  if (command.length > MAX_COMMAND_CHARS)
    return {
      kind: 'deny',
      reason: `aish-guard: the command is longer than is looked at (${command.length} characters).`,
    };
  if (GUARD_ITSELF.test(command))
    return { kind: 'deny', reason: 'aish-guard: only the user may run aish-guard, in their own terminal.' };
  const judged = await judgeWithFiles(command, { cwd, files: realFiles() });
  const { verdict, reason, unresolved } = judged;
  if (verdict === 'safe') return { kind: 'silence' };
  const why = visible(judged.findings.length > 1 ? everyDanger(judged) : reason);
  if (verdict === 'unknown' && !unresolved && !strict)
    return { kind: 'ask', reason: `aish-guard: not known to be harmless: ${why}` };
  if (allowances.take({ command, cwd }, now)) return { kind: 'silence' };
  await allowances.deny({ agent, command, cwd, reason });
  const what = verdict === 'destructive' ? 'destructive' : 'not known to be harmless';
  return { kind: 'deny', reason: `aish-guard: ${what}: ${why}. ${HOW}` };
}

/**
 * The time limit of a hook, in ms. If the agent’s own timeout ends a hook, the command runs, so the hook ends itself
 * well before.
 */
const LIMIT_MS = 3000;
const MAX_INPUT_BYTES = 4 << 20;

const [what = '', ...flags] = process.argv.slice(2);
const allowances = new Allowances(placesOf(process.env).state, async (text) =>
  (await import('./hide.ts')).hideSecrets(text),
);

if (what === 'allow') {
  const { allowOnce } = await import('./allow.ts');
  process.exit(await allowOnce(allowances));
} else if (isAgent(what)) {
  const late = setTimeout(() => end(what, deny('it took too long')), LIMIT_MS);
  try {
    const asked = readCall(what, await input());
    const strict = flags.includes('--strict');
    const answer = await decide(asked, { agent: what, strict, cwd: process.cwd(), allowances, now: Date.now() });
    clearTimeout(late);
    end(what, answer);
  } catch (error) {
    end(what, deny(messageOf(error)));
  }
} else {
  process.stderr.write(`aish-guard: name the agent, one of ${AGENTS.join(', ')}; or the subcommand allow\n`);
  // For agents that check the exit code, 2 blocks.
  process.exit(2);
}

function isAgent(name: string): name is Agent {
  return AGENTS.some((agent) => agent === name);
}

function deny(why: string): Answer {
  return { kind: 'deny', reason: `aish-guard: ${why}, so the command does not run.` };
}

/** Writes synchronously: a pipe that is not flushed when the process ends would lose the answer. */
function end(agent: Agent, answer: Answer): never {
  writeSync(1, DIALECTS[agent].say(answer));
  process.exit(0);
}

/** Reads standard input to its end. Asynchronous, because a synchronous read would block the time limit. */
function input(): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    process.stdin.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_INPUT_BYTES) reject(new Error('the call is too large'));
    });
    process.stdin.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    process.stdin.on('error', reject);
  });
}
