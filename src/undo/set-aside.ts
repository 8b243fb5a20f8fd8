/** What an action in Project made or changed for others to run later: it is taken out of the tree until the user has spoken (MO-9). */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Leftover } from '../contracts/commands.ts';
import { runsLater } from '../contracts/runs-later.ts';
import type { Ran } from './launcher.ts';
import type { Name } from './names.ts';
import { diffsBetween } from './preview.ts';
import type { Recorded } from './record.ts';

/** A path that is set aside with all below it, and what it is to others. */
export type Later = { readonly path: string; readonly what: string };

/** What git obeys of a repository; the rest of it is data. */
const OBEYED = /^\/(config(\.worktree)?|hooks|commondir|gitdir|modules|worktrees|info\/attributes)(\/|$)/;
/** What makes a directory a repository without a `.git` around it. */
const BARE = ['HEAD', 'objects', 'refs'];
const MAX_LOOKED_AT = 50_000;

/** Each once, none below another. `tree` is the project's. */
export function laterIn(names: readonly Name[], tree: string): readonly Later[] {
  const fresh = new Set(names.filter(({ verb }) => verb !== 'changed').map(({ path }) => path));
  const found = names
    .filter(({ path }) => path.startsWith(`${tree}/`))
    .flatMap((name) => laterAt(name.path, tree, fresh) ?? broughtBy(name, tree, fresh) ?? [])
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return found.filter(
    ({ path }, at) => !found.slice(0, at).some((other) => path === other.path || path.startsWith(`${other.path}/`)),
  );
}

function laterAt(path: string, tree: string, fresh: ReadonlySet<string>): Later | undefined {
  const inside = path.slice(tree.length + 1);
  const [, above = ''] = /^((?:.*?\/)?)\.git(?:\/|$)/.exec(inside) ?? [undefined, undefined];
  if (/(^|\/)\.git(\/|$)/.test(inside)) {
    const root = join(tree, above, '.git');
    const what = `is git's own`;
    if (fresh.has(root)) return { path: root, what };
    const obeyed = path === root || OBEYED.test(path.slice(root.length));
    return obeyed ? { path, what } : undefined;
  }
  const what = runsLater(inside);
  if (what !== undefined) return { path, what };
  const directory = dirname(path);
  const bare = [...BARE, 'config'].includes(basename(path)) && BARE.every((name) => existsSync(join(directory, name)));
  return bare ? { path, what: 'makes its directory a git repository' } : undefined;
}

/** A directory that was moved here with what it holds: no action can take back a part of it. */
function broughtBy({ path: top, verb, kind }: Name, tree: string, fresh: ReadonlySet<string>): Later | undefined {
  if (verb !== 'moved' || kind !== 'directory') return undefined;
  const queue = [top];
  let looked = 0;
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const entry of entriesOf(next)) {
      const path = join(next, entry.name);
      const found = laterAt(path, tree, fresh);
      looked += 1;
      if (looked > MAX_LOOKED_AT) return { path: top, what: 'holds more than can be looked through' };
      if (found) return { path: top, what: `brings ${path.slice(top.length + 1)}, which ${found.what}` };
      if (entry.isDirectory()) queue.push(path);
    }
  }
  return undefined;
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** What it needs of the store. */
export type AsidePort = {
  launch(...args: readonly string[]): Promise<Ran>;
  /** The record of an action that takes another back. */
  open(text: string): { readonly number: number; readonly directory: string };
  /** Takes that record back in turn; false: not all of it. */
  putBack(number: number): Promise<boolean>;
};

/** Takes that part of the action back; with a yes that is taken back in turn. */
export async function setAside(
  { directory }: Pick<Recorded, 'directory'>,
  later: readonly Later[],
  tree: string,
  port: AsidePort,
): Promise<Leftover> {
  const phrases = later.map(({ path, what }) => `${path.slice(tree.length + 1)} ${what}`).join('; ');
  const diff = await diffOf(directory, later, port).catch(() => '');
  const aside = port.open(`set aside: ${phrases}`);
  const only = later.map(({ path }) => path);
  const ran = await port.launch('--undo', directory, '--into', aside.directory, '--only', ...only);
  // A name that is no text can't be named to the launcher.
  const whole = ran.code === 0 && !only.some((path) => path.includes('\ufffd'));
  const stays = whole ? '' : ' (it could not be set aside, and is in place)';
  return {
    about: 'later',
    items: later.map(({ path, what }) => `${path.slice(tree.length + 1)} ${what}${stays}`),
    diff,
    async settle(yes) {
      if (!yes) return `set aside, and not in the project: ${phrases}${stays}. The user has not accepted it`;
      if (stays !== '' || (await port.putBack(aside.number))) return `the user accepted: ${phrases}`;
      return `set aside: ${phrases}; it could not be brought back`;
    },
  };
}

/** Before it is set aside: from what was there to what the action left. */
async function diffOf(directory: string, later: readonly Later[], { launch }: AsidePort): Promise<string> {
  const { steps } = await launch('--undo', directory);
  const pairs = steps
    .filter(({ path }) => later.some((each) => path === each.path || path.startsWith(`${each.path}/`)))
    .filter(({ path }) => !path.endsWith('.sample'))
    .map(({ path, source }) => ({
      path,
      now: source.includes('/') ? join(directory, source) : undefined,
      becomes: path,
    }));
  return diffsBetween(pairs, 'set aside');
}
