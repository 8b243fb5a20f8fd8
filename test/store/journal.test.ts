import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../src/session/event.ts';
import {
  journalPath,
  listSessions,
  lockSession,
  openHistory,
  openJournal,
  readJournal,
} from '../../src/store/index.ts';
import { settings } from '../support/machine.ts';

/** Stands for the secrets filter, and changes nothing. */
const asIs = <T>(value: T): T => value;

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aish-store-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const opened: SessionEvent = { session: 's', at: 1, type: 'opened', cwd: '/w', mode: 'unrestricted', settings };
const asked = (text: string): SessionEvent => ({ session: 's', at: 2, type: 'asked', line: 'l', text });
const quiet = { seq: 0, onFailure: () => {} };

describe('the journal', () => {
  it('returns what was appended, from a private file', async () => {
    const path = journalPath(dir, 's');
    const journal = openJournal(path, quiet);
    await Promise.all([journal.append(opened), journal.append(asked('a')), journal.append(asked('b\u2028'))]);
    await journal.close();
    expect((await readJournal(path)).events).toEqual([opened, asked('a'), asked('b\u2028')]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 's')).mode & 0o777).toBe(0o700);
  });

  it('is durable when append resolves, without a close', async () => {
    const path = journalPath(dir, 's');
    await openJournal(path, quiet).append(opened);
    expect(readFileSync(path, 'utf8')).toContain('"opened"');
  });

  it('writes at once when a caller waits, and makes what arrives meanwhile durable as well', async () => {
    const path = journalPath(dir, 's');
    const journal = openJournal(path, quiet);
    const first = journal.append(opened);
    journal.hasten();
    const more = [journal.append(asked('a')), first.then(() => journal.append(asked('b')))];
    journal.hasten();
    await Promise.all([first, ...more]);
    expect((await readJournal(path)).events).toEqual([opened, asked('a'), asked('b')]);
    await journal.append(asked('c'));
    expect((await readJournal(path)).events).toHaveLength(4);
  });

  it('is written again completely when it was deleted meanwhile', async () => {
    const path = journalPath(dir, 's');
    const troubles: string[] = [];
    const journal = openJournal(path, { seq: 0, onFailure: (why) => troubles.push(why) });
    await journal.append(opened);
    rmSync(dir, { recursive: true });
    await journal.append(asked('a'));
    expect((await readJournal(path)).events).toEqual([opened, asked('a')]);
    rmSync(dir, { recursive: true });
    writeFileSync(dir, 'a file where the directory was');
    await expect(journal.append(asked('b'))).rejects.toThrow(/ENOTDIR/);
    rmSync(dir);
    await journal.append(asked('c'));
    await journal.close();
    expect((await readJournal(path)).events).toEqual([opened, ...['a', 'b', 'c'].map(asked)]);
    expect(troubles).toEqual([expect.stringContaining('ENOTDIR')]);
  });

  it('cuts off a torn last line and reports its size', async () => {
    const path = journalPath(dir, 's');
    const first = openJournal(path, quiet);
    await first.append(opened);
    await first.close();
    const torn = '{"v":1,"seq":1,"event":{"ty';
    appendFileSync(path, torn);
    const { events, goodBytes, tornBytes } = await readJournal(path);
    expect(tornBytes).toBe(torn.length);
    const second = openJournal(path, { ...quiet, seq: events.length, goodBytes });
    await second.append(asked('after'));
    await second.close();
    expect(await readJournal(path)).toMatchObject({ events: [opened, asked('after')], tornBytes: 0 });
  });

  it('reports once that it can’t write, and rejects what is not durable', async () => {
    writeFileSync(join(dir, 'file'), '');
    const told: string[] = [];
    const journal = openJournal(join(dir, 'file', 'journal.jsonl'), { seq: 0, onFailure: (why) => told.push(why) });
    await expect(journal.append(opened)).rejects.toThrow();
    const hastened = journal.append(opened);
    journal.hasten();
    await expect(hastened).rejects.toThrow();
    await expect(journal.append(opened)).rejects.toThrow();
    expect(told).toHaveLength(1);
  });
});

describe('the list of sessions', () => {
  it('names each by its first line, and omits those in which nothing was said', async () => {
    for (const [id, ...events] of [
      ['one', opened, asked('why?\nbecause')],
      ['two', opened],
    ] as const) {
      const journal = openJournal(journalPath(dir, id), quiet);
      await Promise.all(events.map((event) => journal.append(event)));
      await journal.close();
    }
    expect(await listSessions(dir)).toMatchObject([{ id: 'one', cwd: '/w', title: 'why?' }]);
  });
});

describe('the lock of a session', () => {
  it('names its holder, and is taken over from a dead process', () => {
    const lock = lockSession(dir);
    expect('release' in lock).toBe(true);
    writeFileSync(join(dir, 'lock'), String(process.ppid));
    expect(lockSession(dir)).toEqual({ heldBy: process.ppid });
    writeFileSync(join(dir, 'lock'), '999999999');
    expect('release' in lockSession(dir)).toBe(true);
  });
});

describe('the history of lines', () => {
  it('is read by the next session, without lines that start with a blank', () => {
    const path = join(dir, 'state', 'history');
    const history = openHistory(path, asIs);
    for (const line of ['ls', ' secret', 'ls', 'a\nb']) history.add(line);
    expect(openHistory(path, asIs).entries()).toEqual(['ls', 'a\nb']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});
