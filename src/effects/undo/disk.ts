/**
 * Where actions are kept, and the launcher that works on them: this machine's, or a host's. A host says what it likes:
 * all of it is bounded data.
 */
import { randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { shellQuote } from '../../text/shell.ts';
import { NOT_RUN, type NotKept, probeStore, type Ran, ranThere, runHere, runLauncher, type Worked } from './launcher.ts';
import { fileOf, type Name, stoodAt } from './names.ts';
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
import { HERE, type Look, listsAround, MAX_LOOKED_AT, PARTS, TODO_NAMES } from './set-aside.ts';

type Soon<Thing> = Thing | Promise<Thing>;

export type StoreDisk = {
  /** Undefined: this machine. */
  readonly host?: string;
  /** The private directory of all actions, outside what is worked on. */
  readonly directory: string;
  /** Why nothing is kept there; undefined: it works. Never rejects. */
  probe(budgetBytes: number): Promise<NotKept | undefined>;
  /** The launcher's own work. Never rejects. */
  run(...args: readonly string[]): Promise<Worked>;
  /** The same, as the steps that it told. */
  launch(...args: readonly string[]): Promise<Ran>;
  /** All actions, ascending, or the one of this number. Rejects where that is not known. */
  records(running: ReadonlySet<number>, only?: number): Soon<readonly Recorded[]>;
  /**
   * Makes the directory of a new action under the next free number. Throws where there is no place for it.
   * @param spare an empty one that may be taken
   */
  open(opening: Opening, file?: string, spare?: Place): Soon<Place>;
  /** Writes a small file in one step. */
  put(path: string, text: string): Promise<unknown>;
  /** Removes a file, or a directory with all below it. */
  drop(path: string): Promise<unknown>;
  /** What the launcher noted of an action or a trial: a word and a path each. */
  notes(place: Place): Soon<readonly string[]>;
  /** The trials whose program is gone. */
  abandonedTrials(): Soon<readonly Pick<Place, 'directory'>[]>;
  readonly read: ReadText;
  /** What is seen of the files there around these names in `tree`. Rejects where that can't be told. */
  look(names: readonly Name[], tree: string): Soon<Look>;
  /**
   * Without directories that stand where they stood when the action began: somebody else uses a repository. All of them
   * where that can't be told.
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
    look: () => HERE,
    moved: (names, { at }) => names.filter(({ path }) => !stoodAt(path, at)),
  };
}

/** Runs code on the host; undefined without a complete answer. Never rejects. */
type Ask = (code: string) => Promise<{ readonly exit: number; readonly text: string } | undefined>;

export type DiskThere = Pick<StoreDisk, 'directory'> & {
  readonly host: string;
  readonly ask: Ask;
  /** The launcher's work there. `isShort`: it ends at once. Never rejects. */
  readonly run: (args: readonly string[], isShort: boolean) => Promise<Worked>;
  /** Returns why recording does not work there, in one line; undefined if it works. */
  readonly whyNothingKept: () => Promise<string | undefined>;
};

/** Work that ends at once. */
const SHORT: ReadonlySet<string | undefined> = new Set(['--records', '--open', '--put']);
/** The longest text of a command in a list. */
const MAX_TEXT_CHARS = 2000;
/** The most directories that are checked in one question. */
const MAX_DIRECTORIES = 500;
/** The most rebase lists that are read, and the blocks of 512 bytes read of each. */
const MAX_LISTS = 20;
const MAX_LIST_BLOCKS = 200;

/** The launcher there is another program, which was not run. */
export class LauncherReplaced extends Error {}

export function diskThere({ host, directory, ask, run, whyNothingKept }: DiskThere): StoreDisk {
  const work = (...args: readonly string[]) => run(args, SHORT.has(args[0]));
  const launch = async (...args: readonly string[]) => {
    const ran = ranThere(args, await work(...args));
    const isForged = args.includes('--names') && ran.steps.some(({ path }) => !isName(path));
    return isForged ? { code: NOT_RUN, steps: [], error: 'the list of its names can’t be read' } : ran;
  };
  /** Rejects where it was not done. */
  const surely = async (...args: readonly string[]) => {
    const worked = await work(...args);
    const { code, steps, error } = ranThere(args, worked);
    if (worked.replaced) throw new LauncherReplaced(error);
    if (code !== 0) throw new Error(error || `${host} does not answer`);
    return steps;
  };
  const told = async (only?: number) => {
    const steps = await surely('--records', directory, ...(only === undefined ? [] : [String(only)]));
    return [...Map.groupBy(steps, ({ path }) => path)]
      .filter(([number]) => /^[1-9]\d{0,8}$/.test(number) && (only === undefined || Number(number) === only))
      .map(([number, of]) => {
        const text = (word: string) => of.find(({ verb }) => verb === word)?.source;
        const has = (word: string) => text(word) !== undefined;
        return {
          place: { number: Number(number), directory: `${directory}/${number}` },
          opening: text('action'),
          isTrial: has('trial'),
          summary: text('summary'),
          undone: has('undone'),
          seen: has('seen'),
          abandoned: has('abandoned'),
          notes: of.filter(({ verb }) => verb === 'note').map(({ source }) => source),
        };
      });
  };
  return {
    ...{ host, directory, launch, run: work },
    async probe(budgetBytes) {
      const why = budgetBytes === 0 ? 'nothing is kept: undo.budget is 0' : await whyNothingKept();
      return why === undefined ? undefined : { why, passes: false };
    },
    records: async (running, only) =>
      (await told(only)).flatMap(({ place, isTrial: _, ...rest }) => recordFrom(place, rest, running) ?? []),
    async open(opening, file = ACTION) {
      const [opened] = await surely('--open', directory, file, openingText(opening)).catch((error: unknown) => {
        if (error instanceof LauncherReplaced) throw error;
        throw new Error(`${host} did not make a place for it`, { cause: error });
      });
      const number = opened?.path ?? '';
      if (!/^[1-9]\d{0,8}$/.test(number)) throw new Error(`${host} did not make a place for it`);
      return { number: Number(number), directory: `${directory}/${number}` };
    },
    put: (path, text) => surely('--put', path, text),
    drop: (path) => surely('--drop', path),
    async notes({ number }) {
      // What was noted is a reason not to tell: no answer is one as well.
      const found = await told(number).catch(() => []);
      return found[0]?.notes ?? ['shared what its host does not tell'];
    },
    abandonedTrials: async () =>
      (await told()).filter(({ isTrial, abandoned }) => isTrial && abandoned).map(({ place }) => place),
    async read(path) {
      const file = shellQuote(path);
      const answer = await ask(
        `[ -f ${file} ] && [ ! -h ${file} ] && [ "$(wc -c <${file})" -le ${MAX_DIFF_FILE_BYTES} ] && cat ${file}`,
      );
      const text = answer?.exit === 0 && answer.text.length <= MAX_DIFF_FILE_BYTES ? answer.text : undefined;
      return text === undefined || /[\0\ufffd]/.test(text) ? undefined : text;
    },
    look: (names, tree) => lookThere(ask, names, tree),
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

/** An opening as it stands on a disk of others. */
export function openingText(opening: Opening): string {
  return JSON.stringify({ ...opening, text: opening.text.slice(0, MAX_TEXT_CHARS) });
}

/** Returns whether a name is one that the launcher reports: one with `..` can only be forged. */
function isName(path: string): boolean {
  return path.startsWith('/') && !/\/(?:\.{0,2}\/|\.{0,2}$)/.test(path);
}

/** What can't be looked at there counts as what others run. */
async function lookThere(ask: Ask, names: readonly Name[], tree: string): Promise<Look> {
  const parts = names.filter(({ path }) => PARTS.includes(basename(path)));
  const directories = [...new Set(parts.map(({ path }) => dirname(path)))];
  const moved = names.filter(({ verb, kind }) => verb === 'moved' && kind === 'directory').map(({ path }) => path);
  const there = await ask(whatIsThere(directories.slice(0, MAX_DIRECTORIES)));
  const present = new Set(there?.text.split('\0'));
  const blind = there === undefined || directories.length > MAX_DIRECTORIES;
  const found = moved.length === 0 ? { exit: 0, text: '' } : await ask(whatLiesIn(moved));
  const entries = found?.exit === 0 ? readEntries(found.text) : undefined;
  const lists = names.filter(({ path }) => TODO_NAMES.includes(basename(path))).map(({ path }) => path);
  const texts = new Map<string, string>();
  for (const path of lists.slice(0, MAX_LISTS)) {
    const answer = await ask(plainTextOf(path));
    if (answer?.exit === 0) texts.set(path, answer.text);
  }
  const files = await filesAt(ask, listsAround(names, tree));
  return {
    file: (path) => files.get(path),
    text: (path) => texts.get(path),
    exists: (path) => blind || present.has(path),
    entries: (directory) => (entries ? (entries.get(directory) ?? []) : undefined),
  };
}

/** Which file is there under each of these names, where one is. Throws where that can't be told. */
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

function whatIsThere(directories: readonly string[]): string {
  const paths = directories.flatMap((directory) => PARTS.map((part) => shellQuote(join(directory, part))));
  return `(for p in ${paths.join(' ')}; do [ ! -e "$p" ] || printf '%s\\0' "$p"; done)`;
}

/** Returns code that prints type and path of every entry in these directories, and fails if that is incomplete. */
function whatLiesIn(directories: readonly string[]): string {
  const words = directories.map(shellQuote).join(' ');
  return `(find ${words} -mindepth 1 -printf '%y%p\\0' | head -zn ${MAX_LOOKED_AT + 1})`;
}

/** Parses that list; undefined if it is too long. */
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
