import { join } from 'node:path';
import type { FileContent } from '../reading.ts';
import { harmless, unknown } from '../verdict.ts';
import type { Call } from './call.ts';
import { absolute } from './paths.ts';

/** Shells look for a script without a directory in `PATH` too. */
const SEARCHES = /^(bash|sh|dash|zsh|ksh|ash|mksh|fish|source|\.)$/;

/** Notes that a file is run whose text is not known. Nothing runs where it is not there. */
export function noteUnread(call: Call, path: string, content: FileContent | undefined): void {
  const { machine, program } = call;
  const { reading } = machine;
  const full = absolute(machine, path);
  const folders = !path.includes('/') && SEARCHES.test(program) ? searchPath() : [];
  // All of them at once: each look that is still to come costs a round.
  const elsewhere = folders.map((folder) => reading?.look(join(folder, path)));
  const absent =
    reading !== undefined && content?.kind === 'absent' && elsewhere.every((found) => found?.kind === 'absent');
  if (absent && full !== undefined) {
    reading.runsNothing(full);
    machine.note(harmless('the file to run is not there'));
  } else machine.note(unknown('runs a script file', { runsFiles: true }));
}

function searchPath(): readonly string[] {
  return (process.env.PATH ?? '').split(':').filter((directory) => directory.startsWith('/'));
}
