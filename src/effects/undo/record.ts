/** One action's directory in the store, as Node reads it: who wrote it, how it ended, what passed by. */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { KeptAction } from '../../contracts/undo.ts';
import { makeDirectory, removeTree } from '../../text/files.ts';
import { withoutExplained } from './explained.ts';
import { textOfBytes } from './paths.ts';

/** What is written when an action begins. */
export type Opening = Pick<KeptAction, 'kind' | 'text' | 'cwd' | 'session' | 'at'> & {
  readonly run?: string;
  /** It applies a trial: cut off, it is taken back. */
  readonly applied?: true;
  /** The process that waits for its end. */
  readonly pid?: number;
  /** Of a command in Project: what it makes in this tree for others to run is set aside. */
  readonly tree?: string;
  /** Of an undo: the action that it takes back. */
  readonly of?: number;
};

export type Recorded = KeptAction &
  Pick<Opening, 'of' | 'applied' | 'pid' | 'tree'> & {
    readonly directory: string;
    /** False: it has ended, and everything is as it was. */
    readonly touched: boolean;
  };

/** A younger one may be another window's that is about to write there. */
const ABANDONED_MS = 3_600_000;

const KINDS: readonly string[] = ['command', 'patch', 'undo'];

export const ACTION = 'action.json';
/** How the launcher says that the command ended. */
export const STATUS = 'status';
/** Of what is no action yet: it is not listed. */
export const TRIAL = 'trial.json';

/** Where an action is kept. */
export type Place = { readonly number: number; readonly directory: string };

/**
 * Makes the directory of a new action under the next free number; private. Throws on a full or unwritable disk.
 * @param spare an empty one that is there already: taken while its number is still the last
 */
export function openRecord(store: string, opening: Opening, file = ACTION, spare?: Place): Place {
  const write = (directory: string) =>
    writeFileSync(join(directory, file), JSON.stringify(opening), { mode: 0o600, flag: 'wx' });
  if (spare && numbersIn(store).at(-1) === spare.number) {
    try {
      write(spare.directory);
      return spare;
    } catch {
      // Another window of this program has tidied it away.
    }
  } else if (spare) dropEmpty(spare.directory);
  makeDirectory(store);
  for (let number = (numbersIn(store).at(-1) ?? 0) + 1; ; number += 1) {
    const directory = join(store, String(number));
    try {
      mkdirSync(directory, { mode: 0o700 });
    } catch (error) {
      // Another window of this program took it.
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') continue;
      throw error;
    }
    write(directory);
    return { number, directory };
  }
}

