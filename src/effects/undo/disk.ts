/**
 * The disk with a store, and the launcher that works on it: on this machine or on a host. A host’s answers are
 * untrusted and limited in size.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { visible } from '../../text/sanitize.ts';
import { shellQuote } from '../../text/shell.ts';
import {
  NOT_RUN,
  type NotKept,
  probeStore,
  type Ran,
  ranThere,
  runHere,
  runLauncher,
  type Worked,
} from './launcher.ts';
import { fileBehind, fileOf, type Name, stoodAt } from './names.ts';
import { entriesAt, pathOf } from './paths.ts';
import { MAX_DIFF_FILE_BYTES, type ReadText, readText } from './preview.ts';
import {
  ACTION,
  dropRecord,
  lives,
  notesOf,
  numbersIn,
  type Opening,
  openRecord,
  type Place,
  type Recorded,
  readRecord,
  readTrial,
  recordFrom,
} from './record.ts';

type Soon<Thing> = Thing | Promise<Thing>;

/** The most entries of moved directories that are checked. */
export const MAX_LOOKED_AT = 50_000;
/** The longest rebase list that is read, in bytes. */
const MAX_BYTES = 1_000_000;

/** The answers about files of this machine or of a host. */
export type Look = {
  exists(path: string): boolean;
  /** Returns the entries of a directory; undefined if it can’t be read. */
  entries(
    directory: string,
  ): readonly { readonly name: string; isDirectory(): boolean; isSymbolicLink(): boolean }[] | undefined;
  /** Returns the text of a plain file with one name; undefined for any other, or if it can’t be read. */
  text(path: string): string | undefined;
  /** Returns the identity of a file as in `Name`, with links resolved; undefined if there is none. */
  file(path: string): string | undefined;
};

/** The paths that each question of `Look` will be asked about. */
export type Asked = {
  readonly exist: readonly string[];
  /** Directories. */
  readonly entries: readonly string[];
  readonly texts: readonly string[];
  readonly files: readonly string[];
};

export type StoreDisk = {
  /** The host’s name; undefined for this machine. */
  readonly host?: string;
  /** The private directory of all actions, outside the project. */
  readonly directory: string;
  /** Returns why recording does not work on this disk; undefined if it works. Never rejects. */
  probe(budgetBytes: number): Promise<NotKept | undefined>;
  /** Runs the launcher on the store. Never rejects. */
  run(...args: readonly string[]): Promise<Worked>;
  /** Runs the launcher on the store, and parses its output as steps. Never rejects. */
  launch(...args: readonly string[]): Promise<Ran>;
  /** Returns all records in ascending order, or the one with this number. Rejects without an answer. */
  records(running: ReadonlySet<number>, only?: number): Soon<readonly Recorded[]>;
  /**
   * Creates the directory of a new action under the next free number. Throws if there is no room.
   * @param spare an empty directory that may be used
   */
  open(opening: Opening, file?: string, spare?: Place): Soon<Place>;
  /** Writes a small file in one step. */
  put(path: string, text: string): Promise<unknown>;
  /** Removes a file, or a directory with its contents. */
  drop(path: string): Promise<unknown>;
  /** Returns the launcher’s notes about an action or a trial: a word and a path each. */
  notes(place: Place): Soon<readonly string[]>;
  /** Returns the trials of programs that have ended. */
  abandonedTrials(): Soon<readonly Pick<Place, 'directory'>[]>;
  readonly read: ReadText;
  /** Reads the files that these questions need. Rejects if a question has no answer. */
  look(asked: Asked): Soon<Look>;
  /**
   * Omits directories that have not moved since the action began: somebody else may use a repository there. Omits none
   * if that is unknown.
   */
  moved(names: readonly Name[], action: Recorded): Soon<readonly Name[]>;
};

