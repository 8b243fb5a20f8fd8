/** Lists of git's own that say what its next step runs: a rebase goes on with them, whoever wrote them (MO-9). */
import { lstatSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { pathOf } from './exact-names.ts';
import type { Name } from './names.ts';

/** Below a repository's directory. */
const LIST = /^\/(rebase-merge\/git-rebase-todo|sequencer\/todo)$/;
const HOLDS_LIST = /^\/(rebase-merge|sequencer)$/;
const STRATEGY = '(?:ort|recursive|resolve|octopus|ours|subtree)';
/** What else git's next step takes programs from, and what of it git itself would have written: a strategy is one, `git-merge-NAME`. */
const NAMING: ReadonlyMap<string, RegExp> = new Map([
  ['/rebase-merge/strategy', new RegExp(`^${STRATEGY}?\\n?$`)],
  ['/sequencer/opts', new RegExp(`^(?:(?!strategy\\b(?!-option\\b))[^\\\\]|strategy = ${STRATEGY}\\n)*$`, 'i')],
  // Older ones give it to a shell: quoted words.
  ['/BISECT_NAMES', /^(?:\s|'[^']*'|\\')*$/],
]);
const LISTS = ['/rebase-merge/git-rebase-todo', '/sequencer/todo', ...NAMING.keys()];
/** A line that is a command for the shell, as git reads it. */
const RUNS = /^(?:x|exec)(?:[ \t\r]|$)/;
/** What is no text: two different lines may read the same. */
const NO_TEXT = '\ufffd';
const MAX_BYTES = 1_000_000;

/** How such a file is called. */
export const TODO_NAMES: readonly string[] = LISTS.map((list) => basename(list));

/** @param place a path below a repository's directory, with its slash */
export const isTodo = (place: string) => LIST.test(place);
export const holdsTodo = (place: string) => HOLDS_LIST.test(place);

/**
 * Whether git's next step would take a program from it that is not git's own.
 * @param text what it holds; undefined where that can't be told
 */
export function namesProgram(place: string, text: () => string | undefined): boolean {
  const own = NAMING.get(place);
  return own !== undefined && !own.test(text() ?? NO_TEXT);
}

/** The lines of such a list that run something: git ends them at a line feed only, and gives the whole rest to a shell. */
export function runBy(list: string): readonly string[] {
  return list
    .split('\n')
    .map((line) => line.replace(/^[ \t]+/, '').replace(/\r$/, ''))
    .filter((line) => RUNS.test(line));
}

/** Whether `list` runs nothing but what `before` ran. */
export function runsOnly(list: string, before: string): boolean {
  const known = new Set(runBy(before));
  return runBy(list).every((line) => known.has(line) && !line.includes(NO_TEXT));
}

/**
 * Where the lists of the repositories around these names may be, below `tree`: a list that was there before the
 * action may be one of these files, by another name or behind a link. A repository that the action made has no older list.
 */
export function listsAround(names: readonly Name[], tree: string): readonly string[] {
  const made = new Set(names.filter(({ verb }) => verb === 'made').map(({ path }) => path));
  const above = new Set<string>();
  for (const { path } of names)
    for (let at = dirname(path); isIn(at, tree) && !above.has(at); at = dirname(at)) above.add(at);
  return [...above].filter((directory) => !made.has(directory)).flatMap(listsIn);
}

/** Where they are, of the repository in this directory. */
const listsIn = (directory: string): readonly string[] => LISTS.map((list) => `${directory}/.git${list}`);

/** Of such a path, the part below the repository's directory. */
export const placeOf = (list: string) => list.slice(list.lastIndexOf('/.git/') + '/.git'.length);

const isIn = (path: string, tree: string) => path === tree || path.startsWith(`${tree}/`);

/** The text of a plain file that is known by one name only; undefined where it is more, or can't be looked at. */
export function plainText(path: string): string | undefined {
  try {
    const at = pathOf(path);
    const found = lstatSync(at);
    return found.isFile() && found.nlink === 1 && found.size <= MAX_BYTES ? readFileSync(at, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
