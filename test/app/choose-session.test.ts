import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseSession } from '../../src/app/environment.ts';
import type { SessionEvent } from '../../src/session/event.ts';
import { journalPath, listSessions, markLeft, openJournal, readJournal } from '../../src/store/index.ts';
import { formatRecord, parseJournal } from '../../src/store/read.ts';

import { settings } from '../support/machine.ts';

/** The step between tested offsets in the file; `npm run check -- journal` tests every offset. */
const STEP = Number(process.env.AISH_JOURNAL_STEP ?? 211);
/**
 * The scratch place, in memory if possible: a disk would be waited for ten thousand times, and the content read back is
 * the same.
 */
const PLACE = STEP === 1 && existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(PLACE, 'aish-choose-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const NOW = Date.UTC(2026, 0, 2, 3, 4);
const OPENED = { session: 'main', at: 1, type: 'opened', cwd: '/w', mode: 'unrestricted', settings } as const;
const EVENTS: readonly SessionEvent[] = [
  OPENED,
  { session: 'main', at: 2, type: 'asked', line: 'l', text: 'why?' },
  { session: 'main', at: 3, type: 'noticed', level: 'info', text: 'so' },
];
const LINES = EVENTS.map((event, seq) => String(formatRecord(event, seq)));

/** Writes a journal with these lines, last changed this many minutes ago. */
function written(id: string, lines: readonly string[], minutesAgo = 0, encoding: BufferEncoding = 'utf8'): string {
  const path = journalPath(dir, id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.join(''), encoding);
  const at = new Date(NOW - minutesAgo * 60_000);
  utimesSync(path, at, at);
  return path;
}

/** Options for a start in this directory. */
const at = (cwd = '/w') => ({ sessionsDir: dir, now: NOW, cwd });

async function taken(wish: Parameters<typeof chooseSession>[0], here = at()) {
  const choice = await chooseSession(wish, here);
  if ('problem' in choice) throw new Error(choice.problem);
  choice.lock.release();
  return choice;
}

describe('--resume', () => {
  it('continues an intact session', async () => {
    written('a', LINES);
    expect(await taken({ resume: 'a' })).toMatchObject({ id: 'a', events: EVENTS, notices: [] });
  });

  it('reports how much of a torn end is cut off', async () => {
    const path = written('a', LINES);
    appendFileSync(path, '{"v":2,"se');
    const { events, goodBytes, notices } = await taken({ resume: 'a' });
    expect(events).toEqual(EVENTS);
    expect(goodBytes).toBe(LINES.join('').length);
    expect(notices).toEqual(["the journal's last 10 bytes were torn and have been cut off"]);
  });

  it('copies the part before the damage into a new session, and leaves the damaged session unchanged', async () => {
    const path = written('a', [LINES[0] ?? '', 'garbage\n', LINES[2] ?? '']);
    const before = readFileSync(path);
    const { id, journal, events, notices } = await taken({ resume: 'a' });
    expect(id).not.toBe('a');
    expect(events).toEqual(EVENTS.slice(0, 1));
    expect((await readJournal(journal)).events).toEqual(events);
    expect(notices.join()).toMatch(/session a is damaged \(line 2 is unreadable\).*1 events before/);
    expect(readFileSync(path)).toEqual(before);
  });

  it('copies the part after a damaged first line into a new session', async () => {
    written('a', ['garbage\n', ...LINES.slice(1)]);
    const { id, events, notices } = await taken({ resume: 'a' });
    expect(id).not.toBe('a');
    expect(events).toEqual([expect.objectContaining({ type: 'opened' }), ...EVENTS.slice(1)]);
    expect(notices.join()).toMatch(/session a is damaged \(line 1 is unreadable\): .* everything after it/);
  });

  it('lists and names an unreadable session', async () => {
    const lost = written('lost', ['garbage\n']);
    written('older', LINES, 30);
    expect(await taken({ resume: true })).toMatchObject({
      id: 'older',
      notices: [expect.stringContaining('nothing of session lost can be read')],
    });
    expect(await listSessions(dirname(dirname(lost)))).toMatchObject([
      { id: 'lost', title: 'unreadable' },
      { id: 'older' },
    ]);
  });

  it('lists a session’s branch, its number of questions and goals, and its first line that contains words', async () => {
    const events: readonly SessionEvent[] = [
      { ...OPENED, branch: 'try' },
      { session: 'main', at: 1, type: 'shellStarted', op: 'sh', line: 'ls', private: false },
      { session: 'main', at: 1, type: 'asked', line: 'l1', text: '```\n\nwhy {"type":"asked"}?' },
      { session: 'sub', at: 1, type: 'asked', line: 'l2', text: 'of a sub-agent' },
      { session: 'main', at: 1, type: 'asked', line: 'l3', text: 'and then?' },
    ];
    const path = written(
      'a',
      events.map((event, seq) => String(formatRecord(event, seq))),
    );
    const [listed] = await listSessions(dirname(dirname(path)));
    expect(listed).toMatchObject({ branch: 'try', turns: 2, title: 'why {"type":"asked"}?' });
  });

  it('accepts a session dated before 1970', async () => {
    const path = written('a', LINES);
    utimesSync(path, -1000, -1000);
    expect(await taken({ resume: true })).toMatchObject({ id: 'a', notices: [] });
  });

  it('resumes the newest usable session, and reports which ones it skipped', async () => {
    const newer = `${JSON.stringify({ v: 99, seq: 3, event: {} })}\n`;
    written('tomorrow', [...LINES, newer], 1);
    const open = written('open', LINES, 2);
    writeFileSync(join(dirname(open), 'lock'), String(process.ppid));
    written('mine', LINES, 3);
    const { id, notices } = await taken({ resume: true });
    expect(id).toBe('mine');
    expect(notices).toEqual([
      expect.stringContaining('session tomorrow was written by a newer aish-tui'),
      expect.stringContaining(`session open is open in process ${process.ppid}`),
    ]);
  });

  it('prefers the last session left in this directory to later sessions of other directories', async () => {
    const opened: SessionEvent = { ...OPENED, cwd: '/elsewhere' };
    written('there', LINES.with(0, String(formatRecord(opened, 0))), 1);
    written('here', LINES, 20);
    const first = written('first', LINES, 30);
    expect(await taken({ resume: true })).toMatchObject({ id: 'here', notices: [] });
    await markLeft(first);
    expect(await taken({ resume: true })).toMatchObject({ id: 'first', notices: [] });
    expect(await taken({ resume: true }, at('/nowhere'))).toMatchObject({
      id: 'first',
      notices: ['no session of this directory can be resumed: this is the last one, of /w'],
    });
  });

  it('explains why when no session can be resumed', async () => {
    expect(await chooseSession({ resume: true }, at())).toEqual({
      problem: 'there is no session to resume; start without --resume',
    });
    expect(await chooseSession({ resume: '../x' }, at())).toHaveProperty('problem');
    expect(await chooseSession({ resume: 'none' }, at())).toHaveProperty('problem');
  });
});

/** The bits to flip: each one separately, and all of them. */
const MASKS = STEP > 1 ? [0x20] : [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff];
const LONG: readonly SessionEvent[] = [
  ...EVENTS,
  ...Array.from(
    { length: 90 },
    (_, n): SessionEvent => ({
      session: 'main',
      at: 4 + n,
      type: 'noticed',
      level: 'info',
      text: `notice ${n}, “schön”`,
    }),
  ),
];
const LONG_LINES = LONG.map((event, seq) => String(formatRecord(event, seq)));
const BYTES = Buffer.from(LONG_LINES.join(''));
const FIRST_LINE = Buffer.byteLength(LONG_LINES[0] ?? '');

/**
 * Resumes a session, writes to it and resumes it again, checking that all events are still there. Returns its id and
 * events.
 */
async function resumedTwice(id: string): Promise<readonly [id: string, events: readonly SessionEvent[]]> {
  const first = await taken({ resume: id });
  const journal = openJournal(first.journal, { seq: first.events.length, goodBytes: first.goodBytes, onFailure() {} });
  const more: SessionEvent = { session: 'main', at: 1000, type: 'noticed', level: 'info', text: 'more' };
  await journal.append(more);
  await journal.close();
  const second = await taken({ resume: first.id });
  expect(second).toMatchObject({ id: first.id, events: [...first.events, more], notices: [] });
  return [first.id, first.events];
}

/**
 * Returns the events that can be resumed of a journal with these bytes, checking that they are the first events
 * written.
 */
async function beginningOf(bytes: Buffer): Promise<{ readonly copied: boolean; readonly count: number }> {
  rmSync(dir, { recursive: true });
  written('a', [bytes.toString('latin1')], 0, 'latin1');
  const [id, events] = await resumedTwice('a');
  expect(events).toEqual(LONG.slice(0, events.length));
  return { copied: id !== 'a', count: events.length };
}

describe('a journal of 12 kB', { timeout: 60_000 + 20_000_000 / STEP }, () => {
  it('that is cut anywhere is resumed, and loses at most its last line', async () => {
    expect(BYTES.length).toBeGreaterThan(12_000);
    for (let end = FIRST_LINE; end <= BYTES.length; end += STEP) {
      const whole = BYTES.subarray(0, end).toString().split('\n').length - 1;
      const { copied, count } = await beginningOf(BYTES.subarray(0, end));
      expect([end, copied]).toEqual([end, false]);
      // The last line may be complete except for its line end.
      expect([whole, whole + 1]).toContain(count);
    }
  });

  it('with one byte flipped anywhere is resumed from the part before that byte, with a message', async () => {
    for (let at = FIRST_LINE; at < BYTES.length; at += STEP) {
      const line = BYTES.subarray(0, at).toString('latin1').split('\n').length - 1;
      const seen = new Set<string>();
      for (const mask of MASKS) {
        const bytes = Buffer.from(BYTES);
        bytes[at] = (bytes[at] ?? 0) ^ mask;
        const { events, ...found } = parseJournal(bytes);
        expect(events).toEqual(LONG.slice(0, events.length));
        // The result depends on this and on the bytes before, which are the same for every mask.
        const outcome = JSON.stringify([events.length, found]);
        if (seen.has(outcome)) continue;
        seen.add(outcome);
        const { copied, count } = await beginningOf(bytes);
        // A damaged last line counts as torn. A damaged line end spoils the lines on both sides of it.
        const last = bytes.indexOf('\n', at) === bytes.length - 1 || at === bytes.length - 1;
        expect([at, mask, copied, count]).toEqual([at, mask, !last && count < LONG.length, count]);
        expect(count).toBeLessThanOrEqual(LONG.length);
        expect(count).toBeGreaterThanOrEqual(line);
      }
    }
  });
});

describe('a copied session', () => {
  it('is independent, even while the original is open elsewhere', async () => {
    const path = written('a', LINES);
    writeFileSync(join(dirname(path), 'lock'), String(process.ppid));
    expect(await chooseSession({ resume: 'a' }, at())).toMatchObject({
      problem: expect.stringContaining('--fork'),
    });
    const { id, journal, events, notices } = await taken({ resume: 'a', fork: true });
    expect(id).not.toBe('a');
    expect(events).toEqual(EVENTS);
    expect((await readJournal(journal)).events).toEqual(EVENTS);
    expect(notices).toEqual(['this is a copy of session a']);
  });
});
