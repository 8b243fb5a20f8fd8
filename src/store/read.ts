import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { SessionMoment, SessionSummary } from '../contracts/store.ts';
import type { SessionEvent } from '../session/event.ts';
import { SEMANTICS } from '../session/state.ts';
import { parseJsonObject } from '../text/json.ts';

/** How many bytes of a journal are read to name a session in a list. */
const BEGINNING_BYTES = 32 * 1024;

export type ReadJournal = {
  /** All events up to the first damage; if only the first line is damaged, all events after it. */
  readonly events: readonly SessionEvent[];
  /** The bytes of the file that these events take; the rest is torn or damaged. */
  readonly goodBytes: number;
  /** Bytes at the end that are not a record: usually a last line that was cut off while it was written. */
  readonly tornBytes: number;
  /** The damage, such as `line 12 is unreadable`; a damaged file is never written to again. */
  readonly damage?: string;
  /** Whether a later version of the program wrote the rest. */
  readonly newer: boolean;
  /** Why an existing file could not be read. */
  readonly problem?: string;
};

const NOTHING: ReadJournal = { events: [], goodBytes: 0, tornBytes: 0, newer: false };

/** Bytes that are parsed between two checks of the keyboard: some milliseconds of work. */
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
 * Reads records while their numbers are consecutive. An unreadable line without a gap is the rest of a write that was
 * cut off and repeated in the next line. With a gap it is damage, and everything after it is ignored, because
 * replaying it would give a different session.
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
  /** Where the line of each event begins. */
  const starts: number[] = [];
  let goodBytes = 0;
  let unreadable: number | undefined;
  let damage: string | undefined;
  /** The number of events in the damaged first line, less the event that replaces them. */
  let lost = 0;
  let number = 0;
  let pause = BYTES_PER_TURN;
  for (const { line, start, end } of linesOf(bytes)) {
    number += 1;
    if (start >= pause) {
      pause = start + BYTES_PER_TURN;
      yield;
    }
    const record = parseRecord(line);
    if (record.kind === 'newer') return { events, goodBytes, tornBytes: 0, newer: true, ...(damage && { damage }) };
    if (record.kind === 'broken') {
      unreadable ??= number;
      continue;
    }
    // A write that failed after it reached the disk is repeated, so two identical lines are one record.
    const first = starts[record.seq];
    if (first !== undefined && bytes.subarray(first, first + line.length).equals(line)) continue;
    if (number === 2 && unreadable === 1 && record.seq > 0) {
      damage = FIRST_IS_DAMAGED;
      lost = record.seq - 1;
      events.push(standIn(record.event));
    }
    if (record.seq !== events.length + lost) {
      damage = `line ${unreadable ?? number} is ${unreadable === undefined ? 'out of order' : 'unreadable'}`;
      return { events, goodBytes, tornBytes: 0, newer: false, damage };
    }
    events.push(record.event);
    starts[record.seq] = start;
    unreadable = undefined;
    goodBytes = end;
  }
  return { events, goodBytes, tornBytes: bytes.length - goodBytes, newer: false, ...(damage && { damage }) };
}

/** The only damage after which the rest is still read. */
export const FIRST_IS_DAMAGED = 'line 1 is unreadable';

/** Replaces a damaged first event, so that the rest can be shown. A resumed session sets its own settings. */
function standIn({ at }: SessionEvent): SessionEvent {
  const limits = { maxTurns: 40, maxToolRounds: 16, maxNorrisSteps: 16 };
  const sandbox = { sandbox: true, project: true, keepsMode: true, offers: true } as const;
  const settings = { preset: '', confirmCmd: 'acts', semantics: SEMANTICS, ...limits, ...sandbox } as const;
  return { type: 'opened', session: 'main', at, cwd: '', mode: 'restricted', settings };
}

/** Yields the lines that are not empty; `end` is where the next one begins. */
function* linesOf(bytes: Buffer): Generator<{ readonly line: Buffer; readonly start: number; readonly end: number }> {
  for (let at = 0; at < bytes.length; ) {
    const found = bytes.indexOf(0x0a, at);
    const stop = found < 0 ? bytes.length : found;
    const end = found < 0 ? stop : found + 1;
    if (stop > at) yield { line: bytes.subarray(at, stop), start: at, end };
    at = end;
  }
}

/** Returns the path of a session's journal. */
export function journalPath(dir: string, id: string): string {
  return join(dir, id, 'journal.jsonl');
}

/** Returns the sessions below `dir` that have content, newest first, at most `most`. */
export async function listSessions(dir: string, most = 50): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = [];
  for await (const summary of sessionsByAge(dir)) {
    if (found.length >= most) break;
    found.push({ ...summary, turns: await countTurns(journalPath(dir, summary.id)) });
  }
  return found;
}

