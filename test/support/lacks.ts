import { spawnSync } from 'node:child_process';

/** Whether a program that a test needs is missing on this machine; says so, so that a skipped test is no silent one. */
export function lacks(program: string): boolean {
  const isMissing = spawnSync('/bin/sh', ['-c', 'command -v "$0"', program]).status !== 0;
  if (isMissing) console.log(`skipped: there is no ${program} on this machine`);
  return isMissing;
}
