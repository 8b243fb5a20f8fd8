/** Programs of a project's tree that run wherever somebody types their names, since their directory is in the PATH (MO-9). */
import { delimiter, join, resolve } from 'node:path';
import { STARTED } from '../contracts/started.ts';
import { entriesAt } from './seen.ts';
import type { Later } from './waiting.ts';
import type { WaysOf } from './ways.ts';

/** Where programs are looked for without a PATH. */
const SYSTEM = '/usr/bin:/bin';
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
export function programsIn(tree: string, waysOf: WaysOf): readonly Later[] {
  const { inside, links, outside } = directoriesOf(tree, waysOf);
  const leading = links.map((path): Later => ({ path, what: LEADS }));
  if (inside.length === 0) return leading;
  const known = new Set([...STARTED, ...outside.flatMap(namesIn)]);
  const programs = inside.flatMap((directory) =>
    namesIn(directory)
      .filter((name) => known.has(name))
      .flatMap((name) =>
        waysOf(join(directory, name)).map((path): Later => ({ path, what: `runs wherever ${name} is typed` })),
      ),
  );
  return [...leading, ...programs];
}

const namesIn = (directory: string) => (entriesAt(directory) ?? []).map(({ name }) => name);