export function diskHere(launcher: string, directory: string): StoreDisk {
  return {
    directory,
    probe: (budgetBytes) => probeStore(launcher, directory, budgetBytes),
    run: (...args) => runHere(launcher, args),
    launch: (...args) => runLauncher(launcher, args),
    records: (running, only) =>
      (only === undefined ? numbersIn(directory) : [only]).flatMap(
        (number) => readRecord(directory, number, running) ?? [],
      ),
    open: (opening, file, spare) => openRecord(directory, { ...opening, pid: process.pid }, file, spare),
    async put(path, text) {
      const fresh = `${path}.${randomUUID()}`;
      writeFileSync(fresh, text, { mode: 0o600, flag: 'wx' });
      renameSync(fresh, path);
    },
    drop: async (path) => dropRecord({ directory: path }),
    notes: (place) => notesOf(place.directory),
    abandonedTrials: () =>
      numbersIn(directory).flatMap((number) => {
        const trial = readTrial(directory, number);
        return trial && !lives(trial.pid) ? [trial] : [];
      }),
    read: readText,
    look: () => ({ exists: (path) => existsSync(pathOf(path)), entries: entriesAt, text: plainText, file: fileBehind }),
    moved: (names, { at }) => names.filter(({ path }) => !stoodAt(path, at)),
  };
}

/** Runs code on the host; undefined without a complete answer. Never rejects. */
type Ask = (code: string) => Promise<{ readonly exit: number; readonly text: string } | undefined>;

export type DiskThere = Pick<StoreDisk, 'directory'> & {
  readonly host: string;
  readonly ask: Ask;
  /** Runs the launcher on the host. `isShort`: its work ends at once. Never rejects. */
  readonly run: (args: readonly string[], isShort: boolean) => Promise<Worked>;
  /** Returns why recording does not work on the host, in one line; undefined if it works. */
  readonly whyNothingKept: () => Promise<string | undefined>;
};

/** The launcher’s work that ends at once. */
const SHORT: ReadonlySet<string | undefined> = new Set(['--records', '--open', '--put']);
/** The longest text of a command in a list. */
const MAX_TEXT_CHARS = 2000;
/** The most directories that are checked in one question. */
const MAX_DIRECTORIES = 500;
/** The most paths whose existence is checked in one question. */
const MAX_PATHS = 4000;
/** The most rebase lists that are read, and the blocks of 512 bytes read of each. */
const MAX_LISTS = 20;
const MAX_LIST_BLOCKS = 200;

/** Thrown when another program has replaced a host’s launcher; that program was not run. */
export class LauncherReplaced extends Error {}

