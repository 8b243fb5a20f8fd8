/** Which session this is: a new one, an earlier one that is resumed, or a copy of one. */

import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SessionSummary } from '../contracts/store.ts';
import type { SessionEvent } from '../session/event.ts';
import {
  FIRST_IS_DAMAGED,
  journalPath,
  type Lock,
  lockSession,
  openJournal,
  type ReadJournal,
  readJournal,
  sessionsByAge,
} from '../store/index.ts';
import { shortPath } from '../text/display.ts';
import { messageOf } from '../text/errors.ts';
import { visible } from '../text/sanitize.ts';
import type { SessionWish } from './options.ts';

export type SessionChoice = {
  readonly id: string;
  readonly folder: string;
  readonly journal: string;
  readonly lock: Lock;
  /** What the journal holds; empty for a new session. */
  readonly events: readonly SessionEvent[];
  /** Their size in the journal file, in bytes. */
  readonly goodBytes: number;
  /** What the user must be told about it. */
  readonly notices: readonly string[];
};

type Refused = { readonly problem: string };

type Circumstances = {
  readonly sessionsDir: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Where the program was started. */
  readonly cwd: string;
  /** Lets pending keys through between two pieces of work. */
  readonly turn?: () => Promise<void>;
};

/** Sessions of other directories that are tried where this one has none. */
const MAX_ELSEWHERE = 50;

/**
 * A failure is one line with what to do. Without an id it is the one left last of those that began in this directory;
 * where there is none, of all, which is said.
 */
export async function chooseSession(
  { resume, fork = false }: SessionWish,
  circumstances: Circumstances,
): Promise<SessionChoice | Refused> {
  if (resume === undefined) return newSession([], [], circumstances);
  if (resume !== true) return take(resume, fork, circumstances);
  const passedOver: string[] = [];
  for await (const { id, cwd } of byNearness(circumstances)) {
    const choice = await take(id, fork, circumstances);
    if ('problem' in choice) passedOver.push(`skipped: ${choice.problem}`);
    else {
      const elsewhere = `no session of this directory can be resumed: this is the last one, of ${shortPath(visible(cwd))}`;
      const where = cwd === circumstances.cwd || cwd === '' ? [] : [elsewhere];
      return { ...choice, notices: [...passedOver, ...where, ...choice.notices] };
    }
  }
  const why = passedOver.length > 0 ? `; ${passedOver.join('; ')}` : '';
  return { problem: `there is no session to resume; start without --resume${why}` };
}

/** Those of this directory, then the others; each the last left first. */
async function* byNearness({ sessionsDir, cwd }: Circumstances): AsyncGenerator<SessionSummary> {
  const elsewhere: SessionSummary[] = [];
  for await (const session of sessionsByAge(sessionsDir)) {
    // One that can't be read may be of this directory: it is tried, and named.
    if (session.cwd === cwd || session.cwd === '') yield session;
    else if (elsewhere.length < MAX_ELSEWHERE) elsewhere.push(session);
  }
  yield* elsewhere;
}

/** One session by its id: the session itself, or a copy if one was requested or nothing else is possible. */
async function take(id: string, fork: boolean, circumstances: Circumstances): Promise<SessionChoice | Refused> {
  const { sessionsDir, turn } = circumstances;
  if (!/^[\w-]+$/.test(id)) return { problem: `${id} is not a session id; aish-tui sessions lists them` };
  const journal = journalPath(sessionsDir, id);
  const missing = { problem: `no session ${id}; aish-tui sessions lists them` };
  if (!existsSync(journal)) return missing;
  const folder = dirname(journal);
  if (fork) {
    const read = await readJournal(journal, turn);
    return refusalOf(read, id) ?? newSession(read.events, [`this is a copy of session ${id}`], circumstances);
  }
  // Take the lock first: another program that is just closing may still write.
  const lock = lockSession(folder);
  if ('heldBy' in lock) {
    const problem = `session ${id} is open in process ${lock.heldBy}; close it there first, or take a copy with --fork`;
    return { problem };
  }
  const read = await readJournal(journal, turn);
  const { events, goodBytes, tornBytes, damage } = read;
  const refused = refusalOf(read, id);
  if (!refused && damage === undefined) {
    const notices = tornBytes > 0 ? [`the journal's last ${tornBytes} bytes were torn and have been cut off`] : [];
    return { id, folder, journal, lock, events, goodBytes, notices };
  }
  lock.release();
  if (refused) return refused;
  const rest = damage === FIRST_IS_DAMAGED ? 'what stands behind it' : `the ${events.length} events before that`;
  const what = `the journal of session ${id} is damaged (${damage}): this is a copy of ${rest}`;
  return newSession(events, [what], circumstances);
}

function refusalOf({ problem, newer, events }: ReadJournal, id: string): Refused | undefined {
  if (problem !== undefined) return { problem: `session ${id} can't be read: ${problem}` };
  if (newer) return { problem: `session ${id} was written by a newer aish-tui; use that one` };
  return events.length === 0 ? { problem: `nothing of session ${id} can be read` } : undefined;
}

/** A new session that begins with these events. */
async function newSession(
  events: readonly SessionEvent[],
  notices: readonly string[],
  { sessionsDir, now, turn }: Circumstances,
): Promise<SessionChoice | Refused> {
  const id = newId(now);
  const journal = journalPath(sessionsDir, id);
  const folder = dirname(journal);
  const lock = lockSession(folder);
  if ('heldBy' in lock) return { problem: `session ${id} is open in process ${lock.heldBy}; try again` };
  if (events.length === 0) return { id, folder, journal, lock, events, goodBytes: 0, notices };
  const copy = openJournal(journal, { seq: 0, onFailure: () => {} });
  try {
    await Promise.all(events.map((event) => copy.append(event)));
  } catch (error) {
    lock.release();
    return { problem: `the copy can't be written: ${messageOf(error)}` };
  } finally {
    await copy.close();
  }
  const { goodBytes } = await readJournal(journal, turn);
  return { id, folder, journal, lock, events, goodBytes, notices };
}

/** Readable and sortable: day, time, a few random letters. */
function newId(now: number): string {
  const [day = '', time = ''] = new Date(now).toISOString().split('T');
  return `${day}-${time.slice(0, 5).replace(':', '')}-${randomBytes(2).toString('hex')}`;
}
