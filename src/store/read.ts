import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionEvent } from '../session/event.ts';
import { parseRecord } from './record.ts';

export type ReadJournal = {
  readonly events: readonly SessionEvent[];
  /** Lines that are no records: a torn last one is normal after a crash. */
  readonly skipped: number;
};

/** Reads a whole journal. A missing file is an empty one. */
export async function readJournal(path: string): Promise<ReadJournal> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  const events = lines.map(parseRecord).filter((event) => event !== undefined);
  return { events, skipped: lines.length - events.length };
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
    const summary = summaryOf(id, at, (await readJournal(journalPath(dir, id))).events);
    if (summary) found.push(summary);
  }
  return found;
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
