/**
 * What an action in Project made or changed for others to run later: it is taken out of the tree until the user has
 * spoken (MO-9).
 */
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Leftover } from '../../contracts/commands.ts';
import { controlNameAt, isAboveRunsLater, runsLater } from '../../knowledge/control-files.ts';
import { BARE_REPOSITORY, GIT_OBEYS } from '../../knowledge/git.ts';
import { nameText } from '../../text/spelled.ts';
import { NOT_ENDED } from './kept.ts';
import type { Ran } from './launcher.ts';
import { fileBehind, type Name } from './names.ts';
import { around, entriesAt, pathOf, spelledBytes, topmost, within } from './paths.ts';
import { diffsBetween, type ReadText, readText } from './preview.ts';
import type { Place, Recorded } from './record.ts';
import type { Later, Waiting } from './waiting.ts';

// Lists of git's own that say what its next step runs: a rebase goes on with them, whoever wrote them (MO-9).

/** Below a repository's directory. */
const LIST = /^\/(rebase-merge\/git-rebase-todo|sequencer\/todo)$/;
const HOLDS_LIST = /^\/(rebase-merge|sequencer)$/;
const STRATEGY = '(?:ort|recursive|resolve|octopus|ours|subtree)';
/**
 * What else git's next step takes programs from, and what of it git itself would have written: a strategy is one,
 * `git-merge-NAME`.
 */
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
const isTodo = (place: string) => LIST.test(place);
const holdsTodo = (place: string) => HOLDS_LIST.test(place);

/**
 * Whether git's next step would take a program from it that is not git's own.
 * @param text what it holds; undefined where that can't be told
 */
function namesProgram(place: string, text: () => string | undefined): boolean {
  const own = NAMING.get(place);
  return own !== undefined && !own.test(text() ?? NO_TEXT);
}

/**
 * The lines of such a list that run something: git ends them at a line feed only, and gives the whole rest to a shell.
 */
function runBy(list: string): readonly string[] {
  return list
    .split('\n')
    .map((line) => line.replace(/^[ \t]+/, '').replace(/\r$/, ''))
    .filter((line) => RUNS.test(line));
}

/** Whether `list` runs nothing but what `before` ran. */
function runsOnly(list: string, before: string): boolean {
  const known = new Set(runBy(before));
  return runBy(list).every((line) => known.has(line) && !line.includes(NO_TEXT));
}

