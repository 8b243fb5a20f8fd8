import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Lock = { release(): void };

/** Takes a session for this process: two programs on one journal would tear it. A lock of a dead process is taken over. */
export function lockSession(folder: string): Lock | { readonly heldBy: number } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'lock');
  const own = join(folder, `lock.${process.pid}`);
  writeFileSync(own, String(process.pid), { mode: 0o600 });
  try {
    for (let tries = 0; tries < 2; tries += 1) {
      try {
        // A link is there as a whole or not at all, with its text.
        linkSync(own, path);
        return { release: () => rmSync(path, { force: true }) };
      } catch {
        const holder = Number(readFileSync(path, { encoding: 'utf8', flag: 'r' }));
        if (holder !== process.pid && isAlive(holder)) return { heldBy: holder };
        rmSync(path, { force: true });
      }
    }
    return { heldBy: 0 };
  } finally {
    rmSync(own, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
