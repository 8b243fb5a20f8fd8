/** Which session this is: a new one, or one that is gone on with. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SessionEvent } from '../session/event.ts';
import { journalPath, type Lock, listSessions, lockSession, type ReadJournal, readJournal } from '../store/index.ts';

export type SessionChoice = {
  readonly id: string;
  readonly folder: string;
  readonly journal: string;
  readonly lock: Lock;
  /** What the journal holds; empty for a new session. */
  readonly events: readonly SessionEvent[];
};

/** @param resume an id, `true` for the newest, absent for a new session. A failure is one line with what to do. */
export async function chooseSession(
  sessionsDir: string,
  resume: string | true | undefined,
  now: number,
): Promise<SessionChoice | { readonly problem: string }> {
  const id = resume === undefined ? newId(now) : resume === true ? (await listSessions(sessionsDir, 1))[0]?.id : resume;
  if (id === undefined) return { problem: 'there is no session to resume yet; start without --resume' };
  if (!/^[\w-]+$/.test(id)) return { problem: `${id} is no session id; aish-tui sessions lists them` };
  const journal = journalPath(sessionsDir, id);
  const folder = dirname(journal);
  const missing = `no session ${id}; aish-tui sessions lists them`;
  if (resume !== undefined && !existsSync(journal)) return { problem: missing };
  // First the lock: another program that is just closing still writes.
  const lock = lockSession(folder);
  if ('heldBy' in lock) return { problem: `session ${id} is open in process ${lock.heldBy}; close it there first` };
  const read = await readJournal(journal);
  const problem =
    resume === undefined ? undefined : (damageOf(read, id) ?? (read.events.length === 0 ? missing : undefined));
  if (problem === undefined) return { id, folder, journal, lock, events: read.events };
  lock.release();
  return { problem };
}

/** A journal with a hole would fold to another session; a torn last line is normal. */
function damageOf({ problem, newer, skipped, tornTail }: ReadJournal, id: string): string | undefined {
  if (problem !== undefined) return `session ${id} can't be read: ${problem}`;
  if (newer) return `session ${id} was written by a newer aish-tui; use that one`;
  return skipped > (tornTail ? 1 : 0)
    ? `the journal of session ${id} is damaged in the middle; it can't be gone on with`
    : undefined;
}

/** Readable and sortable: day, time, a few random letters. */
function newId(now: number): string {
  const [day = '', time = ''] = new Date(now).toISOString().split('T');
  return `${day}-${time.slice(0, 5).replace(':', '')}-${randomBytes(2).toString('hex')}`;
}
