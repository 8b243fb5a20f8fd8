/**
 * Sets aside files that an action in Project made or changed and that others run later: they leave the tree until the
 * user decides (MO-9).
 */
import { basename, dirname, join } from 'node:path';
import type { Leftover } from '../../contracts/commands.ts';
import { controlNameAt, isAboveRunsLater, runsLater } from '../../knowledge/control-files.ts';
import { BARE_REPOSITORY, GIT_OBEYS } from '../../knowledge/git.ts';
import { nameText } from '../../text/spelled.ts';
import { type Asked, type Look, MAX_LOOKED_AT, type StoreDisk } from './disk.ts';
import { type Name, NOT_ENDED } from './names.ts';
import { around, spelledBytes, topmost, within } from './paths.ts';
import { diffsBetween } from './preview.ts';
import type { Place, Recorded } from './record.ts';
import type { Later, Waiting } from './waiting.ts';

// Git’s own lists of its next steps, such as those of a rebase. Git continues them, whoever wrote them (MO-9).

/** Matches the path of such a list, relative to a repository’s directory. */
const LIST = /^\/(rebase-merge\/git-rebase-todo|sequencer\/todo)$/;
const HOLDS_LIST = /^\/(rebase-merge|sequencer)$/;
const STRATEGY = '(?:ort|recursive|resolve|octopus|ours|subtree)';
/**
 * Other files from which git’s next step takes program names, with the content that git itself would write: a strategy
 * names `git-merge-NAME`.
 */
const NAMING: ReadonlyMap<string, RegExp> = new Map([
  ['/rebase-merge/strategy', new RegExp(`^${STRATEGY}?\\n?$`)],
  ['/sequencer/opts', new RegExp(`^(?:(?!strategy\\b(?!-option\\b))[^\\\\]|strategy = ${STRATEGY}\\n)*$`, 'i')],
  // Older versions of git pass the content to a shell as quoted words.
  ['/BISECT_NAMES', /^(?:\s|'[^']*'|\\')*$/],
]);
const LISTS = ['/rebase-merge/git-rebase-todo', '/sequencer/todo', ...NAMING.keys()];
/** A line that git runs as a shell command. */
const RUNS = /^(?:x|exec)(?:[ \t\r]|$)/;
/** The character for invalid text: two different lines may look equal. */
const NO_TEXT = '\ufffd';

/** The file names of git’s lists of steps. */
const TODO_NAMES: readonly string[] = LISTS.map((list) => basename(list));

/**
 * Returns whether a path is a list of git’s steps.
 * @param place a path relative to a repository’s directory, with its slash
 */
const isTodo = (place: string) => LIST.test(place);
const holdsTodo = (place: string) => HOLDS_LIST.test(place);

/**
 * Returns whether git’s next step would run a program named in this file that is not git’s own.
 * @param text its content; undefined if unknown
 */
function namesProgram(place: string, text: () => string | undefined): boolean {
  const own = NAMING.get(place);
  return own !== undefined && !own.test(text() ?? NO_TEXT);
}

/**
 * Returns the lines of a list of git’s steps that run something: git ends them at a line feed only, and passes the
 * whole rest to a shell.
 */
function runBy(list: string): readonly string[] {
  return list
    .split('\n')
    .map((line) => line.replace(/^[ \t]+/, '').replace(/\r$/, ''))
    .filter((line) => RUNS.test(line));
}

/** Returns whether `list` runs no command that was not in `before`. */
function runsOnly(list: string, before: string): boolean {
  const known = new Set(runBy(before));
  return runBy(list).every((line) => known.has(line) && !line.includes(NO_TEXT));
}

/**
 * Returns where the lists of the repositories around these names may be, below `tree`. An older list may be one of
 * these files by another name or through a link. A repository that the action made has no older list.
 */
