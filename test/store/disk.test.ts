import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockSession, oldSessions, pruneOutputs, removeSessions } from '../../src/store/index.ts';

const DAY_S = 24 * 60 * 60;
const NOW = 1_800_000_000;

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aish-disk-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Makes a file that was written this many days ago. */
function file(path: string, daysAgo: number, bytes = 100): string {
  const whole = join(dir, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, 'x'.repeat(bytes));
  utimesSync(whole, NOW - daysAgo * DAY_S, NOW - daysAgo * DAY_S);
  return whole;
}

it('saved outputs are removed when too old or too many, the oldest first, and journals stay', async () => {
  const journal = file('one/journal.jsonl', 40, 5000);
  const old = file('one/output/a.txt', 31);
  const second = file('two/output/b.txt', 3);
  const third = file('one/output/c.txt', 2);
  const last = file('two/output/d.txt', 1);
  expect(await pruneOutputs(dir, { totalBytes: 200, days: 30 }, NOW * 1000)).toBe(200);
  expect([old, second, third, last, journal].map((path) => existsSync(path))).toEqual([false, false, true, true, true]);
});

it('no files of an open session are removed', async () => {
  const inUse = file('open/output/a.txt', 31);
  const other = file('closed/output/b.txt', 1);
  const lock = lockSession(join(dir, 'open'));
  expect(await pruneOutputs(dir, { totalBytes: 50, days: 30 }, NOW * 1000)).toBe(100);
  expect([existsSync(inUse), existsSync(other)]).toEqual([true, false]);
  expect(await oldSessions(dir, 30, Date.now() + 40 * DAY_S * 1000)).toHaveLength(1);
  if ('release' in lock) lock.release();
});

it('sessions to be removed are listed first, and those used meanwhile stay', async () => {
  file('old/journal.jsonl', 50, 30);
  file('old/output/a.txt', 50, 70);
  file('older/journal.jsonl', 60, 1);
  file('young/journal.jsonl', 2);
  const named = await oldSessions(dir, 30, NOW * 1000);
  expect(named.map(({ id, bytes }) => [id, bytes])).toEqual([
    ['older', 1],
    ['old', 100],
  ]);
  file('older/journal.jsonl', 0, 2);
  expect(await removeSessions(dir, named)).toBe(1);
  expect(['old', 'older', 'young'].map((id) => existsSync(join(dir, id)))).toEqual([false, true, true]);
});
