import type { Environment } from './environment.ts';
import { withoutInherited } from './inherit.ts';
import { ensureWatchdog, tagVariable } from './watchdog.ts';

/**
 * How a child that lives beside the program for long is to be started: it inherits none of the program's terminals, and
 * carries the mark by which everything is ended that would outlive the program.
 */
export function asCompanion(
  argv: readonly string[],
  env: Environment,
): { readonly argv: readonly [string, ...string[]]; readonly env: Environment } {
  ensureWatchdog();
  return { argv: withoutInherited(argv), env: { ...env, ...tagVariable } };
}
