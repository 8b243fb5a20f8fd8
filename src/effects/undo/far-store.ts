/**
 * The change store on a host: what it keeps lies there, and is worked on by the launcher there; which and when is
 * decided here.
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

// Its records, as pieces of code for the host's `sh` and what they answer. A host says what it likes: all is bounded
// data.

/** Runs code there; undefined where there is no whole answer. Never rejects. */
export type AskFar = (code: string) => Promise<{ readonly exit: number; readonly text: string } | undefined>;

/** Actions that are looked at, the newest. */
const MAX_ACTIONS = 200;
const MAX_NOTES_BYTES = 4000;
/** What a command is told by in a list. */
const MAX_TEXT_CHARS = 2000;

/**
 * Makes the directory of a new action under the next free number; private. Undefined where it can't.
 * @param first code that is run before it is told what it is; its directory is `$n`
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

/** Beside an action or a trial: the process there that lives as long as the connection of whoever began it. */
const HOLDER = 'holder';
/** Code for `openFar`. */
export const HOLDS = `echo "$PPID" >"$n/${HOLDER}"`;
/** Code for a condition: whoever began `$n` is gone. */
export const HOLDER_IS_GONE = `case $(cat "$n/${HOLDER}") in ''|*[!0-9]*) true ;; *) [ ! -d "/proc/$(cat "$n/${HOLDER}")" ] ;; esac`;

/** An opening as it stands there. */
export function openingText(opening: Opening): string {
  return JSON.stringify({ ...opening, text: opening.text.slice(0, MAX_TEXT_CHARS) });
}

