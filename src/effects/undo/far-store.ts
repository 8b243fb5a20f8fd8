/**
 * The change store on a host: the records are on the host, and the host's launcher works on them; this machine decides
 * what to do.
 */

import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { Leftover } from '../../contracts/commands.ts';
import type { KeptAction, UndoPort, UndoResult, UndoTarget } from '../../contracts/undo.ts';
import { messageOf } from '../../text/errors.ts';
import { visible } from '../../text/sanitize.ts';
import { shellQuote } from '../../text/shell.ts';
import { Kept, warnOf, whatGoes } from './kept.ts';
import type { Ran } from './launcher.ts';
import { fileOf, type Name, namesIn, unkeptIn } from './names.ts';
import { MAX_DIFF_FILE_BYTES } from './preview.ts';
import { ACTION, type Opening, type Place, type Recorded, readNotes, recordFrom } from './record.ts';
import {
  type AsidePort,
  type Look,
  laterWith,
  leftoverOf,
  listsAround,
  MAX_LOOKED_AT,
  PARTS,
  setAside,
  TODO_NAMES,
  toldLate,
  unseen,
} from './set-aside.ts';
import type { ChangeStoreOptions, Keeping } from './store.ts';
import type { Later, Waiting } from './waiting.ts';

// Reads and writes records with pieces of code for the host’s `sh`. The host’s answers are untrusted and limited in
// size.

/** Runs code on the host; undefined without a complete answer. Never rejects. */
export type AskFar = (code: string) => Promise<{ readonly exit: number; readonly text: string } | undefined>;

/** The most actions that are read, the newest first. */
const MAX_ACTIONS = 200;
const MAX_NOTES_BYTES = 4000;
/** The longest text of a command in a list. */
const MAX_TEXT_CHARS = 2000;

/**
 * Creates a private directory for a new action under the next free number; undefined on failure.
 * @param first code that runs before the record is written; `$n` is the directory
 */
export async function openFar(
  ask: AskFar,
  store: string,
  opening: Opening,
  file = ACTION,
  first = ':',
): Promise<Place | undefined> {
  const answer = await ask(`(umask 077; mkdir -p ${shellQuote(store)} && cd ${shellQuote(store)} || exit 1
n=$(ls | grep -x '[0-9][0-9]*' | sort -n | tail -n 1); n=$((\${n:-0}+1)); t=0
until mkdir "$n"; do n=$((n+1)); t=$((t+1)); [ $t -lt 100 ] || exit 1; done
${first}; printf %s ${shellQuote(openingText(opening))} >"$n/${file}" && echo "$n")`);
  const number = Number(answer?.exit === 0 ? answer.text.trim() : Number.NaN);
  return Number.isInteger(number) && number > 0 && number < 1e9
    ? { number, directory: `${store}/${number}` }
    : undefined;
}

/**
 * The name of a file beside an action or a trial, with the process id on the host that lives as long as the connection
 * of its owner.
 */
const HOLDER = 'holder';
/** Code for `openFar` that writes the owner’s process id. */
export const HOLDS = `echo "$PPID" >"$n/${HOLDER}"`;
/** A shell condition: the owner of `$n` is gone. */
export const HOLDER_IS_GONE = `case $(cat "$n/${HOLDER}") in ''|*[!0-9]*) true ;; *) [ ! -d "/proc/$(cat "$n/${HOLDER}")" ] ;; esac`;

/** Returns the record of a new action as it is written on the host. */
export function openingText(opening: Opening): string {
  return JSON.stringify({ ...opening, text: opening.text.slice(0, MAX_TEXT_CHARS) });
}

/**
 * Returns all records of the host in ascending order, or the record with this number; undefined if the host does not
 * answer.
 */
