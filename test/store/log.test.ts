import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog, openHistory } from '../../src/store/index.ts';

/** Stands for the secrets filter, and changes nothing. */
const asIs = <T>(value: T): T => value;

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aish-log-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the log', () => {
  it('is written as JSON lines at once, in a private file', () => {
    const folder = join(dir, 'log');
    createLog(folder, asIs, { now: () => 0 }).write('warning', 'a\nb', { preset: 'fast' });
    const [line = ''] = readFileSync(join(folder, 'aish.log'), 'utf8').split('\n');
    expect(JSON.parse(line)).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      pid: process.pid,
      level: 'warning',
      message: 'a\nb',
      preset: 'fast',
    });
    expect(statSync(join(folder, 'aish.log')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('keeps one older file, and never grows beyond two', () => {
    const log = createLog(dir, asIs, { maxBytes: 200 });
    for (let i = 0; i < 50; i += 1) log.write('info', `entry ${i}`);
    expect(statSync(join(dir, 'aish.log')).size).toBeLessThan(400);
    expect(statSync(join(dir, 'aish.log.1')).size).toBeLessThan(400);
    expect(readFileSync(join(dir, 'aish.log'), 'utf8')).toContain('entry 49');
  });

  it('does nothing where nothing can be written', () => {
    writeFileSync(join(dir, 'file'), '');
    createLog(join(dir, 'file'), asIs).write('error', 'lost');
  });
});

describe('the history of lines', () => {
  it('contains what two programs added', () => {
    const path = join(dir, 'history');
    const [one, two] = [openHistory(path, asIs), openHistory(path, asIs)];
    one.add('first');
    two.add('second');
    one.add('third');
    expect(openHistory(path, asIs).entries()).toEqual(['first', 'second', 'third']);
  });

  it('is cut to its newest lines, and skips invalid ones', () => {
    const path = join(dir, 'history');
    writeFileSync(path, `torn"\n42\n${Array.from({ length: 20_001 }, (_, i) => `"line ${i}"\n`).join('')}`);
    expect(openHistory(path, asIs).entries()).toHaveLength(10_000);
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(10_001);
    expect(openHistory(path, asIs).entries().at(-1)).toBe('line 20000');
  });
});
