/** Which session this is: a new one, or one that is gone on with. */
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { SessionEvent } from '../session/event.ts';
import { journalPath, type Lock, listSessions, lockSession, readJournal } from '../store/index.ts';

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
  const { events } = await readJournal(journal);
  if (resume !== undefined && events.length === 0) return { problem: `no session ${id}; aish-tui sessions lists them` };
  const folder = dirname(journal);
  const lock = lockSession(folder);
  if ('heldBy' in lock) return { problem: `session ${id} is open in process ${lock.heldBy}; close it there first` };
  return { id, folder: join(folder), journal, lock, events };
}

/** Readable and sortable: day, time, a few random letters. */
function newId(now: number): string {
  const [day = '', time = ''] = new Date(now).toISOString().split('T');
  return `${day}-${time.slice(0, 5).replace(':', '')}-${randomBytes(2).toString('hex')}`;
}