export function diskThere({ host, directory, ask, run, whyNothingKept }: DiskThere): StoreDisk {
  const placeOf = (number: string): Place => ({ number: Number(number), directory: `${directory}/${number}` });
  const work = (...args: readonly string[]) => run(args, SHORT.has(args[0]));
  const launch = async (...args: readonly string[]) => {
    const ran = ranThere(args, await work(...args));
    const isForged = args.includes('--names') && ran.steps.some(({ path }) => !isName(path));
    return isForged ? { code: NOT_RUN, steps: [], error: 'the list of its names can’t be read' } : ran;
  };
  /** Runs the launcher; rejects if the work was not done. */
  const surely = async (...args: readonly string[]) => {
    const worked = await work(...args);
    const { code, steps, error } = ranThere(args, worked);
    if (worked.replaced) throw new LauncherReplaced(error);
    if (code !== 0) throw new Error(visible(error) || `${host} does not answer`);
    return steps;
  };
  /** Reads records of actions and trials. */
  const told = async (only?: number) => {
    const steps = await surely('--records', directory, ...(only === undefined ? [] : [String(only)]));
    return [...Map.groupBy(steps, ({ path }) => path)]
      .filter(([number]) => /^[1-9]\d{0,8}$/.test(number) && (only === undefined || Number(number) === only))
      .map(([number, of]) => {
        const text = (word: string) => of.find(({ verb }) => verb === word)?.source;
        const has = (word: string) => text(word) !== undefined;
        const record = {
          ...{ opening: text('action'), summary: text('summary'), undone: has('undone') },
          ...{ seen: has('seen'), abandoned: has('abandoned') },
          notes: of.filter(({ verb }) => verb === 'note').map(({ source }) => source),
        };
        return { place: placeOf(number), isTrial: has('trial'), record };
      });
  };
  return {
    ...{ host, directory, launch, run: work },
    async probe(budgetBytes) {
      const why = budgetBytes === 0 ? 'nothing is kept: undo.budget is 0' : await whyNothingKept();
      return why === undefined ? undefined : { why, passes: false };
    },
    records: async (running, only) =>
      (await told(only)).flatMap(({ place, record }) => recordFrom(place, record, running) ?? []),
    async open(opening, file = ACTION) {
      const [opened] = await surely('--open', directory, file, openingText(opening)).catch((error: unknown) => {
        if (error instanceof LauncherReplaced) throw error;
        throw new Error(`${host} could not create the directory for the undo`, { cause: error });
      });
      const number = opened?.path ?? '';
      if (!/^[1-9]\d{0,8}$/.test(number)) throw new Error(`${host} could not create the directory for the undo`);
      return placeOf(number);
    },
    put: (path, text) => surely('--put', path, text),
    drop: (path) => surely('--drop', path),
    async notes({ number }) {
      // A note can be a reason that the trial can’t tell its changes; a missing answer is such a reason too.
      const found = await told(number).catch(() => []);
      return found[0]?.record.notes ?? ['shared a file that its host does not name'];
    },
    abandonedTrials: async () =>
      (await told()).filter(({ isTrial, record }) => isTrial && record.abandoned).map(({ place }) => place),
    async read(path) {
      const file = shellQuote(path);
      const answer = await ask(
        `[ -f ${file} ] && [ ! -h ${file} ] && [ "$(wc -c <${file})" -le ${MAX_DIFF_FILE_BYTES} ] && cat ${file}`,
      );
      const text = answer?.exit === 0 && answer.text.length <= MAX_DIFF_FILE_BYTES ? answer.text : undefined;
      return text === undefined || /[\0\ufffd]/.test(text) ? undefined : text;
    },
    look: (asked) => lookThere(ask, asked),
    async moved(names, action) {
      if (names.length === 0 || names.length > MAX_DIRECTORIES) return names;
      const found = await ask(
        whichStood(
          names.map(({ path }) => path),
          action.directory,
        ),
      );
      const stood = new Set(found?.exit === 0 ? found.text.split('\0') : []);
      return names.filter(({ path }) => !stood.has(path));
    },
  };
}

/** Returns the record of a new action as the launcher writes it. */
export function openingText(opening: Opening): string {
  return JSON.stringify({ ...opening, text: opening.text.slice(0, MAX_TEXT_CHARS) });
}

/** Returns whether a name is one that the launcher reports: one with `..` can only be forged. */
function isName(path: string): boolean {
  return path.startsWith('/') && !/\/(?:\.{0,2}\/|\.{0,2}$)/.test(path);
}

/** Reads the answers of a host; a file that can’t be checked counts as a file that others run. */
async function lookThere(ask: Ask, asked: Asked): Promise<Look> {
  const there = await ask(whatIsThere(asked.exist.slice(0, MAX_PATHS)));
  const present = new Set(there?.text.split('\0'));
  const blind = there === undefined || asked.exist.length > MAX_PATHS;
  const found = asked.entries.length === 0 ? { exit: 0, text: '' } : await ask(whatLiesIn(asked.entries));
  const entries = found?.exit === 0 ? readEntries(found.text) : undefined;
  const texts = new Map<string, string>();
  for (const path of asked.texts.slice(0, MAX_LISTS)) {
    const answer = await ask(plainTextOf(path));
    if (answer?.exit === 0) texts.set(path, answer.text);
  }
  const files = await filesAt(ask, asked.files);
  return {
    file: (path) => files.get(path),
    text: (path) => texts.get(path),
    exists: (path) => blind || present.has(path),
    entries: (directory) => (entries ? (entries.get(directory) ?? []) : undefined),
  };
}

