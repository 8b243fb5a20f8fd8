import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runProgram, scratch } from '../support/program.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { say, startScriptedServer, whenever } from '../support/scripted-server.ts';

/** Limits in counts rather than times, so they hold on any machine. `npm run bench` measures times. */
const MAX_REQUEST_BYTES = 5400;
const MAX_KEY_BYTES = 20;

it('the first request is small, in a run and in a chat', async () => {
  await using server = await startScriptedServer([whenever(/./, say('GOAL: complete'))]);
  using place = scratch(server.baseUrl);
  await runProgram(place, ['run', 'count the files']);
  const asked = server.requests.length;
  await using rig = await openRig(place, '[aish:fast]>');
  rig.type('?count the files\r');
  await server.request(asked + 1);
  for (const { text } of server.requests) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_REQUEST_BYTES);
});

/** Processor time in clock ticks. */
function ticks(rig: Rig): number {
  const fields = readFileSync(`/proc/${rig.pty.pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

it('a typed letter makes the screen write only a few bytes, and at rest it writes nothing and uses no processor', async () => {
  await using rig = await openRig(scratch(), '[aish:demo]>', { columns: 120, rows: 40 });
  rig.type('seq 100; echo th""en\r');
  await rig.waitFor(/│ then/);
  await rig.waitFor(/exit 0|✓/);
  const letters = 'hello, how is it';
  rig.type('?');
  await rig.waitFor('> ?');
  const before = rig.raw.length;
  for (const [at] of [...letters].entries()) {
    rig.type(letters[at] ?? '');
    await rig.waitFor(`?${letters.slice(0, at + 1).trimEnd()}`);
  }
  expect((rig.raw.length - before) / letters.length).toBeLessThanOrEqual(MAX_KEY_BYTES);
  // Waits for the work that the last command and the last letter started.
  await delay(1500);
  const [written, worked] = [rig.raw.length, ticks(rig)];
  await delay(1500);
  expect(rig.raw.length - written).toBe(0);
  expect(ticks(rig) - worked).toBeLessThanOrEqual(2);
});

it('a line that arrives in one piece is drawn only once', async () => {
  await using rig = await openRig(scratch(), '[aish:demo]>', { columns: 120, rows: 40 });
  rig.type('?');
  await rig.waitFor('> ?');
  const before = rig.raw.length;
  const line = 'what would it cost to draw each of these letters by itself';
  rig.type(line);
  await rig.waitFor(`?${line}`);
  // Typed letter by letter, each letter would cost more than two bytes.
  expect(rig.raw.length - before).toBeLessThanOrEqual(line.length + MAX_KEY_BYTES);
});

it('Enter on a shell line makes the program start at most one process, and wait for none', async () => {
  using place = scratch();
  const log = join(place.home, 'spawns');
  const preload = fileURLToPath(new URL('../support/told-spawns.mjs', import.meta.url));
  const env = { NODE_OPTIONS: `--import=${preload}`, AISH_SPAWNS: log };
  await using rig = await openRig(place, '[aish:demo]>', { env });
  rig.type('unset NODE_OPTIONS; echo re""ady\r');
  await rig.waitFor(/│ ready/);
  await rig.waitFor(/✓ \d/);
  await delay(1500);
  const before = readFileSync(log, 'utf8');
  const lines = ['echo line', 'for i in 1; do echo line; done', 'echo "$(echo line)"', "echo 'li''ne'"];
  for (const [n, line] of lines.entries()) {
    rig.type(`${line} | sed s/line/told-${n}/\r`);
    await rig.waitFor(`│ told-${n}`);
  }
  await delay(500);
  expect(before).toContain('spawn ');
  const since = readFileSync(log, 'utf8').slice(before.length).split('\n').filter(Boolean);
  expect(since.length).toBeLessThanOrEqual(lines.length);
  expect(since.filter((start) => /^\w+Sync /.test(start))).toEqual([]);
});
