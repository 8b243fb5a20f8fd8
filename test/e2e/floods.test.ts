/**
 * RE-6: a server that pours out what no screen can hold costs a clear line; keys stay quick meanwhile, memory bounded.
 * `npm run check -- floods` also measures the keys, against the same program at rest.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keyLatency, latencyOf } from '../bench/typing.ts';
import { type FaultName, forkFaultServer } from '../support/fault-server.ts';
import { scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { restored } from '../support/written.ts';

/** Keys typed during the floods of one kind, where they are measured. */
const KEYS = Number(process.env.AISH_FLOOD_KEYS ?? 0);
const PATIENCE = 60_000;
/** From the key until the answer has ended on the screen. */
const MAX_ABORT_MS = 100;

/** What the user reads of each. */
const FLOODS = [
  ['ten-megabytes-in-one-line', /did not stop writing; the answer was cut at 1000000 characters/],
  ['ten-megabytes-in-one-event', /sent something that is not a chat answer: a line of more than 4194304 bytes/],
  ['ten-megabytes-without-a-line-end', /not a chat answer: a line of more than 4194304 bytes/],
  ['line-of-64-megabytes', /not a chat answer: a line of more than 4194304 bytes/],
  ['deep-event', /not a chat answer: nested more than 200 levels deep/],
  ['deep-arguments', /the arguments of bash are not a JSON object/],
] as const satisfies readonly (readonly [FaultName, RegExp])[];

/** In MB; `VmHWM`: the most there has ever been. Linux tells it. */
function memory(rig: Rig, kind: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${rig.pty.pid}/status`, 'utf8');
  return Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}

const isBusy = (rig: Rig) => / (?:connecting|reading|thinking|answering|checking|stopping).* stops/.test(rig.text());

/** A question is asked, and letters are typed until its answer is over; ms for each to stand in the prompt. */
async function keysDuring(rig: Rig, calls: () => number): Promise<number[]> {
  const times: number[] = [];
  const before = calls();
  rig.type('\x15?tell me all\r');
  await rig.waitFor(() => calls() > before);
  for (let n = 1; times.length === 0 || isBusy(rig); n = (n % 40) + 1) {
    if (n === 1) rig.key('ctrl-u');
    const typed = new RegExp(`\\]> z{${n}}(?!z)`);
    const began = performance.now();
    rig.type('z');
    await rig.waitFor(typed, PATIENCE);
    times.push(rig.shownSince - began);
  }
  rig.key('ctrl-u');
  return times;
}

/** A configuration with the server of a fault as the preset `fast`, and one that is well. */
function twoServers(well: string, fast: string) {
  const models = Object.entries({ well, fast }).map(([name, baseUrl]) => [
    name,
    { base_url: baseUrl, model: 'scripted' },
  ]);
  return { mode: 'unrestricted', max_tool_rounds: 2, model: 'well', models: Object.fromEntries(models) };
}

/** The program at rest after an answer, so that what any answer needs is loaded; the preset is `fast` now. */
async function atRest(rig: Rig): Promise<void> {
  await rig.waitFor('-- UNRESTRICTED --');
  rig.type('?hello\r');
  await rig.waitFor(/^\W*fine$/m);
  rig.type(':model fast\r');
  await rig.waitFor('[aish:fast]>');
}

it.each(['while it pours', 'when all of it has come'])('is aborted at once, %s', async (when) => {
  await using server = await forkFaultServer('stops-short-of-a-megabyte');
  await using well = await forkFaultServer('none');
  using place = scratch(undefined, twoServers(well.baseUrl, server.baseUrl));
  await using rig = startRig(place, { columns: 100, rows: 30 });
  await atRest(rig);
  rig.type('?tell me all\r');
  await rig.waitFor(/ answering /);
  // Drawn again with the time alone: nothing more comes.
  if (when === 'when all of it has come') await rig.waitFor(/ answering.* · [3-9] s/);
  const pressed = performance.now();
  rig.key('ctrl-c');
  await rig.waitFor(() => !isBusy(rig));
  const took = rig.shownSince - pressed;
  console.log(`aborted ${when}: ${took.toFixed(0)} ms`);
  // Without the long form's quiet, a machine may be busy with other things.
  expect(took).toBeLessThan(KEYS > 0 ? MAX_ABORT_MS : 20 * MAX_ABORT_MS);
});

it.each(FLOODS)('%s', { timeout: 4 * PATIENCE + KEYS * 1000 }, async (fault, says) => {
  await using server = await forkFaultServer(fault);
  await using well = await forkFaultServer('none');
  using place = scratch(undefined, twoServers(well.baseUrl, server.baseUrl));
  await using rig = startRig(place, { columns: 100, rows: 30 });
  await atRest(rig);
  const idle = memory(rig, 'VmRSS');
  const rest = KEYS > 0 ? await keyLatency(rig) : undefined;
  rig.key('ctrl-u');
  const times = await keysDuring(rig, server.calls);
  await rig.waitFor(says, PATIENCE);
  expect(rig.text()).not.toMatch(/^\s+at /m);
  while (times.length < KEYS) times.push(...(await keysDuring(rig, server.calls)));
  const most = memory(rig, 'VmHWM');
  console.log(`${fault}: memory ${most.toFixed(0)} MB, at rest ${idle.toFixed(0)} MB`);
  expect(most).toBeLessThan(1.5 * idle + 64);
  if (rest) {
    const busy = latencyOf(times, 0);
    console.log(
      `${fault}: key p99 ${busy.p99.toFixed(1)} ms, at rest ${rest.p99.toFixed(1)} ms (${times.length} keys)`,
    );
    expect(busy.p99).toBeLessThanOrEqual(3 * rest.p99);
  }
  rig.type('\x15:quit\r');
  expect(await rig.exited).toMatchObject({ code: 0 });
  expect(restored(rig.raw)).toBe(true);
});
