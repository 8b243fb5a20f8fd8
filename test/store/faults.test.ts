import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../src/session/event.ts';
import { lockSession, openJournal, readJournal } from '../../src/store/index.ts';
import { parseRecord } from '../../src/store/record.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aish-faults-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
const said = (n: number): SessionEvent => ({ session: 's', at: n, type: 'noticed', level: 'info', text: `${n} ünï` });

describe('a journal in trouble (RE-1)', () => {
  it('loses nothing that was acknowledged when it is killed', async () => {
    const path = join(dir, 'journal.jsonl');
    const child = spawn(process.execPath, [fixture('append'), path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let last = -1;
    for await (const line of createInterface({ input: child.stdout })) {
      last = Number(line);
      if (last > 400) child.kill('SIGKILL');
    }
    const { events, skipped, tornTail } = await readJournal(path);
    expect(events.length).toBeGreaterThan(last);
    expect(events.map((event) => event.at)).toEqual(events.map((_, i) => i));
    expect(skipped).toBe(tornTail ? 1 : 0);
  });

  it('has no gap after a full disk: what failed is written first when there is room', async () => {
    const path = join(dir, 'journal.jsonl');
    symlinkSync('/dev/full', path);
    const told: string[] = [];
    const journal = openJournal(path, {
      seq: 0,
      onFailure: (why) => told.push(why),
      onRecovered: () => told.push('recovered'),
    });
    await expect(journal.append(said(0))).rejects.toThrow(/ENOSPC/);
    await expect(Promise.all([journal.append(said(1)), journal.append(said(2))])).rejects.toThrow(/ENOSPC/);
    rmSync(path);
    await journal.append(said(3));
    await journal.close();
    expect((await readJournal(path)).events).toEqual([0, 1, 2, 3].map(said));
    expect(told).toEqual([expect.stringContaining('ENOSPC'), 'recovered']);
    await journal.close();
    await expect(journal.append(said(4))).rejects.toThrow(/closed/);
  });

  it('writes at closing what could not be written before', async () => {
    const path = join(dir, 'journal.jsonl');
    symlinkSync('/dev/full', path);
    const journal = openJournal(path, { seq: 0, onFailure: () => {} });
    await expect(journal.append(said(0))).rejects.toThrow();
    rmSync(path);
    await journal.close();
    expect((await readJournal(path)).events).toEqual([said(0)]);
  });

  it('cut off at any byte reads as a beginning of itself, and goes on', async () => {
    const whole = [0, 1, 2, 3].map(said);
    const text = whole.map((event, seq) => `${JSON.stringify({ v: 1, seq, event })}\n`).join('');
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length }), async (cut) => {
        const path = join(dir, `${cut}.jsonl`);
        writeFileSync(path, bytes.subarray(0, cut));
        const { events } = await readJournal(path);
        expect(whole.slice(0, events.length)).toEqual(events);
        const journal = openJournal(path, { seq: events.length, onFailure: () => {} });
        await journal.append(said(9));
        await journal.close();
        expect((await readJournal(path)).events).toEqual([...events, said(9)]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('reading', () => {
  it('takes a line that was written twice once, and counts what it does not know', async () => {
    const path = join(dir, 'journal.jsonl');
    const line = JSON.stringify({ v: 1, seq: 0, event: said(0) });
    const newer = JSON.stringify({ v: 2, seq: 1, event: { kind: 'of tomorrow' } });
    writeFileSync(path, `${line}\n${line}\n${newer}\nnull\n{"v":1,"seq":2,"event":{}}\n`);
    expect(await readJournal(path)).toEqual({ events: [said(0)], skipped: 2, tornTail: true, newer: 1 });
  });

  it('tells a missing file from one that can not be read', async () => {
    expect(await readJournal(join(dir, 'none'))).not.toHaveProperty('problem');
    mkdirSync(join(dir, 'folder'));
    expect((await readJournal(join(dir, 'folder'))).problem).toMatch(/EISDIR/);
  });

  it('brings old records up to date, one version at a time', () => {
    const line = JSON.stringify({ v: 1, seq: 0, event: { session: 's', at: 1, kind: 'asked' } });
    const upcasters = {
      1: (event: object) => ({ ...event, type: 'kind' in event ? event.kind : '' }),
      2: (event: object) => ({ ...event, line: 'l', text: 't' }),
    };
    expect(parseRecord(line, 3, upcasters)).toMatchObject({ kind: 'event', event: { type: 'asked', line: 'l' } });
    expect(parseRecord(line, 4, upcasters)).toEqual({ kind: 'broken' });
  });

  it('reads the journal of the first release', async () => {
    const golden = fileURLToPath(new URL('golden-v1.jsonl', import.meta.url));
    const { events, skipped } = await readJournal(golden);
    expect(skipped).toBe(0);
    expect(events.map((event) => event.type)).toEqual(['opened', 'asked', 'replyEnded', 'actionStarted']);
  });
});

describe('two programs on one session', () => {
  it('one gets it; the other is told who has it; it is free after a kill', async () => {
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [fixture('lock'), dir], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    const answers = await Promise.all(
      children.map(async (child) => String((await once(child.stdout, 'data'))[0]).trim()),
    );
    expect(answers.filter((answer) => answer === 'yes')).toHaveLength(1);
    const winner = children[answers.indexOf('yes')];
    expect(lockSession(dir)).toEqual({ heldBy: winner?.pid });
    const ends = children.map((child) => once(child, 'exit'));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ends);
    const lock = lockSession(dir);
    if ('heldBy' in lock) throw new Error(`held by ${lock.heldBy}`);
    lock.release();
    lock.release();
  });

  it('is not fooled by a number that another process got meanwhile', () => {
    writeFileSync(join(dir, 'lock'), `${process.ppid} 1`);
    expect(lockSession(dir)).toHaveProperty('release');
    expect(readFileSync(join(dir, 'lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} \\d+$`));
  });

  it('goes on in name only where nothing can be written', () => {
    writeFileSync(join(dir, 'file'), '');
    expect(lockSession(join(dir, 'file', 'session'))).toHaveProperty('release');
  });
});