/** Returns the identity of the file at each of these paths that exists. Throws if that is unknown. */
async function filesAt(ask: Ask, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (let at = 0; at < paths.length; at += MAX_DIRECTORIES) {
    const found = await ask(whichFiles(paths.slice(at, at + MAX_DIRECTORIES)));
    if (found?.exit !== 0) throw new Error('lists of a rebase can’t be looked for');
    for (const [, dev = '', ino = '', path = ''] of found.text.matchAll(/(\d{1,20}):(\d{1,20}):([^\0]*)\0/g))
      files.set(path, fileOf({ dev: BigInt(dev), ino: BigInt(ino) }));
  }
  return files;
}

/** Returns code that prints device, inode and path of each file, with links resolved. */
function whichFiles(paths: readonly string[]): string {
  const words = paths.map(shellQuote).join(' ');
  return `(for p in ${words}; do [ ! -e "$p" ] || { s=$(stat -Lc %d:%i "$p") && printf '%s:%s\\0' "$s" "$p"; } || [ ! -e "$p" ] || exit 1; done)`;
}

/** Returns code that prints the directories whose parents have not changed since the action’s record was made. */
function whichStood(paths: readonly string[], action: string): string {
  const record = shellQuote(join(action, ACTION));
  return `(for p in ${paths.map(shellQuote).join(' ')}; do [ ! -h "$p" ] && [ -d "$p" ] && a=$(find "$(dirname -- "$p")" -maxdepth 0 ! -newercm ${record}) && [ -n "$a" ] && printf '%s\\0' "$p"; done; exit 0)`;
}

/** Returns code that prints a file, and fails if it is not a plain file with one name, or is long. */
function plainTextOf(path: string): string {
  const word = shellQuote(path);
  return `[ -n "$(find ${word} -maxdepth 0 -type f -links 1 -size -${MAX_LIST_BLOCKS})" ] && cat ${word}`;
}

/** Returns code that prints the paths that exist. */
function whatIsThere(paths: readonly string[]): string {
  return `(for p in ${paths.map(shellQuote).join(' ')}; do [ ! -e "$p" ] || printf '%s\\0' "$p"; done)`;
}

/** Returns code that prints type and path of every entry in these directories, and fails if that is incomplete. */
function whatLiesIn(directories: readonly string[]): string {
  const words = directories.map(shellQuote).join(' ');
  return `(find ${words} -mindepth 1 -printf '%y%p\\0' | head -zn ${MAX_LOOKED_AT + 1})`;
}

/** Parses the list of entries; undefined if it is too long. */
function readEntries(text: string): ReadonlyMap<string, ReturnType<Look['entries']>> | undefined {
  const rows = text.split('\0').slice(0, -1);
  if (rows.length > MAX_LOOKED_AT) return undefined;
  const entries = new Map<string, { name: string; isDirectory(): boolean; isSymbolicLink(): boolean }[]>();
  for (const row of rows) {
    const path = row.slice(1);
    const known = entries.get(dirname(path)) ?? [];
    known.push({
      name: basename(path),
      isDirectory: () => row.startsWith('d'),
      isSymbolicLink: () => row.startsWith('l'),
    });
    entries.set(dirname(path), known);
  }
  return entries;
}

/** Returns the text of a plain file with only one name; undefined for any other, or if it can’t be read. */
function plainText(path: string): string | undefined {
  try {
    const at = pathOf(path);
    const found = lstatSync(at);
    return found.isFile() && found.nlink === 1 && found.size <= MAX_BYTES ? readFileSync(at, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
