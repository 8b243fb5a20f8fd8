/**
 * Manages the disk space of sessions: a budget removes saved outputs; only the user removes whole sessions. Also
 * stores the user's choices for ambiguous lines, in a small separate file.
 */
import { appendFileSync, type Dirent, readFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DiskBudget, OldSession } from '../contracts/store.ts';
import { makeDirectory } from '../text/files.ts';
import { isJsonObject, parseJson } from '../text/json.ts';
import { isLocked } from './lock.ts';

/** The folder of saved outputs within a session's folder. */
export const OUTPUT_FOLDER = 'output';

type SavedFile = { readonly session: string; readonly path: string; readonly at: number; readonly bytes: number };

/**
 * Removes saved outputs that are older than the budget's days, then the oldest until the rest fits. Skips sessions that
 * any process has open, and journals. Returns the bytes that were freed.
 */
export async function pruneOutputs(
  sessionsDir: string,
  { totalBytes, days }: DiskBudget,
  now: number,
): Promise<number> {
  const files = (await Promise.all((await foldersIn(sessionsDir)).map((id) => outputsOf(sessionsDir, id)))).flat();
  const open = new Map<string, boolean>();
  const oldest = now - days * MS_PER_DAY;
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let freed = 0;
  for (const { session, path, at, bytes } of files.sort((a, b) => a.at - b.at)) {
    if (at >= oldest && total <= totalBytes) break;
    if (!open.has(session)) open.set(session, isLocked(join(sessionsDir, session)));
    if (open.get(session) === true) continue;
    await rm(path, { force: true });
    total -= bytes;
    freed += bytes;
  }
  return freed;
}

/** Returns sessions that are not open and in which nothing has happened for this many days, the oldest first. */
export async function oldSessions(sessionsDir: string, days: number, now: number): Promise<readonly OldSession[]> {
  const found: OldSession[] = [];
  for (const id of await foldersIn(sessionsDir)) {
    const folder = join(sessionsDir, id);
    const lastAt = await newestIn(folder);
    if (lastAt >= now - days * MS_PER_DAY || isLocked(folder)) continue;
    found.push({ id, lastAt, bytes: await bytesIn(folder) });
  }
  return found.sort((a, b) => a.lastAt - b.lastAt);
}

/** Removes those of the sessions that are still that old and not open, and returns how many. */
export async function removeSessions(sessionsDir: string, sessions: readonly OldSession[]): Promise<number> {
  let count = 0;
  for (const { id, lastAt } of sessions) {
    const folder = join(sessionsDir, id);
    if (isLocked(folder) || (await newestIn(folder)) !== lastAt) continue;
    await rm(folder, { recursive: true, force: true });
    count += 1;
  }
  return count;
}

const MS_PER_DAY = 24 * 60 * 60 * 1000;

async function outputsOf(sessionsDir: string, session: string): Promise<readonly SavedFile[]> {
  const folder = join(sessionsDir, session, OUTPUT_FOLDER);
  const files: SavedFile[] = [];
  for (const entry of await entriesOf(folder)) {
    if (!entry.isFile()) continue;
    const path = join(folder, entry.name);
    const { mtimeMs = 0, size = 0 } = (await stat(path).catch(() => undefined)) ?? {};
    files.push({ session, path, at: mtimeMs, bytes: size });
  }
  return files;
}

/** Returns when a file in a session's folder was last written. */
async function newestIn(folder: string): Promise<number> {
  const names = (await entriesOf(folder)).filter((entry) => entry.isFile()).map(({ name }) => name);
  const times = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mtimeMs));
  return times.length > 0 ? Math.max(...times) : ((await stat(folder).catch(() => undefined))?.mtimeMs ?? 0);
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? await bytesIn(path) : ((await stat(path).catch(() => undefined))?.size ?? 0);
  }
  return bytes;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  return (await entriesOf(folder)).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

// How the user routed lines that could have been a command or a question (IN-9): a shape of line, and the choice.

type Choices = {
  of(shape: string): 'shell' | 'ai' | undefined;
  add(shape: string, kind: 'shell' | 'ai'): void;
};

/**
 * Opens the choices at `path`, one JSON row each, 0600; the last one of a shape counts. If the file can't be written,
 * choices only last for the session.
 */
export function openChoices(path: string): Choices {
  let known: Map<string, 'shell' | 'ai'> | undefined;
  const read = () => {
    known ??= new Map(rowsOf(path));
    return known;
  };
  return {
    of: (shape) => read().get(shape),
    add(shape, kind) {
      if (read().get(shape) === kind) return;
      read().set(shape, kind);
      try {
        makeDirectory(dirname(path));
        appendFileSync(path, `${JSON.stringify({ shape, kind })}\n`, { mode: 0o600 });
      } catch {
        // The choice lasts for this session.
      }
    },
  };
}

function rowsOf(path: string): readonly (readonly [string, 'shell' | 'ai'])[] {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    // There are no choices yet.
  }
  return text.split('\n').flatMap((row) => {
    const value = parseJson(row);
    if (!isJsonObject(value) || typeof value.shape !== 'string') return [];
    return value.kind === 'shell' || value.kind === 'ai' ? [[value.shape, value.kind] as const] : [];
  });
}
