import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownedPrefix } from '../../executor/index.ts';

/** Longer paths leave no room for the name of a socket. */
const MAX_PARENT_CHARS = 40;

/** Makes a private directory whose path is short enough for sockets. @param use a word of few letters */
export function socketFolder(use: string): string {
  return mkdtempSync(join(tmpdir().length > MAX_PARENT_CHARS ? '/tmp' : tmpdir(), ownedPrefix(use)));
}
