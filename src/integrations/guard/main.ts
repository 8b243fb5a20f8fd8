/**
 * `aish-guard AGENT [--strict]`: the hook of another agent. The call comes on standard input, the answer goes to
 * standard output in that agent's own terms. Kept slim: it starts for every command of the agent. `aish-guard allow`: a
 * person lets one denied command pass.
 */
import { writeSync } from 'node:fs';
import { placesOf } from '../../config/config.ts';
import { AGENTS, type Agent } from '../../knowledge/agents.ts';
import { realFiles } from '../../safety/files.ts';
import { judgeWithFiles } from '../../safety/judge.ts';
import { MAX_COMMAND_CHARS } from '../../safety/shell/machine.ts';
import { messageOf } from '../../text/errors.ts';
import { visible } from '../../text/sanitize.ts';
import { Allowances } from './allowance.ts';
import { type Answer, type Asked, DIALECTS, readCall } from './dialects.ts';

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
  const { verdict, reason, unresolved } = await judgeWithFiles(command, { cwd, files: realFiles() });
  if (verdict === 'safe') return { kind: 'silence' };
  const why = visible(reason);
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