async function farRecords(
  ask: AskFar,
  store: string,
  running: ReadonlySet<number>,
  only?: number,
): Promise<readonly Recorded[] | undefined> {
  // A random mark, chosen after the records were written, so that nothing in a record can imitate it.
  const mark = randomBytes(16).toString('hex');
  const which = only === undefined ? `$(ls | grep -x '[0-9][0-9]*' | sort -n | tail -n ${MAX_ACTIONS})` : String(only);
  const fields = [
    `cat $n/${ACTION}`,
    'cat $n/summary || echo NONE',
    'ls $n/undone',
    `head -c ${MAX_NOTES_BYTES} $n/notes`,
  ];
  const each = fields.map((field) => `${field}; printf %s ${mark}`).join('; ');
  const answer = await ask(
    `(cd ${shellQuote(store)} || exit 0; for n in ${which}; do printf %s "$n"${mark}; ${each}; done)`,
  );
  if (!answer) return undefined;
  const parts = answer.text.split(mark);
  const found: Recorded[] = [];
  for (let at = 0; at + 4 < parts.length; at += 5) {
    const [number = '', opening, summary = '', undone, notes = ''] = parts.slice(at, at + 5);
    const place = { number: Number(number), directory: `${store}/${number}` };
    if (!/^\d{1,9}$/.test(number)) continue;
    const told = {
      opening,
      summary: summary.trim() === 'NONE' ? undefined : summary,
      undone: undone !== '',
      notes: readNotes(notes),
    };
    const record = recordFrom(place, told, running);
    if (record) found.push(record);
  }
  return found;
}

/** Returns code that removes a directory of the store, even one that its owner may not write to. */
export function removeFar(directory: string): string {
  const quoted = shellQuote(directory);
  return `rm -rf ${quoted} || { find ${quoted} -xdev -type d -exec chmod u+rwx {} \\;; rm -rf ${quoted}; }`;
}

/** Returns code that writes a small file in one step. */
export function writeFar(path: string, text: string): string {
  const [fresh, quoted] = [shellQuote(`${path}.new`), shellQuote(path)];
  return `(umask 077; printf %s ${shellQuote(text)} >${fresh} && mv -f ${fresh} ${quoted})`;
}

/** Reads a text file of moderate size on the host; undefined for anything else. Never rejects. */
export async function readFarText(ask: AskFar, path: string): Promise<string | undefined> {
  const file = shellQuote(path);
  const answer = await ask(
    `[ -f ${file} ] && [ ! -h ${file} ] && [ "$(wc -c <${file})" -le ${MAX_DIFF_FILE_BYTES} ] && cat ${file}`,
  );
  const text = answer?.exit === 0 && answer.text.length <= MAX_DIFF_FILE_BYTES ? answer.text : undefined;
  return text === undefined || /[\0\ufffd]/.test(text) ? undefined : text;
}

/** `directory`: the directory of all actions on the host. */
export type FarStoreOptions = Omit<ChangeStoreOptions, 'launcher' | 'changed' | 'onChanged'> & {
  readonly host: string;
  readonly ask: AskFar;
  /** Runs code on the host that may take long. */
  readonly work: AskFar;
  /**
   * Runs the launcher on the host, which may take long; its message is included if the file there is not the launcher
   * that was sent. Never rejects.
   */
  readonly launch: (args: readonly string[]) => Promise<Ran>;
  /** Returns why recording does not work on the host, in one line; undefined if it works. */
  readonly probe: () => Promise<string | undefined>;
};

type KeepingFar = Omit<Keeping, 'left' | 'end' | 'drop' | 'refusal' | 'statusFile' | 'attempt'> & {
  /**
   * Call it after the last process has ended, or when the command never ran. Resolves to files that the user decides
   * about. Never rejects.
   */
  end(began: boolean): Promise<Leftover | undefined>;
};

export class FarStore implements UndoPort {
  readonly #options: FarStoreOptions;
  readonly #running = new Set<number>();
  /** Records about to be removed, since their command never ran. */
  readonly #neverBegan = new Set<number>();
  #probe: Promise<string | undefined> | undefined;
  readonly #kept: Kept;
  readonly #leftovers: FarLeftovers;
  #caughtUp: Promise<void> | undefined;