/**
 * Yields the same sessions one by one: first those that were left last, or last written to before the program was
 * killed.
 */
export async function* sessionsByAge(dir: string): AsyncGenerator<SessionSummary> {
  const names = await readdir(dir).catch(() => []);
  const dated = await Promise.all(
    names.map(async (id) => {
      const found = await stat(journalPath(dir, id)).catch(() => undefined);
      return found ? [{ id, at: found.mtimeMs, bytes: found.size }] : [];
    }),
  );
  const newest = dated.flat().sort((a, b) => b.at - a.at);
  for (const { id, at, bytes } of newest) {
    const path = journalPath(dir, id);
    const summary = summaryOf(id, at, await readBeginning(path)) ?? (await summaryOfWhole(id, at, path));
    if (summary) yield { ...summary, bytes };
  }
}

/**
 * Marks the session as left now, though nothing more may be written to its journal; `--resume` uses this time. Never
 * rejects.
 */
export async function markLeft(journal: string): Promise<void> {
  const now = new Date();
  await utimes(journal, now, now).catch(() => {});
}

/** Reads the events of the first part of a journal, which nearly always suffices for a list. */
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

const [ASKED, GOAL] = [Buffer.from('"type":"asked"'), Buffer.from('"type":"norrisStarted"')];

/** Counts the user's questions and goals. Never rejects. */
async function countTurns(path: string): Promise<number> {
  let turns = 0;
  try {
    let rest = Buffer.alloc(0);
    for await (const chunk of createReadStream(path)) {
      const bytes = Buffer.concat([rest, chunk as Buffer]);
      const end = bytes.lastIndexOf(0x0a) + 1;
      for (const { line } of linesOf(bytes.subarray(0, end))) {
        if (!line.includes(ASKED) && !line.includes(GOAL)) continue;
        const read = parseRecord(line);
        if (read.kind === 'event' && read.event.session === 'main' && titleOf(read.event) !== undefined) turns += 1;
      }
      rest = bytes.subarray(end);
    }
  } catch {
    // A journal that can't be read is listed all the same.
  }
  return turns;
}

/** Returns the user's words that an event of a session has: a question, a goal, or a line for the shell. */
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

/** Lists an unreadable session as well, so that nobody believes it was deleted. */
async function summaryOfWhole(id: string, at: number, path: string) {
  const { events, tornBytes, problem } = await readJournal(path);
  if (events.length > 0 || (tornBytes === 0 && problem === undefined)) return summaryOf(id, at, events);
  return { id, startedAt: at, lastAt: at, cwd: '', title: problem ?? 'unreadable' };
}

function summaryOf(id: string, lastAt: number, events: readonly SessionEvent[]) {
  const [first] = events;
  if (first?.type !== 'opened') return undefined;
  const titled = events.filter((event) => titleOf(event) !== undefined);
  // A question says more than the command before it.
  const event = titled.find(({ type }) => type !== 'shellStarted') ?? titled[0];
  if (!event) return undefined;
  const { at: startedAt, cwd, branch } = first;
  const title = firstWords(titleOf(event) ?? '');
  return { id, startedAt, lastAt, cwd, title, ...(branch !== undefined && { branch }) };
}

