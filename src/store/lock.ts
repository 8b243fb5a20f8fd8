import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../text/files.ts';

/** A second try is only needed when rivals act at the same instant. */
const MAX_TRIES = 50;

/** A held lock; `release` is idempotent. */
export type Lock = { release(): void };

/**
 * Locks a session for this process: two programs on one journal would tear it. `heldBy` is the other's process id, 0 if
 * it could not be found out. A lock whose process is gone is taken over. Where the folder can't be written (or has no
 * links) the lock is only nominal: the journal will report why.
 */
export function lockSession(folder: string): Lock | { readonly heldBy: number } {
  const path = join(folder, 'lock');
  const own = join(folder, `lock.${process.pid}`);
  const mark = markOf(process.pid);
  try {
    makeDirectory(folder);
    writeFileSync(own, mark, { mode: 0o600 });
  } catch {
    return { release: () => {} };
  }
  try {
    return take(path, own, mark);
  } catch {
    return { release: () => {} };
  } finally {
    rmSync(own, { force: true });
  }
}

/** Returns whether a running process holds the session. */
export function isLocked(folder: string): boolean {
  const held = read(join(folder, 'lock'));
  return held !== undefined && isRunning(Number.parseInt(held, 10), held);
}

function take(path: string, own: string, mark: string): Lock | { readonly heldBy: number } {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    // A link appears at once with its whole text.
    if (link(own, path)) return { release: () => released(path, mark) };
    const held = read(path);
    if (held === undefined) continue;
    const holder = Number.parseInt(held, 10);
    if (held !== mark && isRunning(holder, held)) return { heldBy: holder };
    // Another program may do the same at this moment: only the lock that was found stale may be moved away.
    const away = `${own}.stale`;
    if (!moved(path, away)) continue;
    if (read(away) !== held) link(away, path);
    rmSync(away, { force: true });
  }
  return { heldBy: 0 };
}

function released(path: string, mark: string): void {
  if (read(path) === mark) rmSync(path, { force: true });
}

/** Returns a mark unique to a process: its id may be reused after it has ended, so its start time is added. */
export function markOf(pid: number): string {
  return `${pid} ${startOf(pid) ?? ''}`.trim();
}

/** Returns whether the process of a mark is running. */
export function isRunning(pid: number, mark: string): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return mark === String(pid) || mark === markOf(pid);
}

/** Field 22 of /proc/PID/stat, in clock ticks since boot (proc(5)); the name before it may hold blanks and brackets. */
function startOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
