/**
 * What actions left that the user decides on, also where the program was closed before they could; and what the session
 * made (MO-9).
 */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { LeftBehind, Leftover } from '../../contracts/commands.ts';
import { messageOf } from '../../text/errors.ts';
import { fileAt, type Name, namesLeft, Provenance, stoodAt, unkeptIn } from './names.ts';
import { leftNothing, lives, neverBegan, type Recorded } from './record.ts';
import {
  type AsidePort,
  HERE,
  laterWith,
  leftoverOf,
  setAside,
  takeAside,
  toldLate,
  unseen,
  withoutOwnTodo,
} from './set-aside.ts';
import { startPathsIn } from './start-paths.ts';
import { forgetWaiting, type Later, readMade, readWaiting, type Waiting, writeMade, writeWaiting } from './waiting.ts';

/** What it needs of the store. */
export type LeftoversPort = Omit<AsidePort, 'remember' | 'forget' | 'find'> & {
  find(number: number): Recorded | undefined;
  readonly session: string;
  readonly launcher: string;
  readonly maxFileBytes: number;
  /** Ascending. */
  records(): readonly Recorded[];
  drop(action: Recorded): Promise<void>;
  warn(text: string): void;
};

export class Leftovers {
  readonly #port: LeftoversPort & AsidePort;
  #provenance: Provenance | undefined;
  /** Which directory was a tree's repository when it was looked at last. */
  readonly #repository = new Map<string, string | undefined>();

  constructor(port: LeftoversPort) {
    this.#port = { ...port, remember: writeWaiting, forget: forgetWaiting, namesAll: true };
  }

  /** Of an action that has just ended, once. */
  async of(action: Recorded): Promise<Leftover | undefined> {
    const waiting = action.tree === undefined ? await this.learn(action) : await this.#looked(action, action.tree);
    if (waiting) return leftoverOf(action, waiting, this.#port);
    const others = () => this.#port.records().filter((other) => other.number !== action.number && other.bytes > 0);
    return withoutRoom(action, others, this.#port.maxFileBytes, this.#port.drop);
  }

  /** What earlier programs of this session have asked in vain. */
  waiting(): readonly LeftBehind[] {
    return this.#port.records().flatMap((action) => {
      const waiting = action.session === this.#port.session ? readWaiting(action) : undefined;
      if (!waiting) return [];
      const aside = this.#port.find(waiting.aside);
      if (aside && aside.state !== 'undone')
        return [{ command: action.text, left: leftoverOf(action, waiting, this.#port) }];
      // The yes was carried out before the program ended, or nothing is kept any more that it could bring.
      forgetWaiting(action);
      return [];
    });
  }

  /** Whether what is there is the session's. */
  made(path: string): boolean {
    return this.#own.made(path);
  }

  /** Learns which files an action has made that has just ended. Never rejects: what can't be told is the user's. */
  async learn(action: Recorded): Promise<undefined> {
    const own = this.#own;
    const names = await namesLeft(this.#port.launcher, action.directory).catch(() => undefined);
    if (names) writeMade(action, own.take(names));
  }

  /** Finishes the setting aside that was cut off; false: `aside` is something else. */
  async finish(aside: Recorded): Promise<boolean> {
    for (const action of this.#port.records()) {
      const waiting = readWaiting(action);
      if (waiting?.aside !== aside.number) continue;
      await takeAside(action, waiting, this.#port);
      return true;
    }
    return false;
  }

  /** Sets aside what programs that are gone had no time to look at, and drops what they had no time to drop. */
  async catchUp(): Promise<void> {
    for (const action of this.#port.records()) {
      const { pid, session, tree, state } = action;
      const mine = session === this.#port.session;
      const gone = pid !== process.pid && (mine || !lives(pid));
      if (!gone) continue;
      if (holdsNothing(action)) await this.#port.drop(action);
      else if (state === 'ended' && tree !== undefined && readMade(action) === undefined)
        await this.#lookLate(action, tree, mine);
    }
  }

  async #lookLate(action: Recorded, tree: string, mine: boolean): Promise<void> {
    const waiting = await this.#look(action, tree, false).catch((error: unknown) =>
      this.#port.warn(`what action ${action.number} left could not be looked through: ${messageOf(error)}`),
    );
    if (!waiting || mine) return;
    this.#port.warn(toldLate(action, waiting, ', since its session was closed before you were asked'));
  }

  /** Never rejects: what can't be looked through is asked about. */
  #looked(action: Recorded, tree: string): Promise<Waiting | undefined> {
    return this.#look(action, tree, true).catch((error: unknown) => unseen(tree, messageOf(error)));
  }

  /** @param atOnce nobody else can have touched what it left */
  async #look(action: Recorded, tree: string, atOnce: boolean): Promise<Waiting | undefined> {
    const own = this.#own;
    const names = await namesLeft(this.#port.launcher, action.directory);
    const made = atOnce ? own.take(names) : '';
    const unkept = this.#unkept(unkeptIn(action.notes, names), tree, action.at);
    const places = names.length + unkept.length === 0 ? [] : startPathsIn(tree);
    const known = { places, isOwn: (directory: string) => own.made(directory) };
    const all = await withoutOwnTodo(action, laterWith(unkept, names, tree, HERE, known), this.#port);
    const isSecret = notKept(action.notes);
    const later = all.map((each): Later => (isSecret(each.path) ? { ...each, unkept: true } : each));
    const waiting = later.length === 0 ? undefined : await setAside(action, later, this.#port);
    // What stays where nobody is asked is looked at again: there may be room then.
    if (atOnce || !waiting?.stays) writeMade(action, made);
    return waiting;
  }

  /**
   * A repository that was there changes itself whenever anybody uses git: what else changed in it is told by its own
   * name.
   */
  #unkept(all: readonly Name[], tree: string, began: number): readonly Name[] {
    const names = all.filter(({ path }) => !stoodAt(path, began));
    const path = join(tree, '.git');
    const before = this.#repository.get(tree);
    const file = fileAt(path, true);
    this.#repository.set(tree, file);
    return before === undefined || file !== before ? names : names.filter((name) => name.path !== path);
  }

  /** Before the first action in a tree. */
  prepare(tree: string): void {
    if (!this.#repository.has(tree)) this.#repository.set(tree, fileAt(join(tree, '.git'), true));
  }

  /** With what earlier programs of this session have seen. */
  get #own(): Provenance {
    if (this.#provenance) return this.#provenance;
    const own = new Provenance();
    for (const action of this.#port.records())
      if (action.session === this.#port.session) own.load(readMade(action) ?? '');
    this.#provenance = own;
    return own;
  }
}

const SECRET = 'secret ';

/** Tells of a path whether it may hold a password, so that nothing is kept of what it was. */
function notKept(notes: readonly string[]): (path: string) => boolean {
  const paths = new Set(notes.filter((note) => note.startsWith(SECRET)).map((note) => note.slice(SECRET.length)));
  return (path) => paths.has(path);
}

/** A command whose program was killed before it could begin it, or before it emptied the record. */
function holdsNothing(action: Recorded): boolean {
  const { pid, state } = action;
  if (pid === undefined || lives(pid)) return false;
  return state === 'ended' ? leftNothing(action) : state === 'cut' && neverBegan(action);
}

/**
 * How to make room where the store was too full for a change: undefined where none was refused for that, or giving up
 * `others` would not help.
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
  // The journals of others alone are no room worth their undo.
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
