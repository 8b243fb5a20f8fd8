/** What others run or obey by a well-known name that is a link, or a second name, and was there before (MO-9). */
import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAboveRunsLater, runsLater } from '../contracts/runs-later.ts';
import { fileAt, fileOf, type Name } from './names.ts';
import { within } from './nested.ts';
import type { Later } from './waiting.ts';
import { waysThrough } from './ways.ts';

const MAX_DIRECTORIES = 50_000;
const MAX_ENTRIES = 50_000;
/** Of the whole tree, which is gone through only for a file that has names nobody has told of. */
const MAX_SEARCHED = 200_000;
/** Directories in a directory of that name (`.claude/skills/one`) whose links count. */
const DEPTH = 2;
const ELSEWHERE = 'has another name, which could not be looked for';

/**
 * The directories of `tree` that an action came near to and did not make, with all above them: in them names may
 * stand that it has not told of. Throws where there are too many.
 */
export function olderAround(tree: string, names: readonly Name[]): ReadonlySet<string> {
  const made = new Set(names.filter(({ verb }) => verb === 'made').map(({ path }) => path));
  const near = new Set([tree]);
  for (const { path } of names)
    for (let at = dirname(path); at.startsWith(`${tree}/`) && !near.has(at); at = dirname(at)) near.add(at);
  const older = new Set([...near].filter((path) => !made.has(path)));
  if (older.size > MAX_DIRECTORIES) throw new Error('it changed too many directories');
  return older;
}

/** Where well-known names in these directories lead by links, and all links on the way. Throws where there is too much. */
export function linkedIn(tree: string, directories: ReadonlySet<string>): readonly Later[] {
  const found: Later[] = [];
  let left = MAX_ENTRIES;
  const enter = (directory: string, as: string, depth: number, isLinked: boolean): void => {
    for (const entry of entriesOf(directory)) {
      const name = as === '' ? entry.name : `${as}/${entry.name}`;
      const what = runsLater(name);
      // What lies in a repository's own directory goes by its names.
      if (/^\.git$/i.test(entry.name) || (what === undefined && !isAboveRunsLater(name))) continue;
      if (--left < 0) throw new Error('it holds too many names that others obey');
      const path = join(directory, entry.name);
      const said = `${what ?? 'leads to what others run or obey'} as ${name}`;
      if (isLinked && what !== undefined) found.push({ path, what: said });
      if (!entry.isSymbolicLink()) {
        if (entry.isDirectory()) descend(path, name, depth, isLinked, what);
        continue;
      }
      const { links, real } = wayOf(path);
      found.push(...links.filter((link) => link !== path).map((link) => ({ path: link, what: said })));
      // The tree itself can't be such a thing as a whole.
      if (!real?.startsWith(`${tree}/`)) continue;
      if (what !== undefined) found.push({ path: real, what: said });
      descend(real, name, depth, true, what);
    }
  };
  const descend = (path: string, name: string, depth: number, isLinked: boolean, what: string | undefined) => {
    if (what === undefined) enter(path, name, depth, isLinked);
    // All that is in it counts with it.
    else if (depth > 0) enter(path, name, depth - 1, false);
  };
  for (const directory of directories)
    if (!isInRepository(directory, tree)) enter(directory, directory.slice(tree.length + 1), DEPTH, false);
  return found;
}

/**
 * Files among `names` of which one is obeyed by another name.
 * @param obeyed what others obey besides the names that everybody knows
 * @param isGits what of a repository's own directory git obeys, by its path in the tree
 */
export function secondNamesIn(
  tree: string,
  names: readonly Name[],
  obeyed: readonly Later[],
  isGits: (inside: string) => boolean,
): readonly Later[] {
  const several = namesBeyond(names);
  if (several.size === 0) return [];
  const isObeyed = within(obeyed.map(({ path }) => path));
  const found: Later[] = [];
  const told = new Set(names.map(({ path }) => path));
  const queue = [tree];
  let searched = 0;
  for (let next = queue.pop(); next !== undefined; next = queue.pop())
    for (const entry of entriesOf(next)) {
      searched += 1;
      if (searched > MAX_SEARCHED) return [...several.values()].flat().map((path) => ({ path, what: ELSEWHERE }));
      const path = join(next, entry.name);
      if (entry.isDirectory()) queue.push(path);
      if (!entry.isFile() || told.has(path)) continue;
      const inside = path.slice(tree.length + 1);
      const isKnown = isInRepository(path, tree) ? isGits(inside) : runsLater(inside) !== undefined;
      if (!isKnown && !isObeyed(path)) continue;
      const others = several.get(fileAt(path) ?? '') ?? [];
      found.push(...others.map((other) => ({ path: other, what: `is what others run or obey as ${inside}` })));
    }
  return found;
}

/** By the file, the names of those that have more than these; what the action made has no older one. */
function namesBeyond(names: readonly Name[]): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, string[]>();
  const links = new Map<string, bigint>();
  for (const { path, verb, kind } of names) {
    if (verb === 'made' || kind === 'directory' || kind === 'link') continue;
    const found = statsOf(path);
    if (!found?.isFile() || found.nlink === 1n) continue;
    const file = fileOf(found);
    known.set(file, [...(known.get(file) ?? []), path]);
    links.set(file, found.nlink);
  }
  return new Map([...known].filter(([file, paths]) => (links.get(file) ?? 0n) > paths.length));
}

const isInRepository = (path: string, tree: string) => /\/\.git(\/|$)/i.test(path.slice(tree.length));

/** The links by which this is reached, as far as it is there. */
export const linksTo = (path: string) => wayOf(path).links;

/** All links that stand between a path and what it is; no `real` where there is nothing. */
function wayOf(path: string): { readonly links: readonly string[]; readonly real?: string } {
  const ways = waysThrough()(path);
  const [links, real = '/'] = [ways.slice(0, -1), ways.at(-1)];
  const found = statsOf(real);
  return found && !found.isSymbolicLink() ? { links, real } : { links };
}

/** Undefined where nothing is there, or below a file. */
function statsOf(path: string) {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

/** Also of what is none, or is closed to its owner: nobody obeys what is in it then. */
function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
