/** What the guard says about a call: the gate's verdict, in terms of an agent's hook. Fails closed. */

import type { Agent } from '../../knowledge/agents.ts';
import { realFiles } from '../../safety/files.ts';
import { judgeWithFiles } from '../../safety/judge-files.ts';
import { MAX_COMMAND_CHARS } from '../../safety/limits.ts';
import { visible } from '../../text/sanitize.ts';
import type { Allowances } from './allowance.ts';
import type { Answer, Asked } from './dialects.ts';

export type DecideOptions = {
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
export async function decide(asked: Asked | undefined, options: DecideOptions): Promise<Answer> {
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
