/**
 * `aish-guard AGENT [--strict]`: the hook of another agent. The call comes on standard input, the answer goes to standard
 * output in that agent's own terms. Kept slim: it starts for every command of the agent. `aish-guard allow`: a person
 * lets one denied command pass.
 */
import { writeSync } from 'node:fs';
import { placesOf } from '../../config/config.ts';
import { AGENTS, type Agent } from '../../knowledge/agents.ts';
import { messageOf } from '../../text/errors.ts';
import { Allowances } from './allowance.ts';
import { decide } from './decide.ts';
import { type Answer, DIALECTS, readCall } from './dialects.ts';

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
