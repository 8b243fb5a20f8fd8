/**
 * What of a project's tree others run or obey under a name of its own: git by its configuration (`core.hooksPath`,
 * `include.path`, filters and the like), shells by the user's start files, aish-tui by its configuration, everybody by the PATH, by a link or a second name
 * that a well-known name is (MO-9).
 */
import { join } from 'node:path';
import type { ByConfiguration } from '../../contracts/started.ts';
import { BARE_REPOSITORY, GIT_OBEYS } from '../../knowledge/git.ts';
import { byConfiguration } from './by-configuration.ts';
import { byGit, type Repository } from './by-git.ts';
import { byHome } from './by-home.ts';
import { isInRepository, linkedIn, olderAround, secondNamesIn } from './linked.ts';
import type { Name } from './names.ts';
import { type Obeyed, together } from './obeyed-by.ts';
import { programsIn } from './programs.ts';
import { seenAt } from './seen.ts';
import { isObeyedByGit } from './set-aside.ts';
import { listsIn } from './todo.ts';
import type { Later } from './waiting.ts';
import { waysThrough } from './ways.ts';

/** Repositories around one action. */
const MAX_ASKED = 100;

/**
 * Paths below `tree`.
 * @param names what an action left: what is around it is asked as well
 * @param started by aish-tui itself
 * @throws where there is too much around it
 */
export async function obeyedIn(
  tree: string,
  names: readonly Name[],
  started: readonly ByConfiguration[] = [],
): Promise<Obeyed> {
  const waysOf = waysThrough();
  const around = olderAround(tree, names);
  const found = repositoriesIn(around);
  // What git obeys everywhere is asked in the tree, whether it is a repository or not.
  const repositories = found.length === 0 ? [{ top: tree, isBare: false }] : found;
  if (repositories.length > MAX_ASKED) throw new Error('it changed something in too many repositories');
  const named = together([
    ...(await Promise.all(repositories.map((each) => byGit(each, tree, waysOf)))),
    await byHome(tree, waysOf),
    byConfiguration(started, tree, waysOf, process.cwd()),
  ]);
  const own = repositories.filter(({ isBare }) => isBare).flatMap(({ top }) => partsOf(top));
  // What lies in a repository's own directory goes by its names.
  const inside = [...named.places, ...own, ...(await programsIn(tree, waysOf))].filter(
    ({ path }) => !isInRepository(path, tree),
  );
  const lists = repositories.flatMap(({ top }) => listsIn(top)).flatMap((path) => waysOf(path).slice(0, -1));
  const leading = lists.map((path): Later => ({ path, what: `leads to what git goes on with` }));
  const linked = linkedIn(tree, around, waysOf);
  const places = [...inside, ...linked, ...leading].filter(({ path }) => isIn(tree, path));
  const obeyed = { ...named, places };
  return { ...obeyed, places: [...places, ...secondNamesIn(tree, names, obeyed, isObeyedByGit)] };
}

const isIn = (tree: string, path: string) => path.startsWith(`${tree}/`);

function repositoriesIn(directories: ReadonlySet<string>): readonly Repository[] {
  const has = (top: string, name: string) => seenAt(join(top, name)) !== undefined;
  return [...directories].flatMap((top): readonly Repository[] => {
    const isBare = BARE_REPOSITORY.some((parts) => parts.every((name) => has(top, name)));
    return [...(has(top, '.git') ? [{ top, isBare: false }] : []), ...(isBare ? [{ top, isBare }] : [])];
  });
}

/** What git obeys of a directory that is a repository itself. */
function partsOf(top: string): readonly Later[] {
  return GIT_OBEYS.map((name) => ({ path: join(top, name), what: 'is obeyed by git in a repository' }));
}
