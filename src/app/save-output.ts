/** What a command printed, saved by the user's wish. */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Names tried before it is given up. */
const MAX_NAMES = 100;

/**
 * Writes a new file, 0600, named after the command; its path. Nothing that is there is written over.
 * @param file the full text, where only a part of it is at hand
 */
export async function saveOutput(folder: string, command: string, text: string, file?: string): Promise<string> {
  const name = (/[\w.-]+/.exec(command)?.[0] ?? 'output').replace(/^[.-]+/, '') || 'output';
  for (let count = 1; count <= MAX_NAMES; count += 1) {
    const path = join(folder, count === 1 ? `${name}.out.txt` : `${name}.out.${count}.txt`);
    try {
      if (file === undefined) await writeFile(path, text === '' ? '' : `${text}\n`, { mode: 0o600, flag: 'wx' });
      else await copyFile(file, path, constants.COPYFILE_EXCL);
      return path;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  throw new Error(`${name}.out.txt and its like are all there`);
}

/** Writes a new file, 0600, of this name; its path. Rejects with one line where it can't be made. */
export async function saveNew(folder: string, name: string, text: string): Promise<string> {
  const path = resolve(folder, name);
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return path;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new Error(`${path} is there already`);
    throw error;
  }
}

/** Writes a text beside the session's full outputs, 0600; its path. */
export async function keepOutput(folder: string, text: string): Promise<string> {
  const path = join(folder, `last-${randomBytes(6).toString('hex')}.txt`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  return path;
}