function listsAround(names: readonly Name[], tree: string): readonly string[] {
  const made = new Set(names.filter(({ verb }) => verb === 'made').map(({ path }) => path));
  const above = new Set<string>();
  for (const { path } of names)
    for (let at = dirname(path); isIn(at, tree) && !above.has(at); at = dirname(at)) above.add(at);
  return [...above].filter((directory) => !made.has(directory)).flatMap(listsIn);
}

/** Returns the questions about the disk whose answers tell which of these names others run later. */
export function askedOf(names: readonly Name[], tree: string): Asked {
  const having = (words: readonly string[]) => names.filter(({ path }) => words.includes(basename(path)));
  const beside = new Set(having(PARTS).map(({ path }) => dirname(path)));
  return {
    exist: [...beside].flatMap((directory) => PARTS.map((part) => join(directory, part))),
    entries: names.filter(({ verb, kind }) => verb === 'moved' && kind === 'directory').map(({ path }) => path),
    texts: having(TODO_NAMES).map(({ path }) => path),
    files: listsAround(names, tree),
  };
}

/** Returns the paths of the lists of the repository in this directory. */
const listsIn = (directory: string): readonly string[] => LISTS.map((list) => `${directory}/.git${list}`);

/** Returns the part of a list’s path below the repository’s directory. */
const placeOf = (list: string) => list.slice(list.lastIndexOf('/.git/') + '/.git'.length);

const isIn = (path: string, tree: string) => path === tree || path.startsWith(`${tree}/`);

/** Git’s own data in the repositories of submodules and other worktrees. */
const KEPT_THERE = /^\/(modules|worktrees)\/.+\/(index|[^/]+\.lock)$/;
const isObeyedThere = (place: string) =>
  GIT_OBEYS.some((name) => place === `/${name}` || place.startsWith(`/${name}/`)) && !KEPT_THERE.test(place);
/** The names that occur in the paths of git’s lists. */
const PARTS: readonly string[] = [...new Set([...BARE_REPOSITORY.flat(), 'config'])];
const UNKEPT = ' (changed while the command ran and not kept: it stays in place)';
const STAYS = ' (could not be set aside: it stays in place)';
/** The reason for a moved directory that its owner can’t read. */
const UNREAD = 'has files that can’t be read';
const RUN_NEXT = 'lists commands that git runs when it goes on with the rebase';
const RUN_BY_NEXT = 'names a program that git runs when it goes on';
/** The most files that are set aside, more than the launcher accepts: with more the user is told, and they stay. */
const MAX_ASIDE = 50_000;
/** Means that no file exists, as in `unkeptIn`. */
const NO_FILE = '';
const LEADS = 'affects what other programs run or read as settings';

/** A file that an action left, or an entry of a directory that it moved. */
type Thing = Pick<Name, 'path' | 'kind'>;

/** The facts about a tree besides the file names that count everywhere. */
export type Known = {
  /** The paths that the user’s start files name; everything below them counts too. */
  readonly places: readonly Later[];
  /** Returns whether the session itself made this directory. */
  isOwn(directory: string): boolean;
};

/** Returns the files to set aside, each once and none below another. `tree` is the project’s. */
function laterIn(names: readonly Name[], tree: string, look: Look, known: Known): readonly Later[] {
  const fresh = new Set(names.filter(({ verb }) => verb !== 'changed').map(({ path }) => path));
  const isNew = ({ verb, kind, before }: Name) => verb === 'made' && kind === 'directory' && !before;
  const made = new Set(names.filter(isNew).map(({ path }) => path));
  const isOwn = (directory: string) => made.has(directory) || known.isOwn(directory);
  const named = placesBy(known.places);
  const at = (thing: Thing) => laterAt(thing, { tree, fresh, look, isOwn }) ?? named(thing);
  const lists = Map.groupBy(listsAround(names, tree), (path) => look.file(path) ?? NO_FILE);
  const found = names
    .filter(({ path }) => path.startsWith(`${tree}/`))
    .flatMap((name) => at(name) ?? listByName(name, lists, look) ?? broughtBy(name, look, at) ?? []);
  return topmost(found, ({ path }) => path);
}

