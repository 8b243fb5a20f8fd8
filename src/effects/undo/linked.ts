/** What others run or obey by a well-known name that is a link, or a second name, and was there before (MO-9). */
import { dirname, join } from 'node:path';
import { isAboveRunsLater, runsLater } from '../../knowledge/control-files.ts';
import { fileAt, fileOf, type Name } from './names.ts';
import { type Obeyed, obeyedBy } from './obeyed-by.ts';
import { entriesAt, seenAt, UNKNOWN } from './seen.ts';
import type { Later } from './waiting.ts';
import type { WaysOf } from './ways.ts';

const MAX_DIRECTORIES = 50_000;
/** No name of the list has more parts. */
const MOST_PARTS = 5;
const endOf = (inside: string) => inside.split('/').slice(-MOST_PARTS).join('/');
type Bounds = {
  /** Directories in a directory of such a name (`.claude/skills/one`) whose links count. */
  readonly depth: number;
  /** Of names that count, and of all that links bring. */
  readonly entries: number;
};

const IN_TREE: Bounds = { depth: 2, entries: 50_000 };
/** There such directories are deep and full. */
const AT_HOME: Bounds = { depth: 3, entries: 200_000 };
/** Of the whole tree, which is gone through only for a file that has names nobody has told of. */
const MAX_SEARCHED = 200_000;
/** Names that a file may have which can't be looked at. */
const MANY = 1n << 32n;
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

type Walk = {
  /** Where it begins; names are told from here. */
  readonly top: string;
  readonly directories: Iterable<string>;
  readonly waysOf: WaysOf;
  /** Whether what a link leads to is gone through. */
  follows(real: string): boolean;
  readonly bounds: Bounds;
};

/** Where well-known names in these directories of a tree lead by links, and all links on the way. Throws where there is too much. */
export function linkedIn(tree: string, directories: ReadonlySet<string>, waysOf: WaysOf): readonly Later[] {
  // The tree itself can't be such a thing as a whole.
  const follows = (real: string) => real.startsWith(`${tree}/`);
  return walk({ top: tree, directories, waysOf, follows, bounds: IN_TREE });
}

/** Every place that well-known names in a home directory lead through. Throws where there is too much. */
export function ledFrom(home: string, waysOf: WaysOf): ReadonlySet<string> {
  const led = new Set<string>();
  const seen: WaysOf = (path) => {
    const ways = waysOf(path);
    for (const way of ways) led.add(way);
    return ways;
  };
  walk({ top: home, directories: [home], waysOf: seen, follows: () => true, bounds: AT_HOME });
  return led;
}

/** A directory, with the name by which others know it. */
type Visit = {
  readonly directory: string;
  readonly as: string;
  /** How many directories below it count. */
  readonly depth: number;
  /** A link led here, to which nothing has been found yet that counts with all in it. */
  readonly isLinked: boolean;
  /** What all in it is to others. */
  readonly what: string | undefined;
};