/** The numbers of all actions, ascending. */
export function numbersIn(store: string): readonly number[] {
  return namesIn(store)
    .filter((name) => /^\d{1,9}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Undefined for what is no action of ours, or can't be read. */
export function readRecord(store: string, number: number, running: ReadonlySet<number>): Recorded | undefined {
  const directory = join(store, String(number));
  // Asked for by name, what most of them do not have would cost as much as what they have.
  const names = new Set(namesIn(directory));
  const text = (name: string) => (names.has(name) ? textOf(join(directory, name)) : undefined);
  const told = {
    opening: text(ACTION),
    summary: text('summary'),
    undone: names.has('undone'),
    notes: withoutExplained({ directory }, readNotes(text('notes') ?? '')),
  };
  return recordFrom({ number, directory }, told, running);
}

/** What stands in the directory of an action, on whatever machine. */
export type Told = {
  readonly opening: string | undefined;
  readonly summary: string | undefined;
  readonly undone: boolean;
  readonly notes: readonly string[];
};

/** Undefined for what is no action of ours. */
export function recordFrom(
  { number, directory }: Place,
  { opening: text, summary, undone, notes }: Told,
  running: ReadonlySet<number>,
): Recorded | undefined {
  const opening = readOpening(text);
  if (!opening) return undefined;
  const state = undone ? 'undone' : running.has(number) ? 'running' : summary === undefined ? 'cut' : 'ended';
  const count = (word: string) => Number(new RegExp(`\\b${word} (\\d+)`).exec(summary ?? '')?.[1] ?? 0);
  return {
    ...opening,
    number,
    directory,
    state,
    touched: !isUntouched(summary),
    created: count('created'),
    deleted: count('deleted'),
    changed: count('changed'),
    moved: count('moved'),
    bytes: count('bytes'),
    complete: !notes.some((note) => /^(?:unkept|unchecked|skipped|secret) /.test(note)),
    notes,
  };
}

/** What the launcher noted of an action or a trial: a word and a path each. */
export function notesOf(directory: string): readonly string[] {
  try {
    return readNotes(textOfBytes(readFileSync(join(directory, 'notes'))));
  } catch {
    return [];
  }
}

export function readNotes(text: string): readonly string[] {
  return text.split('\0').filter((note) => note !== '');
}

/** Marks an action as taken back by another, in one step. */
export function markUndone(store: string, number: number, by: number): void {
  const path = join(store, String(number), 'undone');
  const fresh = `${path}.${randomUUID()}`;
  writeFileSync(fresh, `${by}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(fresh, path);
}

export function unmarkUndone(store: string, number: number): void {
  rmSync(join(store, String(number), 'undone'), { force: true });
}

export function dropRecord({ directory }: Pick<Recorded, 'directory'>): void {
  if (!removeTree(directory)) throw new Error(`${directory} can't be removed`);
}

/** Whether a command has ended, with nothing that could be taken back and nothing that passed by. */
export function leftNothing({ directory }: Pick<Place, 'directory'>): boolean {
  if (!isUntouched(textOf(join(directory, 'summary')))) return false;
  return !existsSync(join(directory, 'notes')) || notesOf(directory).length === 0;
}

/** Whether nothing of a command was begun: its journal is there before its first process is. */
export function neverBegan({ directory }: Pick<Place, 'directory'>): boolean {
  return !existsSync(join(directory, 'journal')) && !existsSync(join(directory, 'summary'));
}

const isUntouched = (summary: string | undefined) => /\btouched 0\b/.test(summary ?? '');

/**
 * Empties the directory of an action in which nothing was kept, for the next one; false: it was not empty, and is gone.
 */
function emptyRecord(action: Pick<Place, 'directory'>): boolean {
  try {
    for (const name of ['journal', 'summary', ACTION, STATUS]) rmSync(join(action.directory, name), { force: true });
    if (namesIn(action.directory).length === 0) return true;
  } catch {
    // Something else is in its place.
  }
  dropRecord(action);
  return false;
}

/** Removes what sessions that have ended left empty. */
export function tidyEmpty(store: string): void {
  for (const number of numbersIn(store)) {
    const directory = join(store, String(number));
    const age = Date.now() - (statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > ABANDONED_MS) dropEmpty(directory);
  }
}

/** Removes a directory that nothing is in: no others. */
function dropEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // It has become somebody's.
  }
}

/** The trial of this number; undefined where there is none, or it has become an action. */
export function readTrial(store: string, number: number): (Opening & { readonly directory: string }) | undefined {
  const directory = join(store, String(number));
  if (textOf(join(directory, ACTION)) !== undefined) return undefined;
  const opening = readOpening(textOf(join(directory, TRIAL)));
  return opening && { ...opening, directory };
}

/** Whether a process with this number is there. */
export function lives(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A trial becomes an action: from here on a crash is taken back. In one step. */
export function markApplied({ directory }: Pick<Place, 'directory'>, opening: Opening): void {
  const fresh = join(directory, `${ACTION}.new`);
  writeFileSync(fresh, JSON.stringify({ ...opening, applied: true }), { mode: 0o600 });
  renameSync(fresh, join(directory, ACTION));
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function readOpening(text: string | undefined): Opening | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isOpening(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isOpening(value: unknown): value is Opening {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, text, cwd, session, at, run, of, pid, tree }: Partial<Record<keyof Opening, unknown>> = value;
  return (
    typeof kind === 'string' &&
    KINDS.includes(kind) &&
    [text, cwd, session].every((field) => typeof field === 'string') &&
    typeof at === 'number' &&
    [run, tree].every((field) => field === undefined || typeof field === 'string') &&
    [of, pid].every((field) => field === undefined || typeof field === 'number')
  );
}

/** Records of commands that changed nothing, which are most: emptied when nobody waits for that, and used again. */
export class EmptyRecords {
  /** Of commands that have ended. */
  #full: Place[] = [];
  #soon: NodeJS.Immediate | undefined;
  /** Making and removing a directory for each command costs more than all else that is written. */
  #spare: Place | undefined;

  /** An empty directory for the next action. */
  get spare(): Place | undefined {
    return this.#spare;
  }

  /**
   * Its record goes behind what this turn of the event loop still has to do: the model's next request is sent in it.
   */
  add(place: Place): void {
    this.#full.push(place);
    this.#soon ??= setImmediate(() => this.settle());
  }

  /** None of them is there any more. To be called before anybody looks at the store. Never throws. */
  settle(): void {
    clearImmediate(this.#soon);
    this.#soon = undefined;
    for (const place of this.#full.splice(0)) this.#empty(place);
  }

  /** The spare one, which is the caller's from now on. */
  take(): Place | undefined {
    this.settle();
    const spare = this.#spare;
    this.#spare = undefined;
    return spare;
  }

  #empty(place: Place): void {
    try {
      if (!emptyRecord(place)) return;
    } catch {
      // It stays in the list until the next program drops it.
      return;
    }
    if (this.#spare) dropEmpty(this.#spare.directory);
    this.#spare = place;
  }
}