/** Returns a test whether a path is at such a place or below it, or is a link that leads to one. */
function placesBy(places: readonly Later[]): (thing: Thing) => Later | undefined {
  const { over, below } = around(places, ({ path }) => path);
  return ({ path, kind }) => {
    const found = over(path) ?? (kind === 'link' ? below(path) : undefined);
    // A new directory counts by the files put into it.
    return found && (kind !== 'directory' || path !== found.path) ? { path, what: found.what } : undefined;
  };
}

type Tree = Pick<Known, 'isOwn'> & {
  readonly tree: string;
  readonly fresh: ReadonlySet<string>;
  readonly look: Look;
};

/** Returns whether the relevant name is in a directory that the session made, where nobody else works. */
function isInOwn(inside: string, { tree, isOwn }: Tree): boolean {
  for (let end = (controlNameAt(inside) ?? 0) - 1; end > 0; end = inside.lastIndexOf('/', end - 1))
    if (isOwn(join(tree, inside.slice(0, end)))) return true;
  return false;
}

function laterAt(thing: Thing, within: Tree): Later | undefined {
  const { tree, fresh, look } = within;
  const { path } = thing;
  const inside = path.slice(tree.length + 1);
  const [, above = ''] = /^((?:.*?\/)?)\.git(?:\/|$)/.exec(inside) ?? [undefined, undefined];
  if (/(^|\/)\.git(\/|$)/.test(inside)) {
    const root = join(tree, above, '.git');
    const what = `is git's own`;
    if (fresh.has(root)) return { path: root, what };
    const place = path.slice(root.length);
    if (path === root || isObeyedThere(place)) return { path, what };
    if (namesProgram(place, () => look.text(path))) return { path, what: RUN_BY_NEXT };
    return runsNext(thing, place, look) ? { path, what: RUN_NEXT } : undefined;
  }
  const what = runsLater(inside) ?? (thing.kind === 'link' && isAboveRunsLater(inside) ? LEADS : undefined);
  if (what !== undefined) return isInOwn(inside, within) ? undefined : { path, what };
  const directory = dirname(path);
  const bare = BARE_REPOSITORY.some(
    (parts) => PARTS.includes(basename(path)) && parts.every((name) => look.exists(join(directory, name))),
  );
  return bare ? { path, what: 'makes its directory a git repository' } : undefined;
}

/** Returns why a file is a list of git’s next steps, or leads to one by another name. */
function runsNext({ path, kind }: Thing, place: string, look: Look): boolean {
  return isTodo(place) ? runsSome(path, look) : kind === 'link' && holdsTodo(place);
}

function runsSome(path: string, look: Look): boolean {
  const list = look.text(path);
  return list === undefined || runBy(list).length > 0;
}

/** Returns why a file is another name of a list of git’s steps: a write through any name changes the list. */
function listByName({ path, now }: Name, lists: ReadonlyMap<string, readonly string[]>, look: Look): Later | undefined {
  const places = now.file === NO_FILE ? [] : (lists.get(now.file) ?? []).map(placeOf);
  if (places.some((place) => namesProgram(place, () => look.text(path)))) return { path, what: RUN_BY_NEXT };
  return places.some(isTodo) && runsSome(path, look) ? { path, what: RUN_NEXT } : undefined;
}

