/** What commands in Project left on a host for others to run later: it is set aside there, also where the connection was lost meanwhile. */
import { basename, dirname, join } from 'node:path';
import type { Leftover } from '../../contracts/commands.ts';
import { messageOf } from '../../text/errors.ts';
import { visible } from '../../text/sanitize.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import { type AskFar, HOLDER_IS_GONE, readFarText, writeFar } from './far-records.ts';
import { fileOf, type Name, namesIn, unkeptIn } from './names.ts';
import { ACTION, type Recorded } from './record.ts';
import {
  type AsidePort,
  type Look,
  laterWith,
  leftoverOf,
  MAX_LOOKED_AT,
  PARTS,
  setAside,
  toldLate,
  unseen,
} from './set-aside.ts';
import { listsAround, TODO_NAMES } from './todo.ts';
import type { Later, Waiting } from './waiting.ts';

/** Left beside an action that was looked through. */
const LOOKED = 'made';
/** Directories that are asked about at once. */
const MAX_DIRECTORIES = 500;
/** Lists of a rebase that are read, of so many blocks of 512 bytes. */
const MAX_LISTS = 20;
const MAX_LIST_BLOCKS = 200;

export type FarLeftoversPort = Omit<AsidePort, 'remember' | 'forget' | 'read'> & {
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

  /** Without directories that stand where they stood: somebody else uses a repository. All of them where that can't be told. */
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
