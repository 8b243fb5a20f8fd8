/** The one place where tests look for programs that a machine may lack. `scripts/bare-machine.sh` lists the others. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const looked = new Map<string, string | undefined>();

/**
 * Returns the full path of a program, or of a file named by its path. If it is missing, returns undefined and prints
 * that once per test file.
 */
export function pathOf(program: string): string | undefined {
  if (!looked.has(program)) {
    looked.set(program, onPath(program));
    if (looked.get(program) === undefined) console.log(`skipped: there is no ${program} on this machine`);
  }
  return looked.get(program);
}

/** Returns whether a program that a test needs is missing, for `it.skipIf` and `describe.skipIf`. */
export function lacks(program: string): boolean {
  return pathOf(program) === undefined;
}

/** Returns the full paths of this machine's shells with the language of `sh` that users may have. */
export function userShells(): readonly string[] {
  return ['bash', 'zsh'].flatMap((shell) => pathOf(shell) ?? []);
}

/** Returns the same and fish, which has a language of its own. */
export function everyShell(): readonly string[] {
  return [...userShells(), ...[pathOf('fish') ?? []].flat()];
}

function onPath(program: string): string | undefined {
  if (program.startsWith('/')) return existsSync(program) ? program : undefined;
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
