/** Records beside an action its files that wait for the user’s decision, so that the question outlasts the program. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreDisk } from './disk.ts';
import type { Recorded } from './record.ts';

/** A path that is set aside with everything below it, and the reason. */
export type Later = {
  readonly path: string;
  readonly what: string;
  /** Whether the file’s change was not recorded, so that the store can’t take the file out of the tree. */
  readonly unkept?: true;
};

/** The files that are set aside until the user decides. */
export type Waiting = {
  /** The number of the action that holds them. */
  readonly aside: number;
  readonly later: readonly Later[];
  readonly diff: string;
  /** Whether they could not be taken out of the tree completely. */
  readonly stays: boolean;
};

type Place = Pick<Recorded, 'directory'>;

const WAITS = 'waits.json';
const MADE = 'made';

/** Returns the waiting files of an action; undefined if there are none. */
export function readWaiting({ directory }: Place): Waiting | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(directory, WAITS), 'utf8'));
    return isWaiting(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Records them in one step. On a full disk nothing is written: then the question ends with the program. */
export function writeWaiting({ directory }: Place, waiting: Waiting): void {
  try {
    const path = join(directory, WAITS);
    writeFileSync(`${path}.new`, JSON.stringify(waiting), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // The files stay set aside, and are listed.
  }
}

/** Removes the record after the user’s decision. */
export function forgetWaiting({ directory }: Place): void {
  rmSync(join(directory, WAITS), { force: true });
}

/** Returns which of the files the session made, in the form of `Provenance`; undefined if nobody has checked. */
export function readMade({ directory }: Place): string | undefined {
  try {
    return readFileSync(join(directory, MADE), 'utf8');
  } catch {
    return undefined;
  }
}

/** Records the files that the session made. Never rejects: without the record the next program checks them again. */
export async function writeMade(disk: StoreDisk, { directory }: Place, made: string): Promise<void> {
  await disk.put(join(directory, MADE), made).catch(() => undefined);
}

function isWaiting(value: unknown): value is Waiting {
  if (typeof value !== 'object' || value === null) return false;
  const { aside, later, diff, stays }: Partial<Record<keyof Waiting, unknown>> = value;
  return (
    typeof aside === 'number' &&
    typeof diff === 'string' &&
    typeof stays === 'boolean' &&
    Array.isArray(later) &&
    later.every(isLater)
  );
}

function isLater(value: unknown): value is Later {
  if (typeof value !== 'object' || value === null) return false;
  const { path, what }: Partial<Record<keyof Later, unknown>> = value;
  return typeof path === 'string' && typeof what === 'string';
}
