import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionEvent } from '../session/event.ts';
import { parseRecord } from './record.ts';

/** Bytes. */
const BEGINNING = 32 * 1024;

export type ReadJournal = {
  readonly events: readonly SessionEvent[];
  /** Lines that are no records. */
  readonly skipped: number;
  /** The last line is one of them: the program was killed while it wrote, which is normal. */
  readonly tornTail: boolean;
  /** Records of a later version of the program; what they say is missing from `events`. */
  readonly newer: number;
  /** Why nothing could be read of a file that is there. */
  readonly problem?: string;
};

/** Reads a whole journal. A missing file is an empty one. */
export async function readJournal(path: string): Promise<ReadJournal> {
  try {
    return parse(await readFile(path, 'utf8'));
  } catch (error) {
    const nothing = { events: [], skipped: 0, tornTail: false, newer: 0 };
    if (!(error instanceof Error) || ('code' in error && error.code === 'ENOENT')) return nothing;
    return { ...nothing, problem: error.message };
  }
}

function parse(text: string): ReadJournal {
  // A write that failed after the disk had it is written again; the same line twice is one record.
  const lines = [...new Set(text.split('\n').filter((line) => line !== ''))];
  const parsed = lines.map((line) => parseRecord(line));
  const count = (kind: 'broken' | 'newer') => parsed.filter((one) => one.kind === kind).length;
  return {
    events: parsed.flatMap((one) => (one.kind === 'event' ? [one.event] : [])),
    skipped: count('broken'),
    tornTail: parsed.at(-1)?.kind === 'broken',
    newer: count('newer'),
  };
}

export type SessionSummary = {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly lastAt: number;
  readonly cwd: string;
  /** The first question or goal. */
  readonly title: string;
};

/** The journal's file of a session. */
export function journalPath(dir: string, id: string): string {
  return join(dir, id, 'journal.jsonl');
}

/** The sessions below `dir` in which something was said, newest first, at most `most`. */
export async function listSessions(dir: string, most = 50): Promise<readonly SessionSummary[]> {
  const names = await readdir(dir).catch(() => []);
  const dated = await Promise.all(
    names.map(async (id) => ({ id, at: (await stat(journalPath(dir, id)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const newest = dated.filter(({ at }) => at > 0).sort((a, b) => b.at - a.at);
  const found: SessionSummary[] = [];
  for (const { id, at } of newest) {
    if (found.length >= most) break;
    const path = journalPath(dir, id);
    const summary = summaryOf(id, at, await readBeginning(path)) ?? summaryOf(id, at, (await readJournal(path)).events);
    if (summary) found.push(summary);
  }
  return found;
}

/** The events of the first part of a journal; enough for a list in all but odd cases. */
async function readBeginning(path: string): Promise<readonly SessionEvent[]> {
  const file = await open(path, 'r').catch(() => undefined);
  try {
    const { buffer, bytesRead = 0 } = (await file?.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0)) ?? {};
    const text = buffer?.toString('utf8', 0, bytesRead) ?? '';
    return parse(text.slice(0, text.lastIndexOf('\n') + 1)).events;
  } catch {
    return [];
  } finally {
    await file?.close();
  }
}

function summaryOf(id: string, lastAt: number, events: readonly SessionEvent[]): SessionSummary | undefined {
  const [first] = events;
  if (first?.type !== 'opened') return undefined;
  for (const event of events) {
    const title =
      event.type === 'asked'
        ? event.text
        : event.type === 'norrisStarted'
          ? event.goal
          : event.type === 'shellStarted'
            ? event.line
            : undefined;
    if (title !== undefined)
      return { id, startedAt: first.at, lastAt, cwd: first.cwd, title: title.split('\n')[0] ?? '' };
  }
  return undefined;
}
