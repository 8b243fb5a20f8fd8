/** Programs of a project's tree that run wherever somebody types their names: the PATH leads there, or a link in it does (MO-9). */
import { homedir } from 'node:os';
import { basename, delimiter, join, resolve } from 'node:path';
import { STARTED } from '../../contracts/started.ts';
import { Turns } from '../../text/turns.ts';
import { entriesAt, seenAt, UNKNOWN } from './seen.ts';
import type { Later } from './waiting.ts';
import type { WaysOf } from './ways.ts';

/** Where programs are looked for without a PATH. */
const SYSTEM = '/usr/bin:/bin';
/** Below the home directory: a login shell may look there where aish-tui was started without. */
const OF_HOME = ['bin', '.local/bin', '.cargo/bin', 'go/bin', '.npm-global/bin'];
/** In all directories of programs together. */
const MAX_PROGRAMS = 200_000;
/** Links elsewhere, by which such a link leads, are changed by the user alone. Milliseconds. */
const KNOWN_MS = 30_000;
const LEADS = 'leads to programs that run wherever their names are typed';

type Directories = {
  /** In the tree, behind all links. */
  readonly inside: readonly string[];
  /** Links in the tree by which the PATH leads anywhere. */
  readonly links: readonly string[];
  /** To which nothing in the tree leads. */
  readonly outside: readonly string[];
};

function directoriesOf(tree: string, waysOf: WaysOf): Directories {
  const isInside = (path: string) => path === tree || path.startsWith(`${tree}/`);
  const all = (process.env.PATH ?? SYSTEM).split(delimiter).map((each) => waysOf(resolve(tree, each)));
  return {
    inside: all.flatMap((ways) => ways.slice(-1).filter(isInside)),
    links: all.flatMap((ways) => ways.slice(0, -1).filter(isInside)),
    outside: all.filter((ways) => !ways.some(isInside)).flatMap((ways) => ways.slice(-1)),
  };
}

/**
 * The PATH without what leads over the tree: no program that is found by it is one of the project's. Never empty, since that
 * means the working directory. Throws where nothing is left of it.
 */
export function pathWithout(tree: string, waysOf: WaysOf): string {
  const { outside } = directoriesOf(tree, waysOf);
  if (outside.length === 0) throw new Error('all programs are found through the project');
  return outside.join(delimiter);
}

/** What whoever types a name of the system's, or aish-tui itself, gets in place of it. */
export async function programsIn(tree: string, waysOf: WaysOf): Promise<readonly Later[]> {
  const { inside, links, outside } = directoriesOf(tree, waysOf);
  const typed = (path: string): readonly Later[] =>
    waysOf(path).map((way) => ({ path: way, what: `runs wherever ${basename(path)} is typed` }));
  const into = await linksInto(tree, outside, waysOf);
  const leading = [...links.map((path): Later => ({ path, what: LEADS })), ...into.flatMap(typed)];
  if (inside.length === 0) return leading;
  const known = new Set([...STARTED, ...outside.flatMap(namesIn)]);
  const programs = inside.flatMap((directory) =>
    namesIn(directory)
      .filter((name) => known.has(name))
      .flatMap((name) => typed(join(directory, name))),
  );
  return [...leading, ...programs];
}

const namesIn = (directory: string) => (entriesAt(directory) ?? []).map(({ name }) => name);

let known: { readonly of: string; readonly at: number; readonly links: readonly string[] } | undefined;

/** Links in directories of programs that lead into the tree. Where they lead from there on, they say themselves. */
async function linksInto(tree: string, outside: readonly string[], waysOf: WaysOf): Promise<readonly string[]> {
  const turns = new Turns();
  const home = OF_HOME.flatMap((name) => waysOf(join(homedir(), name)).slice(-1));
  const directories = [...new Set([...outside, ...home])];
  const of = [tree, ...directories.map((directory) => `${directory} ${changedAt(directory)}`)].join(delimiter);
  if (known?.of === of && performance.now() - known.at < KNOWN_MS) return known.links;
  const links: string[] = [];
  let left = MAX_PROGRAMS;
  for (const directory of directories)
    for (const entry of entriesAt(directory) ?? []) {
      left -= 1;
      if (left < 0) throw new Error('the PATH holds too many programs');
      if (turns.due) await turns.next();
      const path = join(directory, entry.name);
      if (entry.isSymbolicLink() && waysOf(path).some((way) => way.startsWith(`${tree}/`))) links.push(path);
    }
  known = { of, at: performance.now(), links };
  return links;
}

function changedAt(directory: string): string {
  const found = seenAt(directory);
  return found === undefined || found === UNKNOWN ? '' : `${found.ino} ${found.ctimeNs}`;
}
