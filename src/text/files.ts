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
 * Removes a directory with all that is in it, also where a command took away its owner's right to look into parts of
 * it. Never throws: what a hostile command leaves behind must not end the program. Returns whether it is gone.
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

/** Directories alone: another name of a file may lie elsewhere. Names are bytes, since they need not be UTF-8. */
function openUp(directory: Buffer): void {
  try {
    chmodSync(directory, 0o700);
    for (const entry of readdirSync(directory, { withFileTypes: true, encoding: 'buffer' }))
      if (entry.isDirectory()) openUp(Buffer.concat([directory, Buffer.from('/'), entry.name]));
  } catch {
    // Not ours, gone, or too deep to be named: what else can be opened is.
  }
}

/** The first bytes of a file as text, however large it is. Throws where it can't be read. */
export function readBeginning(path: string, maxBytes: number): string {
  return readPart(path, maxBytes, () => 0);
}

/** The same of its last bytes. */
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

/** The text of a plain file; undefined where there is none, or where it is longer than `maxBytes`. */
export async function readBounded(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    // A pipe that somebody put there would never open.
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
 * Makes a private directory and what is missing above it; fine where it is there. Node's own way to do so never ends
 * where the system says that a directory which is there is not, as in /proc.
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
