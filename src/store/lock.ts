import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from '../text/files.ts';

/** Only rivals at the same instant cost a second one. */
const MAX_TRIES = 50;

/** Idempotent. */
export type Lock = { release(): void };

/**
 * Takes a session for this process: two programs on one journal would tear it. `heldBy` is the other's process id, 0 if
 * it could not be found out. A lock whose process is gone is taken
 * over. Where the folder can't be written (or has no links) the lock is held in name only: the journal will say why.
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

/** Whether a process that is there holds the session. */
export function isLocked(folder: string): boolean {
  const held = read(join(folder, 'lock'));
  return held !== undefined && isRunning(Number.parseInt(held, 10), held);
}

function take(path: string, own: string, mark: string): Lock | { readonly heldBy: number } {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    // A link is there as a whole or not at all, with its text.
    if (link(own, path)) return { release: () => released(path, mark) };
    const held = read(path);
    if (held === undefined) continue;
    const holder = Number.parseInt(held, 10);
    if (held !== mark && isRunning(holder, held)) return { heldBy: holder };
    // Another program may do the same at this moment: what is moved away must be what was found stale.
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

/** A number may be given to another process after the first has ended; with its start time it is one of a kind. */
export function markOf(pid: number): string {
  return `${pid} ${startOf(pid) ?? ''}`.trim();
}

/** Whether the process of a mark is there. */
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
