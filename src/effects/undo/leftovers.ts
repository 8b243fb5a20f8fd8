/**
 * Files that actions left and that the user decides about, even after the program was closed; and the files that the
 * session made (MO-9).
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Leftover, UnansweredLeftover } from '../../contracts/commands.ts';
import { isAboveHomeStart, isHomeStart } from '../../knowledge/control-files.ts';
import { STARTED } from '../../knowledge/programs.ts';
import {
  CONFIG_START_DIRECTORIES,
  CONFIG_START_FILES,
  HOME_START_DIRECTORIES,
  HOME_START_FILES,
  START_VARIABLES,
  ZSH_START_FILES,
} from '../../knowledge/start-files.ts';
import { messageOf } from '../../text/errors.ts';
import { visible } from '../../text/sanitize.ts';
import { fileAt, type Name, namesLeft, Provenance, unkeptIn } from './names.ts';
import { entriesAt, seenAt, UNKNOWN, waysThrough } from './paths.ts';
import { leftNothing, lives, neverBegan, type Recorded } from './record.ts';
import {
  type AsidePort,
  askedOf,
  laterWith,
  leftoverOf,
  setAside,
  takeAside,
  toldLate,
  unseen,
  withoutOwnTodo,
} from './set-aside.ts';
import { forgetWaiting, type Later, readMade, readWaiting, type Waiting, writeMade, writeWaiting } from './waiting.ts';

/** The operations needed of the store. */
export type LeftoversPort = Omit<AsidePort, 'remember' | 'forget' | 'find'> & {
  readonly session: string;
  readonly maxFileBytes: number;
  /** Returns all records in ascending order, or the one with this number. Rejects if they are unknown. */
  records(only?: number): Promise<readonly Recorded[]>;
  /** Returns the records of this machine; none of a host. */
  here(only?: number): readonly Recorded[];
  drop(action: Recorded): Promise<void>;
  warn(text: string): void;
};

/** On a host no file counts as the session’s, and a question ends with its program: the files stay set aside. */
export class Leftovers {
  readonly #port: LeftoversPort & AsidePort;
  readonly #host: string | undefined;
  #provenance: Provenance | undefined;
  /** The directory that was a tree’s repository at the last check, by tree. */
  readonly #repository = new Map<string, string | undefined>();

