/** One action's directory in the store, as Node reads it: who wrote it, how it ended, and the notes on its changes. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeptAction } from '../../contracts/undo.ts';
import { makeDirectory, removeTree } from '../../text/files.ts';
import { withoutExplained } from './explained.ts';
import { textOfBytes } from './paths.ts';

/** The data written when an action begins. */
export type Opening = Pick<KeptAction, 'kind' | 'text' | 'cwd' | 'session' | 'at'> & {
  readonly run?: string;
  /** Whether it applies a trial; if interrupted, it is reverted. */
  readonly applied?: true;
  /** The id of the process that waits for its end. */
  readonly pid?: number;
  /** For a command in Project: the tree in which files that others run are set aside. */
  readonly tree?: string;
  /** For an undo: the action that it undoes. */
  readonly of?: number;
};

export type Recorded = KeptAction &
  Pick<Opening, 'of' | 'applied' | 'pid' | 'tree'> & {
    readonly directory: string;
    /** Whether it changed anything, or is still running. */
    readonly touched: boolean;
    /** On a host: whether the program that began the action is no longer connected. */
    readonly abandoned?: boolean;
    /** On a host: whether the files that the action left were checked. */
    readonly seen?: boolean;
  };

/** A newer directory without a record may belong to another window that is about to write there, in ms. */
const ABANDONED_MS = 3_600_000;

const KINDS: readonly string[] = ['command', 'patch', 'undo'];

export const ACTION = 'action.json';
/** The name of the launcher’s report about the command’s end. */
export const STATUS = 'status';
/** The name of a trial’s record; a directory with it is not listed as an action. */
export const TRIAL = 'trial.json';

/** The number and directory of an action. */
export type Place = { readonly number: number; readonly directory: string };

/**
 * Creates the private directory of a new action under the next free number. Throws on a full or read-only disk.
 * @param spare an existing empty directory, which is used while its number is the last one
 */
export function openRecord(store: string, opening: Opening, file = ACTION, spare?: Place): Place {
  const write = (directory: string) =>
    writeFileSync(join(directory, file), JSON.stringify(opening), { mode: 0o600, flag: 'wx' });
  if (spare && numbersIn(store).at(-1) === spare.number) {
    try {
      write(spare.directory);
      return spare;
    } catch {
      // Another window of this program has removed it.
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

/** Returns the numbers of all actions in ascending order. */
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

/** Returns the record of an action; undefined for a directory that is not ours or can’t be read. */
export function readRecord(store: string, number: number, running: ReadonlySet<number>): Recorded | undefined {
  const directory = join(store, String(number));
  // One directory listing: opening each optional file, most of which don’t exist, would cost more.
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

/** The contents of an action’s directory, here or on a host. */
export type Told = {
  readonly opening: string | undefined;
  readonly summary: string | undefined;
  readonly undone: boolean;
  readonly notes: readonly string[];
} & Pick<Recorded, 'abandoned' | 'seen'>;

/** Parses the record of an action; undefined if it is not one of ours. */
export function recordFrom(
  { number, directory }: Place,
  { opening: text, summary, undone, notes, ...more }: Told,
  running: ReadonlySet<number>,
): Recorded | undefined {
  const opening = readOpening(text);
  if (!opening) return undefined;
  const state = undone ? 'undone' : running.has(number) ? 'running' : summary === undefined ? 'cut' : 'ended';
  const count = (word: string) => Number(new RegExp(`\\b${word} (\\d+)`).exec(summary ?? '')?.[1] ?? 0);
  return {
    ...opening,
    ...more,
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

/** Returns the launcher’s notes on an action or a trial: a word and a path each. */
export function notesOf(directory: string): readonly string[] {
  try {
    return readNotes(textOfBytes(readFileSync(join(directory, 'notes'))));
  } catch {
    return [];
  }
}

function readNotes(text: string): readonly string[] {
  return text.split('\0').filter((note) => note !== '');
}

export function dropRecord({ directory }: Pick<Recorded, 'directory'>): void {
  if (!removeTree(directory)) throw new Error(`${directory} can't be removed`);
}

/** Returns whether a command has ended without any change, recorded or not. */
export function leftNothing({ directory }: Pick<Place, 'directory'>): boolean {
  if (!isUntouched(textOf(join(directory, 'summary')))) return false;
  return !existsSync(join(directory, 'notes')) || notesOf(directory).length === 0;
}

/** Returns whether a command never began: its journal exists before its first process. */
export function neverBegan({ directory }: Pick<Place, 'directory'>): boolean {
  return !existsSync(join(directory, 'journal')) && !existsSync(join(directory, 'summary'));
}

const isUntouched = (summary: string | undefined) => /\btouched 0\b/.test(summary ?? '');

/**
 * Empties the directory of an action without changes for reuse; returns false if it was removed instead, since it was
 * not empty.
 */
function emptyRecord(action: Pick<Place, 'directory'>): boolean {
  try {
    for (const name of ['journal', 'summary', ACTION, STATUS]) rmSync(join(action.directory, name), { force: true });
    if (namesIn(action.directory).length === 0) return true;
  } catch {
    // Something else has replaced it.
  }
  dropRecord(action);
  return false;
}

/** Removes the empty records of sessions that have ended. */
export function tidyEmpty(store: string): void {
  for (const number of numbersIn(store)) {
    const directory = join(store, String(number));
    const age = Date.now() - (statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > ABANDONED_MS) dropEmpty(directory);
  }
}

/** Removes an empty directory, and no other. */
function dropEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // The record is in use again.
  }
}

/** Returns the trial with this number; undefined if there is none, or it has become an action. */
export function readTrial(store: string, number: number): (Opening & { readonly directory: string }) | undefined {
  const directory = join(store, String(number));
  if (textOf(join(directory, ACTION)) !== undefined) return undefined;
  const opening = readOpening(textOf(join(directory, TRIAL)));
  return opening && { ...opening, directory };
}

/** Returns whether a process with this id exists. */
export function lives(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
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

/** Records of commands that changed nothing, as most do: they are emptied when the program is idle, and reused. */
export class EmptyRecords {
  /** Records of commands that have ended. */
  #full: Place[] = [];
  #soon: NodeJS.Immediate | undefined;
  /** An emptied directory for reuse: creating and removing one for each command costs more than all other writes. */
  #spare: Place | undefined;

  /** An empty directory for the next action. */
  get spare(): Place | undefined {
    return this.#spare;
  }

  /** Adds a record, which is emptied after this turn of the event loop, in which the model’s next request is sent. */
  add(place: Place): void {
    this.#full.push(place);
    this.#soon ??= setImmediate(() => this.settle());
  }

  /** Empties all records. Call it before reading the store. Never throws. */
  settle(): void {
    clearImmediate(this.#soon);
    this.#soon = undefined;
    for (const place of this.#full.splice(0)) this.#empty(place);
  }

  /** Returns the spare directory, which then belongs to the caller. */
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
      // The record stays in the list until the next program removes it.
      return;
    }
    if (this.#spare) dropEmpty(this.#spare.directory);
    this.#spare = place;
  }
}
