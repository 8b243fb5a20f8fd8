import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { limitOutputs, runOnce, saveOutput } from '../../src/executor/index.ts';

const MB = 1_000_000;
/**
 * The bytes that an output may take beyond the budget: its first block and its last, each ending within a line or a
 * block.
 */
const MARGIN = 1.6 * MB;

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'aish-budget-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const text = (lines: number) => Array.from({ length: lines }, (_, n) => `line ${n} of a long output\n`).join('');
const taken = () => readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);

it('an output beyond the session’s budget keeps its beginning and its end, with a line between them', async () => {
  let told = 0;
  limitOutputs(dir, 3 * MB, () => {
    told += 1;
  });
  const whole = text(250_000);
  const kept = readFileSync((await saveOutput(dir, whole)) ?? '', 'utf8');
  const [head = '', omitted, tail = ''] = kept.split(/\n\[(\d+) bytes are missing here: .*disk\.session_mb\]\n/);
  expect(whole.startsWith(head)).toBe(true);
  expect(whole.endsWith(tail)).toBe(true);
  expect(head.length).toBeGreaterThan(2 * MB);
  expect(tail.length).toBeGreaterThan(MB);
  expect(head.length + Number(omitted) + tail.length).toBe(whole.length);
  expect(told).toBe(1);
  for (let n = 0; n < 3; n += 1) await saveOutput(dir, whole);
  expect(told).toBe(1);
  expect(taken()).toBeLessThan(3 * MB + 4 * MARGIN);
});

it('a file that is not kept after all frees its share of the budget', async () => {
  let told = 0;
  limitOutputs(dir, 3 * MB, () => {
    told += 1;
  });
  const env = { PATH: process.env.PATH ?? '' };
  // Many bytes but one final line, so no file is needed in the end.
  const command = 'for i in 1 2 3 4 5 6 7 8; do head -c 250000 /dev/zero | tr "\\0" "\\r"; done; echo done';
  for (let n = 0; n < 3; n += 1) {
    const run = runOnce({ command, cwd: dir, env, columns: 80, rows: 24, dataDir: dir });
    expect((await run.result).file).toBeUndefined();
  }
  const whole = text(60_000);
  expect(readFileSync((await saveOutput(dir, whole)) ?? '', 'utf8')).toBe(whole);
  expect(told).toBe(0);
});
