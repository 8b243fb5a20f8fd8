/** `aish-guard allow`: a person picks one command denied within the last hour, which may then run once. */
import { createInterface } from 'node:readline/promises';
import { visible } from '../../text/sanitize.ts';
import type { Allowances } from './allowance.ts';

/**
 * Lets a person pick a denied command in their own terminal: an agent has none, and its commands that name the guard
 * are denied.
 */
export async function allowOnce(allowances: Allowances): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    process.stderr.write('aish-guard: this is for a person, in a terminal\n');
    return 2;
  }
  const denied = allowances.recent(Date.now());
  if (denied.length === 0) {
    console.log('nothing was denied within the hour');
    return 0;
  }
  for (const [index, { agent, command, cwd, reason }] of denied.entries())
    console.log(`${index + 1}  ${visible(agent)} in ${visible(cwd)}: ${visible(reason)}\n   ${visible(command)}\n`);
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asking
    .question('Which command may run once in the next ten minutes? (number; Enter: none) ')
    .catch(() => '');
  asking.close();
  const chosen = denied[Number(answer.trim()) - 1];
  if (!chosen) {
    console.log('none');
    return 0;
  }
  allowances.allow(chosen);
  console.log('it may pass once: tell the agent to try again');
  return 0;
}
