/** The program: arguments in, exit code out. */

import { VERSION } from './app/options.ts';
import { carryOut } from './cli/main.ts';
import type { Invocation } from './cli/program.ts';

/** Without arguments, the common case, the parser is not even loaded. */
async function invocationOf(argv: readonly string[]): Promise<Invocation> {
  if (argv.length === 0) return { kind: 'screen', global: {}, session: {} };
  const { parseArguments } = await import('./cli/program.ts');
  return parseArguments(argv, VERSION);
}

try {
  // Pipes, timers and children of the user's must not hold the program once it is done.
  process.exit(await carryOut(await invocationOf(process.argv.slice(2)), VERSION));
} catch (error) {
  const { reportCrash } = await import('./cli/crash.ts');
  process.stderr.write(`aish-tui: ${reportCrash(error)}\n`);
  process.exit(1);
}
