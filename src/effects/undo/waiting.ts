/**
 * What an action in Project left, as it stands beside the action: so that a question outlasts the program that asks it.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recorded } from './record.ts';

/** A path that is set aside with all below it, and what it is to others. */
export type Later = {
  readonly path: string;
  readonly what: string;
  /** It changed past the store, which therefore can't take it out of the tree. */
  readonly unkept?: true;
};

/** What is set aside until the user has spoken. */
export type Waiting = {
  /** The action that holds it. */
  readonly aside: number;
  readonly later: readonly Later[];
  readonly diff: string;
  /** It could not be taken out of the tree, or not all of it. */
  readonly stays: boolean;
};

type Place = Pick<Recorded, 'directory'>;

const WAITS = 'waits.json';
const MADE = 'made';

/** Undefined where nothing waits. */
export function readWaiting({ directory }: Place): Waiting | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(directory, WAITS), 'utf8'));
    return isWaiting(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** In one step. On a full disk nothing is written: then the question ends with the program. */
export function writeWaiting({ directory }: Place, waiting: Waiting): void {
  try {
    const path = join(directory, WAITS);
    writeFileSync(`${path}.new`, JSON.stringify(waiting), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // What is set aside stays so, and is in the list.
  }
}

/** The user has spoken. */
export function forgetWaiting({ directory }: Place): void {
  rmSync(join(directory, WAITS), { force: true });
}

/** What of it the session made, as `Provenance` tells it; undefined: nobody has looked at what the action left. */
export function readMade({ directory }: Place): string | undefined {
  try {
    return readFileSync(join(directory, MADE), 'utf8');
  } catch {
    return undefined;
  }
}

export function writeMade({ directory }: Place, made: string): void {
  try {
    writeFileSync(join(directory, MADE), made, { mode: 0o600 });
  } catch {
    // The next program looks again.
  }
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
