/** The program: arguments in, exit code out. */

import { VERSION } from './app/options.ts';
import { carryOut } from './cli/main.ts';
import type { Invocation } from './cli/program.ts';

/** Parses the arguments. Without arguments, the common case, the parser is not even loaded. */
async function invocationOf(argv: readonly string[]): Promise<Invocation> {
  if (argv.length === 0) return { kind: 'screen', global: {}, session: {} };
  const { parseArguments } = await import('./cli/program.ts');
  return parseArguments(argv, VERSION);
}

try {
  // Pipes, timers and children of the user's must not hold the program once it is done.
  process.exit(await carryOut(await invocationOf(process.argv.slice(2)), VERSION));
} catch (error) {
  // Without a free descriptor not even the report can be loaded.
  const told = await import('./cli/crash.ts').then(
    ({ reportCrash }) => reportCrash(error),
    () => (error instanceof Error ? error.message : String(error)),
  );
  process.stderr.write(`aish-tui: ${told}\n`);
  process.exit(1);
}
