/** Memories carried from session to session (CX-5): one short summary each, in `memory.jsonl`, 0600. */

import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Memory } from '../contracts/store.ts';
import { makeDirectory } from '../text/files.ts';
import { parseJsonObject } from '../text/json.ts';
import { clean, plainText } from '../text/sanitize.ts';

export type MemoryFile = {
  /**
   * Returns the latest note of each session, newest first. Reads the file each time, since other programs write to it
   * as well.
   */
  list(): readonly Memory[];
  /** Throws when the file can't be written. */
  add(memory: Memory): void;
  /** Removes the session's memory from the file. Throws when it can't be written. */
  forget(session: string): void;
};

/** The most characters of one memory. Ten of them must not fill a small window. */
const MAX_MEMORY_CHARS = 500;

/**
 * Opens the memory at `path`; the file need not exist.
 * @param hide the secrets filter, applied to every memory (SE-2)
 */
export function openMemory(path: string, hide: (text: string) => string): MemoryFile {
  const list = () => newestFirst(readRows(path));
  return {
    list,
    add(memory) {
      makeDirectory(dirname(path));
      appendFileSync(path, `${JSON.stringify({ ...memory, text: tidy(hide(memory.text)) })}\n`, { mode: 0o600 });
    },
    forget(session) {
      const rest = list().filter((memory) => memory.session !== session);
      const fresh = `${path}.${process.pid}`;
      const rows = [...rest].reverse().map((memory) => `${JSON.stringify(memory)}\n`);
      writeFileSync(fresh, rows.join(''), { mode: 0o600 });
      renameSync(fresh, path);
    },
  };
}

/**
 * Returns the memories that are relevant in `cwd`, newest first: those of that directory, of one above it or below it.
 * @param most the most memories to return
 */
export function relevantMemories(memories: readonly Memory[], cwd: string, most: number): readonly Memory[] {
  return memories.filter((memory) => isWithin(memory.cwd, cwd) || isWithin(cwd, memory.cwd)).slice(0, most);
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Returns one line of plain text: a model wrote it, and it goes into later prompts. */
function tidy(text: string): string {
  const line = plainText(clean(text)).replace(/\s+/g, ' ').trim();
  return line.length > MAX_MEMORY_CHARS ? `${line.slice(0, MAX_MEMORY_CHARS - 1)}…` : line;
}

function newestFirst(rows: readonly Memory[]): readonly Memory[] {
  const last = new Map<string, Memory>();
  for (const row of rows) {
    // Set again, so that the order is that of the latest notes.
    last.delete(row.session);
    last.set(row.session, row);
  }
  return [...last.values()].reverse();
}

function readRows(path: string): readonly Memory[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap(rowOf);
}

/** Skips a line that is not a note (torn, or edited by hand). */
function rowOf(line: string): readonly Memory[] {
  const { session, at, cwd, text } = parseJsonObject(line) ?? {};
  if (typeof session !== 'string' || typeof at !== 'number' || typeof cwd !== 'string' || typeof text !== 'string')
    return [];
  return [{ session, at, cwd, text: tidy(text) }];
}