/**
 * Where the lists of the repositories around these names may be, below `tree`: a list that was there before the
 * action may be one of these files, by another name or behind a link. A repository that the action made has no older
 * list.
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
const placeOf = (list: string) => list.slice(list.lastIndexOf('/.git/') + '/.git'.length);

const isIn = (path: string, tree: string) => path === tree || path.startsWith(`${tree}/`);

/** The text of a plain file that is known by one name only; undefined where it is more, or can't be looked at. */
function plainText(path: string): string | undefined {
  try {
    const at = pathOf(path);
    const found = lstatSync(at);
    return found.isFile() && found.nlink === 1 && found.size <= MAX_BYTES ? readFileSync(at, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** What git keeps for itself in the repositories of submodules and other worktrees. */
const KEPT_THERE = /^\/(modules|worktrees)\/.+\/(index|[^/]+\.lock)$/;
const isObeyedThere = (place: string) =>
  GIT_OBEYS.some((name) => place === `/${name}` || place.startsWith(`/${name}/`)) && !KEPT_THERE.test(place);
/** Names that one of those has. */
export const PARTS: readonly string[] = [...new Set([...BARE_REPOSITORY.flat(), 'config'])];
const UNKEPT = ' (changed while the command ran and not kept: it stays in place)';
const STAYS = ' (could not be set aside: it stays in place)';
/** A directory that was moved, and that its owner has closed. */
const UNREAD = 'has files that can’t be read';
const RUN_NEXT = 'lists commands that git runs when it goes on with the rebase';
const RUN_BY_NEXT = 'names a program that git runs when it goes on';
export const MAX_LOOKED_AT = 50_000;
/** More than the launcher is ever told of: where others run so many, it is said, and they stay. */
const MAX_ASIDE = 50_000;
/** As `unkeptIn` has it. */
const NO_FILE = '';
const LEADS = 'leads to what others run or obey';

/** What is seen of the files there. */
export type Look = {
  exists(path: string): boolean;
  /** Of a directory; undefined where it can't be read. */
  entries(
    directory: string,
  ): readonly { readonly name: string; isDirectory(): boolean; isSymbolicLink(): boolean }[] | undefined;
  /** Of a plain file with one name; undefined where it is more, or can't be looked at. */
  text(path: string): string | undefined;
  /** Which file it is, as `Name` has it, also behind links; undefined where there is none. */
  file(path: string): string | undefined;
};

export const HERE: Look = {
  exists: (path) => existsSync(pathOf(path)),
  entries: entriesAt,
  text: plainText,
  file: fileBehind,
};

/** What an action left, or a thing in a directory that it moved. */
type Thing = Pick<Name, 'path' | 'kind'>;

/** What is known of a tree besides the names that count everywhere. */
export type Known = {
  /** What the user's start files name, with all below it. */
  readonly places: readonly Later[];
  /** Whether the session itself made this directory. */
  isOwn(directory: string): boolean;
};

const NOTHING: Known = { places: [], isOwn: () => false };

/** Each once, none below another. `tree` is the project's. */
function laterIn(names: readonly Name[], tree: string, look: Look = HERE, known: Known = NOTHING): readonly Later[] {
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

/** What is at such a place or below it, and a link by which it is reached. */
function placesBy(places: readonly Later[]): (thing: Thing) => Later | undefined {
  const { over, below } = around(places, ({ path }) => path);
  return ({ path, kind }) => {
    const found = over(path) ?? (kind === 'link' ? below(path) : undefined);
    // A directory is made with what is put into it, which counts.
    return found && (kind !== 'directory' || path !== found.path) ? { path, what: found.what } : undefined;
  };
}

type Tree = Pick<Known, 'isOwn'> & {
  readonly tree: string;
  readonly fresh: ReadonlySet<string>;
  readonly look: Look;
};

/** Whether the name that counts lies in a directory that the session itself made: nobody else works there. */
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

/** A list of commands that git goes on with, or what leads to one by another name. */
function runsNext({ path, kind }: Thing, place: string, look: Look): boolean {
  return isTodo(place) ? runsSome(path, look) : kind === 'link' && holdsTodo(place);
}

function runsSome(path: string, look: Look): boolean {
  const list = look.text(path);
  return list === undefined || runBy(list).length > 0;
}

/** Another name of such a list: by which of them it is written to makes no difference. */
function listByName({ path, now }: Name, lists: ReadonlyMap<string, readonly string[]>, look: Look): Later | undefined {
  const places = now.file === NO_FILE ? [] : (lists.get(now.file) ?? []).map(placeOf);
  if (places.some((place) => namesProgram(place, () => look.text(path)))) return { path, what: RUN_BY_NEXT };
  return places.some(isTodo) && runsSome(path, look) ? { path, what: RUN_NEXT } : undefined;
}

/** A directory that was moved here with what it holds: no action can take back a part of it. */
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

/** The same, with what changed past the store: that never widens what is taken back. */
export function laterWith(
  unkept: readonly Name[],
  names: readonly Name[],
  tree: string,
  look: Look = HERE,
  known: Known = NOTHING,
): readonly Later[] {
  const kept = laterIn(names, tree, look, known);
  const isKept = within(kept.map(({ path }) => path));
  const past = laterIn(unkept, tree, look, known)
    .filter(({ path }) => !isKept(path))
    .map((later): Later => ({ ...later, unkept: true }));
  return [...kept, ...past].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Without the lists of a rebase whose commands stood in them before the action: who began it knows them. */
export async function withoutOwnTodo(
  { directory }: Place,
  later: readonly Later[],
  { launch }: AsidePort,
): Promise<readonly Later[]> {
  if (!later.some(({ what }) => what === RUN_NEXT)) return later;
  const { steps } = await launch('--undo', directory);
  return later.filter(({ path, what }) => {
    const source = what === RUN_NEXT ? steps.find((step) => step.path === path)?.source : undefined;
    const before = source?.includes('/') ? readText(join(directory, source)) : undefined;
    const now = plainText(path);
    return before === undefined || now === undefined || !runsOnly(now, before);
  });
}

/** What it needs of the store. */
export type AsidePort = {
  launch(...args: readonly string[]): Promise<Ran>;
  find(number: number): Promise<Recorded | undefined> | Recorded | undefined;
  /** A text as it may stand on the disk: without secrets. */
  hide(text: string): string;
  /**
   * The record of an undo; of `of`, where that is one that the list marks as undone. Undefined: there is no place for
   * it.
   */
  open(text: string, cwd: string, of?: number): Promise<Place | undefined> | Place | undefined;
  /** Takes an action back under the number of that record; false: not all of it. */
  putBack(action: Recorded, into: Place): Promise<boolean>;
  /** It waits for the user's word, which outlasts the program; and no more. */
  remember(action: Recorded, waiting: Waiting): void;
  forget(action: Recorded): void;
  /** What the launcher names is known byte by byte. */
  readonly namesAll?: true;
  readonly read?: ReadText;
};

/** Takes that part of the action back; it waits from before the first step on. */
export async function setAside(action: Recorded, later: readonly Later[], port: AsidePort): Promise<Waiting> {
  const diff = port.hide(await diffOf(action.directory, later, port).catch(() => ''));
  const isTooMuch = later.length > MAX_ASIDE;
  const text = `set aside: ${phrasesOf(action, later).join('; ')}`;
  const place = isTooMuch ? undefined : await port.open(text, action.cwd);
  const waiting = { aside: place?.number ?? 0, later, diff, stays: place === undefined };
  port.remember(action, waiting);
  if (!place) return waiting;
  return takeAside(action, waiting, port);
}

/** Also anew, where it was cut off. */
export async function takeAside(action: Recorded, waiting: Waiting, port: AsidePort): Promise<Waiting> {
  const { namesAll = false } = port;
  const only = keptOf(waiting.later).map(({ path }) => path);
  const into = join(dirname(action.directory), String(waiting.aside));
  // No action holds anything of the store: where nothing is taken out, the record ends as one that did nothing.
  const ran = await port.launch('--undo', action.directory, '--into', into, '--only', into, ...only);
  // On a host a name that is no text can't be named to the launcher.
  if (ran.code === NOT_ENDED) return waiting; // another window is at it
  if (ran.code === 0 && (namesAll || !only.some((path) => path.includes('\ufffd')))) return waiting;
  const stays = { ...waiting, stays: true };
  port.remember(action, stays);
  return stays;
}

/** Of an action that can't be looked through: what it left may be anything. */
export function unseen(tree: string, why: string): Waiting {
  const what = `could not be looked through for what others run later (${why})`;
  return { aside: 0, later: [{ path: join(tree, 'the project'), what }], diff: '', stays: true };
}

/** The question about it. With a yes the taking back is taken back in turn. */
export function leftoverOf(action: Recorded, { aside, later, diff, stays }: Waiting, port: AsidePort): Leftover {
  const phrases = phrasesOf(action, later, stays);
  const away = stays ? [] : keptOf(later);
  const inPlace = stays ? later : later.filter(({ unkept }) => unkept);
  const told = (where: string, part: readonly Later[]) =>
    part.length === 0 ? [] : [`${where}: ${phrasesOf(action, part, stays).join('; ')}`];
  const bring = async () => {
    const held = await port.find(aside);
    const into = held && (await port.open(`undo of ${aside}`, action.cwd, aside));
    return held !== undefined && into !== undefined && port.putBack(held, into);
  };
  return {
    about: 'later',
    items: phrases,
    diff,
    async settle(yes) {
      const came = yes && ((await bring()) || away.length === 0);
      port.forget(action);
      const where = [...told('set aside, and not in the project', away), ...told('still in the project', inPlace)];
      // It goes to a model.
      if (came) return spelledBytes(`the user accepted: ${phrases.join('; ')}`);
      const word = yes
        ? 'The user has accepted it, but the files that were set aside could not be restored'
        : 'The user has not accepted it';
      return spelledBytes(`${where.join('; ')}. ${word}`);
    },
  };
}

/** What is said of it where nobody could be asked. @param why it was so */
export function toldLate(action: Recorded, { aside, later, stays }: Waiting, why: string): string {
  const items = phrasesOf(action, later, stays).map(nameText).join('; ');
  // The launcher took a part of it out, and left another: nobody but that undo knows which.
  if (stays && aside !== 0 && keptOf(later).length > 0)
    return `left for others to run later${why}: ${phrasesOf(action, later).map(nameText).join('; ')} · what is no longer in place is set aside: :undo ${aside} yes brings it`;
  if (stays || keptOf(later).length === 0) return `left for others to run later, and still in place${why}: ${items}`;
  return `set aside${why}: ${items} · :undo ${aside} yes brings it`;
}

const keptOf = (later: readonly Later[]) => later.filter(({ unkept }) => !unkept);

function phrasesOf({ tree = '' }: Recorded, later: readonly Later[], stays = false): readonly string[] {
  return later.map(({ path, what, unkept }) => {
    const note = unkept ? UNKEPT : stays ? STAYS : '';
    // Whoever shows it spells out the rest of what a name may hold.
    return `${path.slice(tree.length + 1).replaceAll('\n', '\u2424')} ${what}${note}`;
  });
}

/** Before it is set aside: from what was there to what the action left. */
async function diffOf(directory: string, later: readonly Later[], { launch, read }: AsidePort): Promise<string> {
  const { steps } = await launch('--undo', directory);
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
  return diffsBetween([...pairs, ...unkept], 'set aside', read);
}