/** All of them, ascending, or the one of this number; undefined where the host does not answer. */
async function farRecords(
  ask: AskFar,
  store: string,
  running: ReadonlySet<number>,
  only?: number,
): Promise<readonly Recorded[] | undefined> {
  // Chosen after all that lies there was named: nothing in a record can end it.
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

/** Code that removes a directory of the store, also where it took away its owner's rights. */
export function removeFar(directory: string): string {
  const quoted = shellQuote(directory);
  return `rm -rf ${quoted} || { find ${quoted} -xdev -type d -exec chmod u+rwx {} \\;; rm -rf ${quoted}; }`;
}

/** Code that writes a small file in one step. */
export function writeFar(path: string, text: string): string {
  const [fresh, quoted] = [shellQuote(`${path}.new`), shellQuote(path)];
  return `(umask 077; printf %s ${shellQuote(text)} >${fresh} && mv -f ${fresh} ${quoted})`;
}

/** A text file of moderate size there; undefined for anything else. Never rejects. */
export async function readFarText(ask: AskFar, path: string): Promise<string | undefined> {
  const file = shellQuote(path);
  const answer = await ask(
    `[ -f ${file} ] && [ ! -h ${file} ] && [ "$(wc -c <${file})" -le ${MAX_DIFF_FILE_BYTES} ] && cat ${file}`,
  );
  const text = answer?.exit === 0 && answer.text.length <= MAX_DIFF_FILE_BYTES ? answer.text : undefined;
  return text === undefined || /[\0\ufffd]/.test(text) ? undefined : text;
}

/** `directory`: that of all actions, there. */
export type FarStoreOptions = Omit<ChangeStoreOptions, 'launcher' | 'changed' | 'onChanged'> & {
  readonly host: string;
  readonly ask: AskFar;
  /** The same for what may take its time. */
  readonly work: AskFar;
  /**
   * The launcher's work there, which may take its time; with what it says where it is not what was sent. Never rejects.
   */
  readonly launch: (args: readonly string[]) => Promise<Ran>;
  /** Whether it works there: why not, in a line. */
  readonly probe: () => Promise<string | undefined>;
};

type KeepingFar = Omit<Keeping, 'left' | 'end' | 'drop' | 'refusal' | 'statusFile' | 'attempt'> & {
  /**
   * To be called once its last process has ended, or it is known that it never ran: what it left that the user decides
   * on. Never rejects.
   */
  end(began: boolean): Promise<Leftover | undefined>;
};

export class FarStore implements UndoPort {
  readonly #options: FarStoreOptions;
  readonly #running = new Set<number>();
  /** What is about to be removed, since nothing ran. */
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
   * Undefined where nothing can be kept. Never rejects.
   * @param tree where what passed by is looked for at the end, there
   * @param project it is a project's: what is made in it for others to run is set aside
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

  /** What a lost connection or a crash cut off is ended, finished, or set aside. Never rejects. */
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

  /** Takes back what a trial had applied halfway, and forgets it; undefined: all is as before, else what is not. */
  rollBack(number: number): Promise<string | undefined> {
    return this.#kept.rollBack(number);
  }

  /** False: a command in Project is still there, and is to be looked at later. */
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

  /** Bytes in use behind it; undefined: no answer. */
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
    // The launcher was killed: its journal is ended in its place.
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

// What commands in Project left there for others to run later: it is set aside there, also where the connection was
// lost meanwhile.

/** Left beside an action that was looked through. */
const LOOKED = 'made';
/** Directories that are asked about at once. */
const MAX_DIRECTORIES = 500;
/** Lists of a rebase that are read, of so many blocks of 512 bytes. */
const MAX_LISTS = 20;
const MAX_LIST_BLOCKS = 200;

type FarLeftoversPort = Omit<AsidePort, 'remember' | 'forget' | 'read'> & {
  readonly host: string;
  readonly ask: AskFar;
  /** The store there. */
  readonly directory: string;
  warn(text: string): void;
};

export class FarLeftovers {
  readonly #port: FarLeftoversPort & AsidePort;

  constructor(port: FarLeftoversPort) {
    // A question ends with its program: what is set aside stays so, and is in the list.
    this.#port = { ...port, remember() {}, forget() {}, read: (path) => readFarText(port.ask, path) };
  }

  /** Of an action that has just ended, once. Never rejects. */
  async of(action: Recorded): Promise<Leftover | undefined> {
    const waiting = await this.#looked(action);
    return waiting && leftoverOf(action, waiting, this.#port);
  }

  /** Sets aside what nobody had time to look at, and says so. Never rejects. */
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

  /** Returns why. */
  #sayUnseen({ number }: Recorded, error: unknown): string {
    const { warn, host } = this.#port;
    const why = visible(messageOf(error));
    warn(`what action ${number} left on ${visible(host)} could not be looked through: ${why}`);
    return why;
  }

  /** @param asks somebody is asked about what stays */
  async #look(action: Recorded, asks: boolean): Promise<Waiting | undefined> {
    const { launch, ask } = this.#port;
    if (action.tree === undefined) return undefined;
    const { steps, code, error } = await launch('--undo', action.directory, '--names');
    if (code !== 0) throw new Error(error);
    if (steps.some(({ path }) => !isName(path))) throw new Error('the list of its names can’t be read');
    const later = await this.#laterOf(namesIn(steps), action.tree, action);
    const waiting = later.length === 0 ? undefined : await setAside(action, later, this.#port);
    // What stays where nobody is asked is looked at again: there may be room then.
    if (asks || !waiting?.stays) await ask(writeFar(`${action.directory}/${LOOKED}`, ''));
    return waiting;
  }

  /** What can't be looked at there counts as what others run. */
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
   * Without directories that stand where they stood: somebody else uses a repository. All of them where that can't be
   * told.
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

  /** Which file is there under each of these names, where one is. Throws where that can't be told. */
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

/** As the launcher names what an action left: no way back up, which only a forged list has. */
function isName(path: string): boolean {
  return path.startsWith('/') && !/\/(?:\.{0,2}\/|\.{0,2}$)/.test(path);
}

/** Device, inode and path of what is there, also behind links. */
function whichFiles(paths: readonly string[]): string {
  const words = paths.map(shellQuote).join(' ');
  return `(for p in ${words}; do [ ! -e "$p" ] || { s=$(stat -Lc %d:%i "$p") && printf '%s:%s\\0' "$s" "$p"; } || [ ! -e "$p" ] || exit 1; done)`;
}

/** Directories beside which nothing came or went since the action's record was made there. */
function whichStood(paths: readonly string[], action: string): string {
  const record = shellQuote(join(action, ACTION));
  return `(for p in ${paths.map(shellQuote).join(' ')}; do [ ! -h "$p" ] && [ -d "$p" ] && a=$(find "$(dirname -- "$p")" -maxdepth 0 ! -newercm ${record}) && [ -n "$a" ] && printf '%s\\0' "$p"; done; exit 0)`;
}

/** Another exit code where it is no plain file with one name, or long. */
function plainTextOf(path: string): string {
  const word = shellQuote(path);
  return `[ -n "$(find ${word} -maxdepth 0 -type f -links 1 -size -${MAX_LIST_BLOCKS})" ] && cat ${word}`;
}

function whatIsThere(directories: readonly string[]): string {
  const paths = directories.flatMap((directory) => PARTS.map((part) => shellQuote(join(directory, part))));
  return `(for p in ${paths.join(' ')}; do [ ! -e "$p" ] || printf '%s\\0' "$p"; done)`;
}

/** Type and path of all that lies there; another exit code where that is not all. */
function whatLiesIn(directories: readonly string[]): string {
  const words = directories.map(shellQuote).join(' ');
  return `(find ${words} -mindepth 1 -printf '%y%p\\0' | head -zn ${MAX_LOOKED_AT + 1})`;
}

/** Undefined where there is more than can be looked through. */
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
