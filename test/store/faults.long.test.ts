import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../src/session/event.ts';
import { FIRST_IS_DAMAGED, lockSession, openJournal, readJournal } from '../../src/store/index.ts';
import { formatRecord, parseJournal, parseRecord } from '../../src/store/read.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aish-faults-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
const said = (n: number): SessionEvent => ({ session: 's', at: n, type: 'noticed', level: 'info', text: `${n} ünï` });

describe('a journal in trouble (RE-1)', () => {
  it('loses nothing acknowledged when it is killed', async () => {
    const path = join(dir, 'journal.jsonl');
    const child = spawn(process.execPath, [fixture('append'), path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let last = -1;
    for await (const line of createInterface({ input: child.stdout })) {
      last = Number(line);
      if (last > 400) child.kill('SIGKILL');
    }
    const { events, damage } = await readJournal(path);
    expect(events.length).toBeGreaterThan(last);
    expect(events.map((event) => event.at)).toEqual(events.map((_, i) => i));
    expect(damage).toBeUndefined();
  });

  it('has no gap after a full disk, and writes what failed first when there is room', async () => {
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

  it('writes on closing what could not be written before', async () => {
    const path = join(dir, 'journal.jsonl');
    symlinkSync('/dev/full', path);
    const journal = openJournal(path, { seq: 0, onFailure: () => {} });
    await expect(journal.append(said(0))).rejects.toThrow();
    rmSync(path);
    await journal.close();
    expect((await readJournal(path)).events).toEqual([said(0)]);
  });
});

/** A journal of some 12 kB: short and long lines, several scripts. */
const LONG = Array.from({ length: 60 }, (_, n) => ({
  ...said(n),
  text: `${n} ünï ${'x'.repeat((n * 37) % 120)} 漢字`,
}));
const LONG_TEXTS = LONG.map((event) => JSON.stringify(event));
const LONG_BYTES = Buffer.from(LONG.map((event, seq) => formatRecord(event, seq)).join(''));

function isBeginning(events: readonly SessionEvent[]): boolean {
  return events.every((event, at) => JSON.stringify(event) === LONG_TEXTS[at]);
}

function isEnd(events: readonly SessionEvent[]): boolean {
  const texts = LONG_TEXTS.slice(LONG_TEXTS.length - events.length);
  return events.every((event, at) => JSON.stringify(event) === texts[at]);
}

describe('a damaged journal (RE-5)', () => {
  it('cut at any byte yields its first entries, and loses at most the last line', () => {
    for (let cut = 0; cut <= LONG_BYTES.length; cut += 1) {
      const { events, goodBytes, damage, newer } = parseJournal(LONG_BYTES.subarray(0, cut));
      expect([damage, newer, isBeginning(events)]).toEqual([undefined, false, true]);
      const nextLine = LONG_BYTES.indexOf('\n', goodBytes);
      expect(nextLine === -1 || nextLine >= cut).toBe(true);
    }
  });

  it('is resumed every time, whatever the last write left behind', async () => {
    const path = join(dir, 'journal.jsonl');
    for (let cut = 0; cut <= LONG_BYTES.length; cut += 101) {
      writeFileSync(path, LONG_BYTES.subarray(0, cut));
      const whole = (await readJournal(path)).events.length;
      for (let times = 1; times <= 3; times += 1) {
        const { events, goodBytes } = await readJournal(path);
        const journal = openJournal(path, { seq: events.length, goodBytes, onFailure: () => {} });
        await journal.append(said(900 + times));
        await journal.close();
        appendFileSync(path, '{"v":2,"seq":9');
        expect(await readJournal(path)).not.toHaveProperty('damage');
        expect((await readJournal(path)).events).toHaveLength(whole + times);
      }
    }
  });

  it('with a byte flipped anywhere is never read as something else silently', () => {
    for (let at = 0; at < LONG_BYTES.length; at += 1) {
      const flipped = Buffer.from(LONG_BYTES);
      flipped[at] = (flipped[at] ?? 0) ^ ([0x01, 0x20, 0x80, 0xff][at % 4] ?? 1);
      const { events, damage, tornBytes, newer } = parseJournal(flipped);
      const behindFirst = damage === FIRST_IS_DAMAGED && isEnd(events.slice(1));
      expect(isBeginning(events) || behindFirst).toBe(true);
      expect(events.length === LONG.length || damage !== undefined || tornBytes > 0 || newer).toBe(true);
    }
  });

  it.each([
    ['missing', (lines: string[]) => lines.splice(20, 1), 20],
    ['swapped with the next', (lines: string[]) => lines.splice(20, 2, lines[21] ?? '', lines[20] ?? ''), 20],
    ['of another place', (lines: string[]) => lines.splice(20, 1, lines[40] ?? ''), 20],
    ['emptied', (lines: string[]) => lines.splice(20, 1, '\0'.repeat(80)), 20],
  ])('with a line that is %s is trusted up to there, and the line is named', async (_, change, believed) => {
    const path = join(dir, 'journal.jsonl');
    const lines = LONG_BYTES.toString().split('\n');
    change(lines);
    writeFileSync(path, lines.join('\n'));
    const { events, damage } = await readJournal(path);
    expect(events).toEqual(LONG.slice(0, believed));
    expect(damage).toMatch(/^line 2[12] is /);
  });
});

describe('reading a journal', () => {
  it('accepts a duplicate line once, and stops at a later version’s record', async () => {
    const path = join(dir, 'journal.jsonl');
    const line = JSON.stringify({ v: 1, seq: 0, event: said(0) });
    const newer = JSON.stringify({ v: 3, seq: 1, event: { kind: 'of tomorrow' } });
    writeFileSync(path, `${line}\n${line}\n${newer}\nnull\n`);
    expect(await readJournal(path)).toMatchObject({ events: [said(0)], newer: true });
  });

  it('distinguishes a missing file from an unreadable one', async () => {
    expect(await readJournal(join(dir, 'none'))).not.toHaveProperty('problem');
    mkdirSync(join(dir, 'folder'));
    expect((await readJournal(join(dir, 'folder'))).problem).toMatch(/EISDIR/);
  });

  it('updates old records, one version at a time', () => {
    const line = JSON.stringify({ v: 1, seq: 0, event: { session: 's', at: 1, kind: 'asked' } });
    const upcasters = {
      1: (event: object) => ({ ...event, type: 'kind' in event ? event.kind : '' }),
      2: (event: object) => ({ ...event, line: 'l', text: 't' }),
    };
    expect(parseRecord(line, 3, upcasters)).toMatchObject({ kind: 'event', event: { type: 'asked', line: 'l' } });
    expect(parseRecord(line, 4, upcasters)).toEqual({ kind: 'broken' });
  });

  it.each([1, 2])('reads a journal of version %i', async (version) => {
    const golden = fileURLToPath(new URL(`golden-v${version}.jsonl`, import.meta.url));
    const { events, damage, tornBytes } = await readJournal(golden);
    expect([damage, tornBytes]).toEqual([undefined, 0]);
    expect(events.map((event) => event.type)).toEqual(['opened', 'asked', 'replyEnded', 'actionStarted']);
  });
});

describe('two programs on one session', () => {
  it('compete for its lock: one gets it, the others learn its pid, and it is free after a kill', async () => {
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

  it('are not confused by a pid that another process got meanwhile', () => {
    writeFileSync(join(dir, 'lock'), `${process.ppid} 1`);
    expect(lockSession(dir)).toHaveProperty('release');
    expect(readFileSync(join(dir, 'lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} \\d+$`));
  });

  it('start without a real lock where no lock file can be written', () => {
    writeFileSync(join(dir, 'file'), '');
    expect(lockSession(join(dir, 'file', 'session'))).toHaveProperty('release');
  });
});
