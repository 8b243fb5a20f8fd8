/** Lists of git's own that say what its next step runs: a rebase goes on with them, whoever wrote them (MO-9). */
import { lstatSync, readFileSync } from 'node:fs';

/** Below a repository's directory. */
const LIST = /^\/(rebase-merge\/git-rebase-todo|sequencer\/todo)$/;
const HOLDS_LIST = /^\/(rebase-merge|sequencer)$/;
/** Lines that are a command for the shell, as git reads them. */
const RUNS = /^[ \t]*(?:x|exec)(?=[ \t\r\n]|$).*/gm;
const MAX_BYTES = 1_000_000;

/** How such a list is called. */
export const TODO_NAMES: readonly string[] = ['git-rebase-todo', 'todo'];

/** @param place a path below a repository's directory, with its slash */
export const isTodo = (place: string) => LIST.test(place);
export const holdsTodo = (place: string) => HOLDS_LIST.test(place);

/** The lines of such a list that run something. */
export function runBy(list: string): readonly string[] {
  return [...list.matchAll(RUNS)].map(([line]) => line.trim());
}

/** The text of a plain file that is known by one name only; undefined where it is more, or can't be looked at. */
export function plainText(path: string): string | undefined {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.nlink === 1 && found.size <= MAX_BYTES ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