/** Returns the first line with a word in it, which is not a fence of code. */
function firstWords(title: string): string {
  const lines = title.split('\n');
  return lines.find((line) => /[\p{L}\p{N}]/u.test(line) && !/^\s*(?:```|~~~)/.test(line)) ?? lines[0] ?? '';
}

// Reads from the end of a journal how the session ended.

/** The bytes of the end that are read. */
const END_BYTES = 128 * 1024;
const MAX_MOMENTS = 12;

/** Returns the last questions, commands and answers, the oldest first; empty where the file can't be read. */
export async function readEnding(path: string): Promise<readonly SessionMoment[]> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - END_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    // The part's first line begins within a record, so its checksum is wrong and it is skipped.
    return momentsOf(
      lines.map((line) => parseRecord(line)).flatMap((read) => (read.kind === 'event' ? read.event : [])),
    );
  } catch {
    return [];
  } finally {
    await file.close();
  }
}

function momentsOf(events: readonly SessionEvent[]): readonly SessionMoment[] {
  const lines = new Map<string, string>();
  const moments = events.flatMap((event): SessionMoment[] => {
    if (event.session !== 'main') return [];
    switch (event.type) {
      case 'asked':
        return [{ kind: 'asked', text: event.text }];
      case 'norrisStarted':
        return [{ kind: 'goal', text: event.goal }];
      case 'shellStarted':
        if (!event.private) lines.set(event.op, event.line);
        return [];
      case 'shellEnded':
        return lines.has(event.op) ? [{ kind: 'ran', text: lines.get(event.op) ?? '', exit: event.result.exit }] : [];
      case 'replyEnded':
        return event.reply.text.trim() === '' ? [] : [{ kind: 'said', text: event.reply.text }];
      case 'aborted':
        return [{ kind: 'aborted', text: 'aborted' }];
      default:
        return [];
    }
  });
  return moments.slice(-MAX_MOMENTS);
}

// One line of a journal: a versioned envelope around an event, with a number and a checksum of its bytes, which
// reveal a changed, missing, swapped or incomplete line (RE-5).

/** The version that this program writes. A change of the events' shape increments it and adds an upcaster. */
const VERSION = 2;

/** The first version with checksums; earlier lines have none. */
const FIRST_WITH_CHECKSUM = 2;

/** Converts events of one version to the next: `1: …` takes an event of version 1 and returns one of version 2. */
type Upcasters = Readonly<Record<number, (event: object) => object>>;
/** Version 2 added the checksum; its events are those of version 1. */
const UPCASTERS: Upcasters = { 1: (event) => event };

type ParsedRecord =
  | { readonly kind: 'event'; readonly seq: number; readonly event: SessionEvent }
  /** A later version of the program wrote the line. */
  | { readonly kind: 'newer' }
  /** The line is torn, damaged or foreign. */
  | { readonly kind: 'broken' };

/** `…,"crc":"0123abcd"}`: the checksum of everything before its comma. */
const [BEFORE_SUM, BEHIND_SUM] = [',"crc":"', '"}'];
const SUM = /^[0-9a-f]{8}$/;
const TRAILER_BYTES = BEFORE_SUM.length + 8 + BEHIND_SUM.length;

/** Returns the line of an event, with its line end. */
export function formatRecord(event: { readonly type: string; readonly session: string }, seq: number): Buffer {
  const text = JSON.stringify({ v: VERSION, seq, event });
  // An answer of a megabyte is copied only once.
  const line = Buffer.allocUnsafe(Buffer.byteLength(text) + TRAILER_BYTES);
  const end = line.write(text) - 1;
  const sum = crc32(line.subarray(0, end)).toString(16).padStart(8, '0');
  line.write(`${BEFORE_SUM}${sum}${BEHIND_SUM}\n`, end);
  return line;
}

/** Parses a line (without its line end) and converts its event to `version`. */
export function parseRecord(line: Uint8Array | string, version = VERSION, upcasters = UPCASTERS): ParsedRecord {
  const bytes = typeof line === 'string' ? Buffer.from(line) : Buffer.from(line.buffer, line.byteOffset, line.length);
  const checked = checksumOf(bytes);
  if (checked === 'wrong' || (checked === 'none' && !isUtf8(bytes))) return { kind: 'broken' };
  const { v, seq, event: written } = parseJsonObject(bytes.toString()) ?? {};
  if (typeof v !== 'number') return { kind: 'broken' };
  if (v > version) return { kind: 'newer' };
  if (v >= FIRST_WITH_CHECKSUM && checked === 'none') return { kind: 'broken' };
  if (!Number.isSafeInteger(seq)) return { kind: 'broken' };
  const event = upcast(written, v, version, upcasters);
  return event ? { kind: 'event', seq: Number(seq), event } : { kind: 'broken' };
}

function checksumOf(bytes: Buffer): 'right' | 'wrong' | 'none' {
  const at = bytes.length - TRAILER_BYTES;
  const trailer = at > 0 ? bytes.toString('latin1', at) : '';
  if (!trailer.startsWith(BEFORE_SUM) || !trailer.endsWith(BEHIND_SUM)) return 'none';
  const written = trailer.slice(BEFORE_SUM.length, -BEHIND_SUM.length);
  if (!SUM.test(written)) return 'none';
  return Number.parseInt(written, 16) === crc32(bytes.subarray(0, at)) ? 'right' : 'wrong';
}

function upcast(event: unknown, from: number, to: number, upcasters: Upcasters): SessionEvent | undefined {
  if (typeof event !== 'object' || event === null) return undefined;
  let current: object = event;
  for (let version = from; version < to; version += 1) {
    const step = upcasters[version];
    if (!step) return undefined;
    current = step(current);
  }
  return isEvent(current) ? current : undefined;
}

function isEvent(value: object): value is SessionEvent {
  return 'type' in value && typeof value.type === 'string' && 'session' in value && typeof value.session === 'string';
}