/** Returns why a directory that was moved here counts: undo can’t take back a part of it. */
function broughtBy(
  { path: top, verb, kind }: Name,
  look: Look,
  at: (thing: Thing) => Later | undefined,
): Later | undefined {
  if (verb !== 'moved' || kind !== 'directory') return undefined;
  const queue = [top];
  let looked = 0;
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const entries = look.entries(next);
    if (!entries) return { path: top, what: UNREAD };
    for (const entry of entries) {
      const path = join(next, entry.name);
      const kind = entry.isDirectory() ? 'directory' : entry.isSymbolicLink() ? 'link' : 'file';
      const found = at({ path, kind });
      looked += 1;
      if (looked > MAX_LOOKED_AT) return { path: top, what: 'has too many files to check' };
      if (found) return { path: top, what: `brings ${path.slice(top.length + 1)}, which ${found.what}` };
      if (entry.isDirectory()) queue.push(path);
    }
  }
  return undefined;
}

/**
 * Returns the files that others run later, among recorded and unrecorded changes; the latter never widen what is
 * undone.
 */
export function laterWith(
  unkept: readonly Name[],
  names: readonly Name[],
  tree: string,
  look: Look,
  known: Known,
): readonly Later[] {
  const kept = laterIn(names, tree, look, known);
  const isKept = within(kept.map(({ path }) => path));
  const past = laterIn(unkept, tree, look, known)
    .filter(({ path }) => !isKept(path))
    .map((later): Later => ({ ...later, unkept: true }));
  return [...kept, ...past].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Removes the lists of a rebase whose commands were in them before the action: the user who began it knows them. */
export async function withoutOwnTodo(
  { directory }: Place,
  later: readonly Later[],
  look: Look,
  { launch, read }: StoreDisk,
): Promise<readonly Later[]> {
  if (!later.some(({ what }) => what === RUN_NEXT)) return later;
  const { steps } = await launch('--undo', directory);
  const left: Later[] = [];
  for (const each of later) {
    const source = each.what === RUN_NEXT ? steps.find(({ path }) => path === each.path)?.source : undefined;
    const before = source?.includes('/') ? await read(join(directory, source)) : undefined;
    const now = look.text(each.path);
    if (before === undefined || now === undefined || !runsOnly(now, before)) left.push(each);
  }
  return left;
}

/** The operations needed of the store. */
export type AsidePort = {
  readonly disk: StoreDisk;
  find(number: number): Promise<Recorded | undefined>;
  /** Returns a text without secrets, fit for the disk. */
  hide(text: string): string;
  /**
   * Creates the record of an undo; `of` is the action that the list then marks as undone. Rejects if there is no room.
   */
  open(text: string, cwd: string, of?: number): Promise<Place>;
  /** Undoes an action under the number of that record; false: not completely. */
  putBack(action: Recorded, into: Place): Promise<boolean>;
  /** Records that files wait for the user’s decision, which outlasts the program; or that they no longer do. */
  remember(action: Recorded, waiting: Waiting): void;
  forget(action: Recorded): void;
};

/** Takes the files out of the tree; the question is recorded before the first step. */
export async function setAside(action: Recorded, later: readonly Later[], port: AsidePort): Promise<Waiting> {
  const diff = port.hide(await diffOf(action.directory, later, port).catch(() => ''));
  const isTooMuch = later.length > MAX_ASIDE;
  const text = `set aside: ${phrasesOf(action, later).join('; ')}`;
  const place = isTooMuch ? undefined : await port.open(text, action.cwd).catch(() => undefined);
  const waiting = { aside: place?.number ?? 0, later, diff, stays: place === undefined };
  port.remember(action, waiting);
  if (!place) return waiting;
  return takeAside(action, waiting, port);
}

/** Takes the files out of the tree, also again after an interruption. */
export async function takeAside(action: Recorded, waiting: Waiting, port: AsidePort): Promise<Waiting> {
  const { launch, host } = port.disk;
  const only = keptOf(waiting.later).map(({ path }) => path);
  const into = join(dirname(action.directory), String(waiting.aside));
  // No action has the path `into`, so an empty list sets nothing aside; without `--only` the launcher would set aside
  // everything.
  const ran = await launch('--undo', action.directory, '--into', into, '--only', into, ...only);
  // On a host, the launcher can’t be given a name that is not valid text.
  if (ran.code === NOT_ENDED) return waiting; // another window is at it
  if (ran.code === 0 && (host === undefined || !only.some((path) => path.includes('\ufffd')))) return waiting;
  const stays = { ...waiting, stays: true };
  port.remember(action, stays);
  return stays;
}

/** Returns the question for an action that can’t be checked: it may have left anything. */
export function unseen(tree: string, why: string): Waiting {
  const what = `could not be looked through for what others run later (${why})`;
  return { aside: 0, later: [{ path: join(tree, 'the project'), what }], diff: '', stays: true };
}

/** Returns the question about the files. After a yes they are put back. */
export function leftoverOf(action: Recorded, { aside, later, diff, stays }: Waiting, port: AsidePort): Leftover {
  const phrases = phrasesOf(action, later, stays);
  const away = stays ? [] : keptOf(later);
  const inPlace = stays ? later : later.filter(({ unkept }) => unkept);
  const told = (where: string, part: readonly Later[]) =>
    part.length === 0 ? [] : [`${where}: ${phrasesOf(action, part, stays).join('; ')}`];
  const bring = async () => {
    const held = await port.find(aside);
    return held !== undefined && port.putBack(held, await port.open(`undo of ${aside}`, action.cwd, aside));
  };
  return {
    about: 'later',
    items: phrases,
    diff,
    async settle(yes) {
      const came = yes && ((await bring().catch(() => false)) || away.length === 0);
      port.forget(action);
      const where = [...told('set aside, and not in the project', away), ...told('still in the project', inPlace)];
      // This text goes to a model.
      if (came) return spelledBytes(`the user accepted: ${phrases.join('; ')}`);
      const word = yes
        ? 'The user has accepted it, but the files that were set aside could not be restored'
        : 'The user has not accepted it';
      return spelledBytes(`${where.join('; ')}. ${word}`);
    },
  };
}

/**
 * Returns the message about the files when nobody could be asked.
 * @param why the reason
 */
export function toldLate(action: Recorded, { aside, later, stays }: Waiting, why: string): string {
  const items = phrasesOf(action, later, stays).map(nameText).join('; ');
  // The launcher took out only some of them, and only its journal says which.
  if (stays && aside !== 0 && keptOf(later).length > 0)
    return `left for others to run later${why}: ${phrasesOf(action, later).map(nameText).join('; ')} · what is no longer in place is set aside: :undo ${aside} yes brings it`;
  if (stays || keptOf(later).length === 0) return `left for others to run later, and still in place${why}: ${items}`;
  return `set aside${why}: ${items} · :undo ${aside} yes brings it`;
}

const keptOf = (later: readonly Later[]) => later.filter(({ unkept }) => !unkept);

function phrasesOf({ tree = '' }: Recorded, later: readonly Later[], stays = false): readonly string[] {
  return later.map(({ path, what, unkept }) => {
    const note = unkept ? UNKEPT : stays ? STAYS : '';
    // Other characters are escaped where the name is shown.
    return `${path.slice(tree.length + 1).replaceAll('\n', '\u2424')} ${what}${note}`;
  });
}

/** Returns the diff from the earlier content to the action’s content, before the files are set aside. */
async function diffOf(directory: string, later: readonly Later[], { disk }: AsidePort): Promise<string> {
  const { steps } = await disk.launch('--undo', directory);
  const isKept = within(keptOf(later).map(({ path }) => path));
  const pairs = steps
    .filter(({ path }) => isKept(path))
    .filter(({ path }) => !path.endsWith('.sample'))
    .map(({ path, source }) => ({
      path,
      now: source.includes('/') ? join(directory, source) : undefined,
      becomes: path,
    }));
  const unkept = later.filter((each) => each.unkept).map(({ path }) => ({ path, now: undefined, becomes: path }));
  return diffsBetween([...pairs, ...unkept], 'set aside', disk.read);
}