  constructor(options: FarStoreOptions) {
    this.#options = options;
    const { host, ask, directory, session, launch } = options;
    this.#kept = new Kept({
      session,
      unavailable: () => this.unavailable(),
      records: () => this.#records(),
      open: (text, cwd, of) => this.#open('undo', text, cwd, { of }),
      drop: (place) => this.#remove(place.directory),
      launch: (...args) => launch(args),
      markUndone: (action, by) => ask(writeFar(`${action.directory}/undone`, `${by}\n`)),
      unmarkUndone: (number) => ask(`rm -f ${shellQuote(`${directory}/${number}/undone`)}`),
      read: (path) => readFarText(ask, path),
      warn: options.warn,
      noPlace: `${host} did not make a place for what is replaced`,
    });
    this.#leftovers = new FarLeftovers({
      ...{ host, ask, directory },
      hide: options.hide,
      warn: options.warn,
      launch: (...args) => launch(args),
      find: async (number) => (await this.#records(number))[0],
      open: (text, cwd, of) => this.#open('undo', text, cwd, of === undefined ? {} : { of }),
      putBack: async (action, into) => (await this.#kept.putBack(action, into)).code === 0,
    });
  }

  unavailable(): Promise<string | undefined> {
    const { budgetBytes, probe } = this.#options;
    this.#probe ??= budgetBytes === 0 ? Promise.resolve('nothing is kept: undo.budget is 0') : probe();
    return this.#probe;
  }

  /**
   * Starts recording a command; undefined where that is impossible. Never rejects.
   * @param tree the directory that is searched for unrecorded changes at the end
   * @param project whether it is a project’s tree, where files that others run are set aside
   */
  async keepCommand(command: string, place: string, tree: string, project = false): Promise<KeepingFar | undefined> {
    if ((await this.unavailable()) !== undefined) return undefined;
    await this.recover();
    const { budgetBytes, maxFileBytes, credentials = false, warn, host } = this.#options;
    const used = await this.#makeRoom();
    const opened =
      used === undefined ? undefined : await this.#open('command', command, place, project ? { tree } : {});
    if (!opened || used === undefined) {
      warn(`nothing is kept of this command: ${host} did not make a place for it`);
      return undefined;
    }
    const { number, directory } = opened;
    this.#running.add(number);
    const room = { budgetBytes: Math.max(0, budgetBytes - used), fileBytes: maxFileBytes, credentials };
    return { ...room, directory, tree, end: (began) => this.#ended(number, began) };
  }

  /** Finishes, closes or sets aside what a lost connection or a crash interrupted. Never rejects. */
  async recover(): Promise<void> {
    await this.#kept.recover();
    this.#caughtUp ??= this.#catchUp().then((all) => {
      if (!all) this.#caughtUp = undefined;
    });
    await this.#caughtUp;
  }

  list(): Promise<readonly KeptAction[]> {
    return this.#kept.list();
  }

  preview(target: UndoTarget): Promise<UndoResult> {
    return this.#kept.preview(target);
  }

  undo(target: UndoTarget, shown?: string): Promise<UndoResult> {
    return this.#kept.undo(target, shown);
  }

  forget(target: number | 'all'): Promise<UndoResult> {
    return this.#kept.forget(target);
  }

  /**
   * Reverts a half-applied trial and removes its record. Returns undefined on success, otherwise what remains changed.
   */
  rollBack(number: number): Promise<string | undefined> {
    return this.#kept.rollBack(number);
  }

  /**
   * Handles commands of earlier connections. Returns false if a command in Project still runs, so that it must be
   * checked later.
   */
  async #catchUp(): Promise<boolean> {
    let all = true;
    for (const action of await this.#records())
      if (action.tree !== undefined && action.state === 'cut') all = !(await this.#kept.runs(action)) && all;
    await this.#leftovers.catchUp(await this.#records());
    return all;
  }

  async #records(only?: number): Promise<readonly Recorded[]> {
    const { ask, directory } = this.#options;
    const records = (await farRecords(ask, directory, this.#running, only)) ?? [];
    return records.filter(({ number }) => !this.#neverBegan.has(number));
  }

  #open(kind: KeptAction['kind'], text: string, cwd: string, more: Partial<Opening> = {}) {
    const { ask, directory, session, now, hide, run } = this.#options;
    const group = kind === 'undo' ? undefined : run();
    const opening = { kind, text: hide(text), cwd: hide(cwd), session, at: now(), ...more };
    return openFar(ask, directory, group === undefined ? opening : { ...opening, run: group }, ACTION, HOLDS);
  }

  /** Makes room and returns the bytes then in use; undefined without an answer. */
  async #makeRoom(): Promise<number | undefined> {
    const { now, days, budgetBytes, ask, directory } = this.#options;
    const records = await farRecords(ask, directory, this.#running);
    if (!records) return undefined;
    const { going, usedBytes } = whatGoes(records, { now: now(), days, budgetBytes });
    for (const action of going) await this.#remove(action.directory);
    return usedBytes;
  }

  async #ended(number: number, began: boolean): Promise<Leftover | undefined> {
    const { directory, warn } = this.#options;
    this.#running.delete(number);
    if (!began) {
      this.#neverBegan.add(number);
      await this.#remove(`${directory}/${number}`);
      return undefined;
    }
    let [action] = await this.#records(number);
    // The launcher was killed, so its journal is closed here.
    if (action?.tree !== undefined && action.state === 'cut' && !(await this.#kept.runs(action)))
      [action] = await this.#records(number);
    if (!action || action.state === 'cut') return undefined;
    warnOf(action.notes, warn);
    if (action.notes.length > 0 || action.touched) return this.#leftovers.of(action);
    await this.#remove(action.directory);
    return undefined;
  }

  #remove(directory: string) {
    return this.#options.work(removeFar(directory));
  }
}

// Sets aside files that commands in Project left on the host for others to run, even if the connection was lost since
// then.

/** The name of the file that marks an action as checked. */
const LOOKED = 'made';
/** The most directories that are checked in one question. */
const MAX_DIRECTORIES = 500;
/** The most rebase lists that are read, and the blocks of 512 bytes read of each. */
const MAX_LISTS = 20;
const MAX_LIST_BLOCKS = 200;

type FarLeftoversPort = Omit<AsidePort, 'remember' | 'forget' | 'read'> & {
  readonly host: string;
  readonly ask: AskFar;
  /** The store’s directory on the host. */
  readonly directory: string;
  warn(text: string): void;
};

export class FarLeftovers {
  readonly #port: FarLeftoversPort & AsidePort;

  constructor(port: FarLeftoversPort) {
    // A question ends with its program: the files stay set aside, and are listed.
    this.#port = { ...port, remember() {}, forget() {}, read: (path) => readFarText(port.ask, path) };
  }

  /** Returns the leftovers of an action that has just ended. Call once. Never rejects. */
  async of(action: Recorded): Promise<Leftover | undefined> {
    const waiting = await this.#looked(action);
    return waiting && leftoverOf(action, waiting, this.#port);
  }

  /** Sets aside files that no program had time to check, and reports them. Never rejects. */
  async catchUp(records: readonly Recorded[]): Promise<void> {
    const { ask, directory, warn, host } = this.#port;
    const ended = records.filter(({ tree, state }) => tree !== undefined && state === 'ended');
    if (ended.length === 0) return;
    const answer = await ask(
      `(cd ${shellQuote(directory)} || exit 1; for n in ${ended.map(({ number }) => number).join(' ')}; do [ ! -e "$n/${LOOKED}" ] && ${HOLDER_IS_GONE} && echo "$n"; done; exit 0)`,
    );
    const open = new Set(answer?.text.split('\n').map(Number));
    for (const action of ended.filter(({ number }) => open.has(number))) {
      const waiting = await this.#look(action, false).catch((error: unknown) => void this.#sayUnseen(action, error));
      if (!waiting) continue;
      warn(toldLate(action, waiting, ` on ${visible(host)}, since the connection ended before you were asked`));
    }
  }

  async #looked(action: Recorded): Promise<Waiting | undefined> {
    try {
      return await this.#look(action, true);
    } catch (error) {
      const why = this.#sayUnseen(action, error);
      return action.tree === undefined ? undefined : unseen(action.tree, why);
    }
  }

  /** Reports that an action’s files could not be checked, and returns why. */
  #sayUnseen({ number }: Recorded, error: unknown): string {
    const { warn, host } = this.#port;
    const why = visible(messageOf(error));
    warn(`what action ${number} left on ${visible(host)} could not be looked through: ${why}`);
    return why;
  }

  /**
   * Checks an action’s files.
   * @param asks whether the user is asked about files that stay in place
   */
  async #look(action: Recorded, asks: boolean): Promise<Waiting | undefined> {
    const { launch, ask } = this.#port;
    if (action.tree === undefined) return undefined;
    const { steps, code, error } = await launch('--undo', action.directory, '--names');
    if (code !== 0) throw new Error(error);
    if (steps.some(({ path }) => !isName(path))) throw new Error('the list of its names can’t be read');
    const later = await this.#laterOf(namesIn(steps), action.tree, action);
    const waiting = later.length === 0 ? undefined : await setAside(action, later, this.#port);
    // Files that stay in place without a question are checked again later, when there may be room.
    if (asks || !waiting?.stays) await ask(writeFar(`${action.directory}/${LOOKED}`, ''));
    return waiting;
  }

  /** Returns the files that others may run later; a file that can’t be checked counts as one. */
  async #laterOf(kept: readonly Name[], tree: string, { notes, directory }: Recorded): Promise<readonly Later[]> {
    const { ask } = this.#port;
    const unkept = await this.#unkept(unkeptIn(notes, kept), directory);
    const names = [...kept, ...unkept];
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
    const files = await this.#filesAt(listsAround(kept, tree));
    const look: Look = {
      file: (path) => files.get(path),
      text: (path) => texts.get(path),
      exists: (path) => blind || present.has(path),
      entries: (directory) => (entries ? (entries.get(directory) ?? []) : undefined),
    };
    return laterWith(unkept, kept, tree, look);
  }

  /**
   * Returns the unrecorded changes outside directories that nobody moved, because somebody else may use a repository in
   * such a directory. Returns all changes if nothing is known about moves.
   */
  async #unkept(all: readonly Name[], action: string): Promise<readonly Name[]> {
    if (all.length === 0 || all.length > MAX_DIRECTORIES) return all;
    const found = await this.#port.ask(
      whichStood(
        all.map(({ path }) => path),
        action,
      ),
    );
    const stood = new Set(found?.exit === 0 ? found.text.split('\0') : []);
    return all.filter(({ path }) => !stood.has(path));
  }

  /** Returns the identity of the file at each of these paths that exists. Throws if that is unknown. */
  async #filesAt(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const files = new Map<string, string>();
    for (let at = 0; at < paths.length; at += MAX_DIRECTORIES) {
      const found = await this.#port.ask(whichFiles(paths.slice(at, at + MAX_DIRECTORIES)));
      if (found?.exit !== 0) throw new Error('lists of a rebase can’t be looked for');
      for (const [, dev = '', ino = '', path = ''] of found.text.matchAll(/(\d{1,20}):(\d{1,20}):([^\0]*)\0/g))
        files.set(path, fileOf({ dev: BigInt(dev), ino: BigInt(ino) }));
    }
    return files;
  }
}

/** Returns whether a name is one that the launcher reports: one with `..` can only be forged. */
function isName(path: string): boolean {
  return path.startsWith('/') && !/\/(?:\.{0,2}\/|\.{0,2}$)/.test(path);
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
