/** Which project files the user trusts: by real path and content, so that a changed file is asked about again. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonObject } from '../text/json.ts';
import { writePrivate } from './write.ts';

export type Trust = {
  has(realPath: string, text: string): boolean;
  /** Remembers the answer. False when it could not be kept; it then holds for this run alone. */
  add(realPath: string, text: string): boolean;
};

/** The answers kept below the state directory, in `trust.json`. A file that can't be read trusts nothing. */
export function createTrust(stateDir: string): Trust {
  const path = join(stateDir, 'trust.json');
  const known = read(path);
  return {
    has: (realPath, text) => known.get(realPath) === digest(text),
    add(realPath, text) {
      known.set(realPath, digest(text));
      return writePrivate(path, `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`) === undefined;
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function read(path: string): Map<string, string> {
  try {
    const entries = Object.entries(parseJsonObject(readFileSync(path, 'utf8')) ?? {});
    return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  } catch {
    return new Map();
  }
}