function walk({ top, directories, waysOf, follows, bounds }: Walk): readonly Later[] {
  const found = new Map<string, Later>();
  const add = (path: string, what: string) => found.has(path) || found.set(path, { path, what });
  const queue: Visit[] = [];
  const seen = new Set<string>();
  let left = bounds.entries;
  /** Each directory once under each end of a name: where links go round, the names have no end. */
  const descend = (visit: Visit) => {
    const { as, depth, what } = visit;
    // All that is in it counts with it.
    if (what !== undefined && depth === 0) return;
    const next = what === undefined ? { ...visit, as: endOf(as) } : { ...visit, depth: depth - 1, isLinked: false };
    const key = [next.directory, next.as, next.depth, next.isLinked].join('\0');
    if (seen.has(key)) return;
    seen.add(key);
    queue.push(next);
  };
  const follow = (link: Visit, said: string) => {
    const { links, real } = wayOf(link.directory, waysOf);
    for (const each of links) if (each !== link.directory) add(each, said);
    if (real === undefined || !follows(real)) return;
    if (link.what !== undefined) add(real, said);
    descend({ ...link, directory: real, isLinked: true });
  };
  const look = ({ directory, as, depth, isLinked, ...known }: Visit, isFirst: boolean) => {
    for (const entry of entriesAt(directory) ?? []) {
      const name = as === '' ? entry.name : `${as}/${entry.name}`;
      const what = known.what ?? runsLater(name);
      const isPlain = /^\.git$/i.test(entry.name) || (what === undefined && !isAboveRunsLater(name));
      // Of the first directories each is read once.
      if (!(isFirst && isPlain) && --left < 0) throw new Error('it holds too many names that others obey');
      // What lies in a repository's own directory goes by its names.
      if (isPlain) continue;
      const path = join(directory, entry.name);
      const said = `${what ?? 'leads to what others run or obey'} as ${name}`;
      if (isLinked && what !== undefined) add(path, said);
      const visit = { directory: path, as: name, depth, isLinked, what };
      if (entry.isDirectory()) descend(visit);
      if (entry.isSymbolicLink()) follow(visit, said);
    }
  };
  const first = { depth: bounds.depth, isLinked: false, what: undefined };
  for (const directory of directories)
    if (!isInRepository(directory, top)) look({ ...first, directory, as: directory.slice(top.length + 1) }, true);
  for (let visit = queue.pop(); visit !== undefined; visit = queue.pop()) look(visit, false);
  return [...found.values()];
}

/**
 * Files among `names` of which one is obeyed by another name.
 * @param obeyed what others obey besides the names that everybody knows
 * @param isGits what of a repository's own directory git obeys, by its path in the tree
 */
export function secondNamesIn(
  tree: string,
  names: readonly Name[],
  obeyed: Obeyed,
  isGits: (inside: string) => boolean,
): readonly Later[] {
  const several = namesBeyond(names);
  if (several.size === 0) return [];
  const known = obeyedBy(obeyed);
  const found: Later[] = [];
  const told = new Set(names.map(({ path }) => path));
  const queue = [tree];
  let searched = 0;
  for (let next = queue.pop(); next !== undefined; next = queue.pop())
    for (const entry of entriesAt(next) ?? []) {
      searched += 1;
      if (searched > MAX_SEARCHED) return [...several.values()].flat().map((path) => ({ path, what: ELSEWHERE }));
      const path = join(next, entry.name);
      if (entry.isDirectory()) queue.push(path);
      if (!entry.isFile() || told.has(path)) continue;
      const inside = path.slice(tree.length + 1);
      const isKnown = isInRepository(path, tree) ? isGits(inside) : runsLater(inside) !== undefined;
      if (!isKnown && !known({ path, kind: 'file' })) continue;
      const others = several.get(fileAt(path) ?? '') ?? [];
      found.push(...others.map((other) => ({ path: other, what: `is what others run or obey as ${inside}` })));
    }
  return found;
}

/** By the file, the names of those that have more than these; what the action made has no older one. */
function namesBeyond(names: readonly Name[]): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, string[]>();
  const links = new Map<string, bigint>();
  for (const { path, verb, kind, now } of names) {
    if (verb === 'made' || kind === 'directory' || kind === 'link') continue;
    const found = seenAt(path);
    if (found !== UNKNOWN && (!found?.isFile() || found.nlink === 1n)) continue;
    const file = found === UNKNOWN ? now.file : fileOf(found);
    const paths = known.get(file) ?? [];
    paths.push(path);
    known.set(file, paths);
    links.set(file, found === UNKNOWN ? MANY : found.nlink);
  }
  return new Map([...known].filter(([file, paths]) => (links.get(file) ?? 0n) > paths.length));
}

/** Of a path in a tree. */
export const isInRepository = (path: string, tree: string) => /\/\.git(\/|$)/i.test(path.slice(tree.length));

/** All links that stand between a path and what it is; no `real` where there is nothing. */
function wayOf(path: string, waysOf: WaysOf): { readonly links: readonly string[]; readonly real?: string } {
  const ways = waysOf(path);
  const [links, real = '/'] = [ways.slice(0, -1), ways.at(-1)];
  const found = seenAt(real);
  return found === undefined || (found !== UNKNOWN && found.isSymbolicLink()) ? { links } : { links, real };
}
