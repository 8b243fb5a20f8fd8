import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';

let syncs = 0;
// Test files share their modules, so the journal module must be loaded again to get the mock.
vi.resetModules();
vi.doMock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const fdatasync: typeof fs.fdatasync = Object.assign((...args: Parameters<typeof fs.fdatasync>) => {
    syncs += 1;
    fs.fdatasync(...args);
  }, fs.fdatasync);
  return { ...fs, fdatasync };
});
const { journalPath, openJournal } = await import('../../src/store/index.ts');
afterAll(() => {
  vi.doUnmock('node:fs');
  vi.resetModules();
});

const dir = mkdtempSync(join(tmpdir(), 'aish-syncs-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('a reply, its judgement and the start of its action are written to disk at once before the launch', async () => {
  const journal = openJournal(journalPath(dir, 's'), { seq: 0, onFailure: () => {} });
  const notice = (text: string) => ({ session: 'main', at: 0, type: 'noticed', level: 'info', text }) as const;
  void journal.append(notice('counted'));
  await Promise.resolve();
  void journal.append(notice('replied'));
  await Promise.resolve().then(() => {});
  await journal.append(notice('started'));
  expect(syncs).toBe(1);
  await journal.append(notice('ended'));
  expect(syncs).toBe(2);
  await journal.close();
});
