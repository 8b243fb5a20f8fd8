import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Removes a directory with its contents, even where a command has removed its owner's right to read parts of it. Never
 * throws: files of a hostile command must not end the program. Returns whether it is gone.
 */
export function removeTree(path: string): boolean {
  if (removed(path)) return true;
  openUp(Buffer.from(path));
  return removed(path);
}

function removed(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes directories readable, but not files, which may have another name elsewhere. Names are bytes, since they need
 * not be UTF-8.
 */
function openUp(directory: Buffer): void {
  try {
    chmodSync(directory, 0o700);
    for (const entry of readdirSync(directory, { withFileTypes: true, encoding: 'buffer' }))
      if (entry.isDirectory()) openUp(Buffer.concat([directory, Buffer.from('/'), entry.name]));
  } catch {
    // The directory belongs to somebody else, is gone, or has too long a path: the others are still opened.
  }
}

/** Returns the first bytes of a file as text, however large the file is. Throws where it can't be read. */
export function readBeginning(path: string, maxBytes: number): string {
  return readPart(path, maxBytes, () => 0);
}

/** Returns the last bytes of a file as text. Throws where it can't be read. */
export function readEnd(path: string, maxBytes: number): string {
  return readPart(path, maxBytes, (size) => Math.max(0, size - maxBytes));
}

function readPart(path: string, maxBytes: number, from: (size: number) => number): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxBytes);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, maxBytes, from(fstatSync(file).size)));
  } finally {
    closeSync(file);
  }
}

/** Returns the text of a plain file; undefined where there is none, or where it is longer than `maxBytes`. */
export async function readBounded(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    // Opening a pipe that somebody put there would block.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      return stats.isFile() && stats.size <= maxBytes ? await file.readFile('utf8') : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/**
 * Makes a private directory and missing ones above it, unless they exist. Node's own way never returns where the system
 * reports an existing directory as missing, as in /proc.
 */
export function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    const above = dirname(path);
    if (above === path || existsSync(above)) throw error;
    makeDirectory(above);
    mkdirSync(path, { mode: 0o700 });
  }
}
