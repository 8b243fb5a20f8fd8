import { chmodSync, readdirSync, rmSync } from 'node:fs';

/**
 * Removes a directory with all that is in it, also where a command took away its owner's right to look into parts of it.
 * Never throws: what a hostile command leaves behind must not end the program. Returns whether it is gone.
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
