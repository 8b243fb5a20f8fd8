import { open, readdir, readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionSummary } from '../contracts/store.ts';
import type { SessionEvent } from '../session/event.ts';
import { parseRecord } from './record.ts';

/** Bytes. */
const BEGINNING_BYTES = 32 * 1024;

export type ReadJournal = {
  /** Everything up to the first damage. */
  readonly events: readonly SessionEvent[];
  /** How much of the file these events take, in bytes; what follows is torn or damaged. */
  readonly goodBytes: number;
  /** Bytes at the end that are not a record: usually a last line that was cut off while it was written. */
  readonly tornBytes: number;
  /** Where the file can't be believed any more, as `line 12 is unreadable`; what follows is not among the events. */
  readonly damage?: string;
  /** A later version of the program wrote the rest. */
  readonly newer: boolean;
  /** Why nothing could be read of a file that is there. */
  readonly problem?: string;
};

const NOTHING: ReadJournal = { events: [], goodBytes: 0, tornBytes: 0, newer: false };

/** Bytes that are parsed between two looks at the keys: some milliseconds of work. */
const BYTES_PER_TURN = 256 * 1024;

/**
 * Reads a whole journal. A missing file is an empty one.
 * @param turn lets keys through between two pieces of work
 */
export async function readJournal(path: string, turn = async () => {}): Promise<ReadJournal> {
  try {
    const parsing = parsed(await readFile(path));
    for (;;) {
      const step = parsing.next();
      if (step.done) return step.value;
      await turn();
    }
  } catch (error) {
    if (!(error instanceof Error) || ('code' in error && error.code === 'ENOENT')) return NOTHING;
    return { ...NOTHING, problem: error.message };
  }
}

/**
 * Reads records as long as their numbers follow one another. A line that can't be read and leaves no gap is the rest of a
 * write that was cut off and begun anew on the next line; one that leaves a gap is damage, and nothing behind it counts:
 * folding on would lead to another session.
 */
export function parseJournal(bytes: Buffer): ReadJournal {
  const parsing = parsed(bytes);
  for (;;) {
    const step = parsing.next();
    if (step.done) return step.value;
  }
}

/** Pauses between pieces of work. */
function* parsed(bytes: Buffer): Generator<undefined, ReadJournal> {
  const events: SessionEvent[] = [];
  /** Where the line of each event is. */
  const starts: number[] = [];
  let goodBytes = 0;
  let unreadable: number | undefined;
  let number = 0;
  let pause = BYTES_PER_TURN;
  for (const { line, start, end } of linesOf(bytes)) {
    number += 1;
    if (start >= pause) {
      pause = start + BYTES_PER_TURN;
      yield;
    }
    const record = parseRecord(line);
    if (record.kind === 'newer') return { events, goodBytes, tornBytes: 0, newer: true };
    if (record.kind === 'broken') {
      unreadable ??= number;
      continue;
    }
    // A write that failed after the disk had it is written again; the same line twice is one record.
    const first = starts[record.seq];
    if (first !== undefined && bytes.subarray(first, first + line.length).equals(line)) continue;
    if (record.seq !== events.length) {
      const damage = `line ${unreadable ?? number} is ${unreadable === undefined ? 'out of order' : 'unreadable'}`;
      return { events, goodBytes, tornBytes: 0, newer: false, damage };
    }
    events.push(record.event);
    starts.push(start);
    unreadable = undefined;
    goodBytes = end;
  }
  return { events, goodBytes, tornBytes: bytes.length - goodBytes, newer: false };
}

/** The lines that are not empty; `end` is where the next one begins. */
function* linesOf(bytes: Buffer): Generator<{ readonly line: Buffer; readonly start: number; readonly end: number }> {
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(0x0a, at);
    const stop = found < 0 ? bytes.length : found;
    const end = found < 0 ? stop : found + 1;
    if (stop > at) yield { line: bytes.subarray(at, stop), start: at, end };
    at = end;
  }
}

/** The journal's file of a session. */
export function journalPath(dir: string, id: string): string {
  return join(dir, id, 'journal.jsonl');
}

/** The sessions below `dir` in which something was said, newest first, at most `most`. */
export async function listSessions(dir: string, most = 50): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  for await (const summary of sessionsByAge(dir)) {
    if (found.length >= most) break;
    found.push(summary);
  }
  return found;
}

/** The same one by one: those last left, or written to where the program was killed, come first. */
export async function* sessionsByAge(dir: string): AsyncGenerator<SessionSummary> {
  const names = await readdir(dir).catch(() => []);
  const dated = await Promise.all(
    names.map(async (id) => {
      const { mtimeMs: at = 0, size: bytes = 0 } = (await stat(journalPath(dir, id)).catch(() => undefined)) ?? {};
      return { id, at, bytes };
    }),
  );
  const newest = dated.filter(({ at }) => at > 0).sort((a, b) => b.at - a.at);
  for (const { id, at, bytes } of newest) {
    const path = journalPath(dir, id);
    const summary = summaryOf(id, at, await readBeginning(path)) ?? summaryOf(id, at, (await readJournal(path)).events);
    if (summary) yield { ...summary, bytes };
  }
}

/** The session is left now, though nothing more may be written to its journal: `--resume` goes by that. Never rejects. */
export async function markLeft(journal: string): Promise<void> {
  const now = new Date();
  await utimes(journal, now, now).catch(() => {});
}

/** The events of the first part of a journal; enough for a list in all but odd cases. */
async function readBeginning(path: string): Promise<readonly SessionEvent[]> {
  const file = await open(path, 'r').catch(() => undefined);
  try {
    const { buffer, bytesRead = 0 } = (await file?.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0)) ?? {};
    return buffer ? parseJournal(buffer.subarray(0, bytesRead)).events : [];
  } catch {
    return [];
  } finally {
    await file?.close();
  }
}

/** What a session is called by, where the event says it. */
function titleOf(event: SessionEvent): string | undefined {
  switch (event.type) {
    case 'asked':
      return event.text;
    case 'norrisStarted':
    case 'fleetBegan':
      return event.goal;
    case 'shellStarted':
      return event.line;
    default:
      return undefined;
  }
}

function summaryOf(id: string, lastAt: number, events: readonly SessionEvent[]) {
  const [first] = events;
  if (first?.type !== 'opened') return undefined;
  for (const event of events) {
    const title = titleOf(event);
    if (title !== undefined)
      return { id, startedAt: first.at, lastAt, cwd: first.cwd, title: title.split('\n')[0] ?? '' };
  }
  return undefined;
}
