/**
 * `aish-guard AGENT [--strict]`: the hook of another agent. The call comes on standard input, the answer goes to
 * standard output in that agent's own terms. Kept slim: it starts for every command of the agent. `aish-guard allow`: a
 * person lets one denied command pass.
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

// How each agent asks a hook about a shell command, and how it reads the answer. A table; nothing here judges.

/** A shell command about to run, or a call that is none. */
type Asked = { readonly command: string; readonly cwd?: string } | 'no command';

/**
 * What the hook says. Never that a command is allowed: that would lift the agent's own question. `silence` leaves it to
 * the agent, `ask` makes it ask the person, where that can be relied on.
 */
type Answer =
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

const DIALECTS: Readonly<Record<Agent, Dialect>> = {
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
function readCall(agent: Agent, text: string): Asked | undefined {
  const input = parseJson(text);
  return isJsonObject(input) ? DIALECTS[agent].read(input) : undefined;
}

// Turns the gate's verdict into the answer of an agent's hook. Fails closed.

type DecideOptions = {
  readonly agent: Agent;
  /** Deny what the gate does not know as well. */
  readonly strict: boolean;
  /** Where it is not in the call. */
  readonly cwd: string;
  readonly allowances: Allowances;
  readonly now: number;
};

const HOW = 'A person who wants it can run `aish-guard allow` in a terminal and have it pass once.';
/** Of whatever name the guard goes by: an agent has no business there. */
const GUARD_ITSELF = /aish-guard|aish-tui['"]?\s+guard|aish\/guard\//;

/** @param asked undefined: the call could not be understood */
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
    return { kind: 'deny', reason: 'aish-guard: only a person may speak with the guard, in a terminal of their own.' };
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

/** A hook that is cut off by its agent lets the command run; so it ends by itself well before. */
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
  process.stderr.write(`aish-guard: which agent? one of ${AGENTS.join(', ')}; or allow\n`);
  // Where agents look at the exit code, 2 blocks.
  process.exit(2);
}

function isAgent(name: string): name is Agent {
  return AGENTS.some((agent) => agent === name);
}

function deny(why: string): Answer {
  return { kind: 'deny', reason: `aish-guard: ${why}, so the command does not run.` };
}

/** Written at once: a pipe that is still flushing when the process ends would lose it. */
function end(agent: Agent, answer: Answer): never {
  writeSync(1, DIALECTS[agent].say(answer));
  process.exit(0);
}

/** Standard input to its end. A plain read would do with less, but keeps the process from ending when time is up. */
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