  constructor(port: LeftoversPort) {
    this.#host = port.disk.host;
    const outlasts = this.#host === undefined;
    this.#port = {
      ...port,
      find: async (number) => (await port.records(number))[0],
      remember: (action, waiting) => outlasts && writeWaiting(action, waiting),
      forget: (action) => outlasts && forgetWaiting(action),
    };
  }

  /** Returns the leftovers of an action that has just ended. Call once. */
  async of(action: Recorded): Promise<Leftover | undefined> {
    const waiting = action.tree === undefined ? await this.learn(action) : await this.#looked(action, action.tree);
    if (waiting) return leftoverOf(action, waiting, this.#port);
    const others = () => this.#port.here().filter((other) => other.number !== action.number && other.bytes > 0);
    return this.#host === undefined ? withoutRoom(action, others, this.#port.maxFileBytes, this.#port.drop) : undefined;
  }

  /** Returns the questions of earlier programs of this session that nobody answered. */
  waiting(): readonly UnansweredLeftover[] {
    return this.#port.here().flatMap((action) => {
      const waiting = action.session === this.#port.session ? readWaiting(action) : undefined;
      if (!waiting) return [];
      const [aside] = this.#port.here(waiting.aside);
      if (aside && aside.state !== 'undone')
        return [{ command: action.text, left: leftoverOf(action, waiting, this.#port) }];
      // The yes was carried out before the program ended, or the record that the answer needs is gone.
      forgetWaiting(action);
      return [];
    });
  }

  /** Returns whether the session made the file at this path. */
  made(path: string): boolean {
    return this.#own.made(path);
  }

  /**
   * Learns which files an action that has just ended made. Never rejects: a file of unknown origin counts as the
   * user’s.
   */
  async learn(action: Recorded): Promise<undefined> {
    if (this.#host !== undefined) return;
    const own = this.#own;
    const names = await namesLeft(this.#port.disk.launch, action.directory).catch(() => undefined);
    if (names) await writeMade(this.#port.disk, action, own.take(names));
  }

  /** Finishes an interrupted setting aside; returns false if `aside` is another kind of action. */
  async finish(aside: Recorded): Promise<boolean> {
    for (const action of this.#port.here()) {
      const waiting = readWaiting(action);
      if (waiting?.aside !== aside.number) continue;
      await takeAside(action, waiting, this.#port);
      return true;
    }
    return false;
  }

  /** Sets aside files that ended programs had no time to check, and removes records that they had no time to remove. */
  async catchUp(): Promise<void> {
    const isHere = this.#host === undefined;
    for (const action of await this.#port.records()) {
      const { pid, session, tree, state, abandoned, seen } = action;
      const mine = isHere && session === this.#port.session;
      const gone = isHere ? pid !== process.pid && (mine || !lives(pid)) : abandoned;
      if (!gone) continue;
      if (isHere && holdsNothing(action)) await this.#port.drop(action);
      else if (state === 'ended' && tree !== undefined && !(isHere ? readMade(action) !== undefined : seen))
        await this.#lookLate(action, tree, mine);
    }
  }

  async #lookLate(action: Recorded, tree: string, mine: boolean): Promise<void> {
    const where = this.#host === undefined ? '' : ` on ${visible(this.#host)}`;
    const waiting = await this.#look(action, tree, false).catch((error: unknown) =>
      this.#port.warn(
        `what action ${action.number} left${where} could not be looked through: ${visible(messageOf(error))}`,
      ),
    );
    if (!waiting || mine) return;
    const ended = where === '' ? 'its session was closed' : 'the connection ended';
    this.#port.warn(toldLate(action, waiting, `${where}, since ${ended} before you were asked`));
  }

  /** Checks the files of an action. Never rejects: the user is asked about files that can’t be checked. */
  #looked(action: Recorded, tree: string): Promise<Waiting | undefined> {
    return this.#look(action, tree, true).catch((error: unknown) => unseen(tree, visible(messageOf(error))));
  }

  /**
   * Checks the files of an action.
   * @param atOnce whether nobody else can have touched them yet
   */
  async #look(action: Recorded, tree: string, atOnce: boolean): Promise<Waiting | undefined> {
    const { disk } = this.#port;
    const own = this.#host === undefined ? this.#own : undefined;
    const names = await namesLeft(disk.launch, action.directory);
    const made = atOnce ? own?.take(names) : undefined;
    const unkept = this.#unkept(await disk.moved(unkeptIn(action.notes, names), action), tree);
    const all = [...names, ...unkept];
    const places = all.length === 0 || !own ? [] : startPathsIn(tree);
    const known = { places, isOwn: (directory: string) => own?.made(directory) ?? false };
    const look = await disk.look(askedOf(all, tree));
    const found = await withoutOwnTodo(action, laterWith(unkept, names, tree, look, known), look, disk);
    const isSecret = notKept(action.notes);
    const later = found.map((each): Later => (isSecret(each.path) ? { ...each, unkept: true } : each));
    const waiting = later.length === 0 ? undefined : await setAside(action, later, this.#port);
    // Files that stay in place without a question are checked again later, when there may be room.
    if (atOnce || !waiting?.stays) await writeMade(disk, action, made ?? '');
    return waiting;
  }

  /**
   * Returns the unrecorded changes to check. An existing repository changes whenever anybody uses git, so it is left
   * out; other unrecorded changes in it are listed by their own names.
   */
  #unkept(names: readonly Name[], tree: string): readonly Name[] {
    if (this.#host !== undefined) return names;
    const path = join(tree, '.git');
    const before = this.#repository.get(tree);
    const file = fileAt(path, true);
    this.#repository.set(tree, file);
    return before === undefined || file !== before ? names : names.filter((name) => name.path !== path);
  }

  /** Notes the repository of a tree. Call before the first action there. */
  prepare(tree: string): void {
    if (this.#host === undefined && !this.#repository.has(tree))
      this.#repository.set(tree, fileAt(join(tree, '.git'), true));
  }

  /** The files that the session made, including those that its earlier programs recorded. */
  get #own(): Provenance {
    if (this.#provenance) return this.#provenance;
    const own = new Provenance();
    for (const action of this.#port.here()) if (action.session === this.#port.session) own.load(readMade(action) ?? '');
    this.#provenance = own;
    return own;
  }
}

const SECRET = 'secret ';

/** Returns a test whether a path may hold a password, so that no copy of its content is kept. */
function notKept(notes: readonly string[]): (path: string) => boolean {
  const paths = new Set(notes.filter((note) => note.startsWith(SECRET)).map((note) => note.slice(SECRET.length)));
  return (path) => paths.has(path);
}

/**
 * Returns whether a record is empty because its program was killed before the command began, or before the record was
 * removed.
 */
function holdsNothing(action: Recorded): boolean {
  const { pid, state } = action;
  if (pid === undefined || lives(pid)) return false;
  return state === 'ended' ? leftNothing(action) : state === 'cut' && neverBegan(action);
}

/**
 * Returns how to make room when the store was too full for a change; undefined if no change was refused for that, or
 * removing `others` would not help.
 */
function withoutRoom(
  { notes }: Pick<Recorded, 'notes'>,
  others: () => readonly Recorded[],
  maxFileBytes: number,
  drop: (action: Recorded) => Promise<void>,
): Leftover | undefined {
  const full = notes.filter((note) => note.startsWith('full ')).map((note) => note.slice('full '.length));
  const helps = full.filter((path) => sizeOf(path) <= maxFileBytes);
  const room = others().reduce((sum, { bytes }) => sum + bytes, 0);
  // The journals of other actions free too little room to give up their undo.
  if (helps.length === 0 || room === 0 || room < Math.min(...helps.map(sizeOf))) return undefined;
  return {
    about: 'room',
    items: [...new Set(helps)].map((path) => `${path} was not changed`),
    diff: '',
    async settle(yes) {
      if (!yes) return `no room to keep ${full.join(', ')}: the command was told that the disk is full`;
      for (const action of others()) await drop(action);
      return 'there is room again to keep what commands change: what failed for want of it can be run again';
    },
  };
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

// Finds files and directories of a project’s tree that the user’s start files name in plain text, and directories of it
// in PATH: they are treated like control files (MO-9). Paths in variables, and files that start files read in turn, are
// not searched.

/** How many bytes are read of one start file, and how many paths are checked in total. */
const MAX_BYTES = 1_000_000;
const MAX_PATHS = 20_000;
/** The most names in the home directory that are checked, and the most parts of a path in a start file. */
const MAX_AT_HOME = 20_000;
const MAX_DEPTH = 5;
/** An absolute path, or one below the home directory, at the beginning of a word. */
const PATHS = /(?<![\w.~/}-])(?:~|\$HOME\b|\$\{HOME\}|(?=\/))\/[^\s'"`;:,()<>|&=$\\]*/g;
/** A setting of git, whose path may be relative to the tree. */
const SETTING = /^\s*\w+\s*=\s*"?([^\s"#;]+)/;
/** Lines that name directories searched for programs. */
const SEARCHES = /path/i;

/** Returns files, and directories with all their contents, in `tree`. Throws if start files name too many. */
export function startPathsIn(tree: string): readonly Later[] {
  const waysOf = waysThrough();
  const found = new Map<string, Later>();
  const add = (path: string, what: string, isSearched = true) => {
    for (const way of waysOf(path))
      if (way.startsWith(`${tree}/`) && (isSearched || !isDirectory(way))) found.set(way, { path: way, what });
  };
  const short = (path: string) => path.replace(homedir(), '~');
  let left = MAX_PATHS;
  for (const file of startFiles()) {
    add(file, `is ${short(file)}`);
    for (const { path, isSearched } of namedIn(textOf(file))) {
      left -= 1;
      if (left < 0) throw new Error('your start files name too many paths');
      add(path, `is named in ${short(file)}`, isSearched);
    }
  }
  for (const link of linksAtHome()) add(link, `is ${short(link)}`);
  for (const line of textOf(join(tree, '.git/config')).split('\n')) {
    const path = SETTING.exec(line)?.[1] ?? '';
    if (path.includes('/') && seenAt(join(tree, path)) !== undefined) add(join(tree, path), 'is named in .git/config');
  }
  for (const path of inPath(tree)) add(path, 'is in your PATH');
  return [...found.values()];
}

/**
 * Returns the directories of PATH in the tree; of an active environment only programs that would replace the system’s
 * own.
 */
function inPath(tree: string): readonly string[] {
  const { PATH = '', VIRTUAL_ENV, CONDA_PREFIX } = process.env;
  const isInUse = (path: string) => [VIRTUAL_ENV, CONDA_PREFIX].some((top) => top && path.startsWith(`${top}/`));
  return PATH.split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => resolve(tree, directory))
    .flatMap((directory) => (isInUse(directory) ? STARTED.map((name) => join(directory, name)) : [directory]));
}

type Named = { readonly path: string; readonly isSearched: boolean };

/**
 * Returns the paths named in a start file. A directory counts only where it is searched: before a wildcard, or in a
 * line about PATH; otherwise it is only a directory to change to.
 */
function namedIn(text: string): readonly Named[] {
  return text.split('\n').flatMap((line) =>
    [...line.matchAll(PATHS)].map(([word]) => {
      const whole = word.replace(/^(?:~|\$HOME|\$\{HOME\})\//, `${homedir()}/`);
      const [path = ''] = whole.split(/[*?[\]{}]/, 1);
      const isWild = path !== whole;
      return { path: isWild ? dirname(`${path}x`) : path, isSearched: isWild || SEARCHES.test(line) };
    }),
  );
}

function isDirectory(path: string): boolean {
  const found = seenAt(path);
  return found !== undefined && found !== UNKNOWN && found.isDirectory();
}

function startFiles(): readonly string[] {
  const { env } = process;
  const home = homedir();
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const directories = [
    ...HOME_START_DIRECTORIES.map((name) => join(home, name)),
    ...CONFIG_START_DIRECTORIES.map((name) => join(config, name)),
  ];
  return [
    ...[...HOME_START_FILES, '.gitconfig', '.config/git/config'].map((name) => join(home, name)),
    ...CONFIG_START_FILES.map((name) => join(config, name)),
    ...ZSH_START_FILES.map((name) => join(env.ZDOTDIR || home, name)),
    ...START_VARIABLES.flatMap((name) => env[name] || []).map((path) => resolve(path)),
    ...directories.flatMap((directory) => (entriesAt(directory) ?? []).map(({ name }) => join(directory, name))),
  ];
}

/**
 * Returns links in the home directory whose names shells and tools load, and links in directories of such names:
 * `~/.vimrc -> dots/vimrc`.
 */
function linksAtHome(): readonly string[] {
  const home = homedir();
  const links: string[] = [];
  const queue = [''];
  let left = MAX_AT_HOME;
  for (const directory of queue)
    for (const entry of entriesAt(join(home, directory)) ?? []) {
      const inside = join(directory, entry.name);
      const counts = isHomeStart(inside);
      left -= counts ? 1 : 0;
      if (left < 0) return links;
      if (entry.isSymbolicLink() && (counts || isAboveHomeStart(inside))) links.push(join(home, inside));
      const isDeep = inside.split('/').length >= MAX_DEPTH;
      if (entry.isDirectory() && (isAboveHomeStart(inside) || (counts && !isDeep))) queue.push(inside);
    }
  return links;
}

/** Returns the beginning of a plain file; empty if there is none. */
function textOf(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    return fstatSync(file).isFile() ? readFileSync(file, 'utf8').slice(0, MAX_BYTES) : '';
  } catch {
    return '';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
