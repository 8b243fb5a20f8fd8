/**
 * RE-6: a server that floods the program costs one clear line; keys stay quick and memory bounded. `npm run check --
 * floods` also measures the keys against those of the same program between two floods.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { latencyOf } from '../bench/typing.ts';
import { type FaultName, forkFaultServer } from '../support/fault-server.ts';
import { scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { restored } from '../support/terminal-output.ts';

/** How many keys are typed during the floods of one kind when they are measured. */
/** The delay in ms that a key may have during a flood: within two frames of a slow screen it does not feel late. */
const UNFELT_MS = 33;
const KEYS = Number(process.env.AISH_FLOOD_KEYS ?? 0);
/** The least number of keys typed at rest between two floods. */
const KEYS_IN_A_ROW = 5;
/** The number of letters after which the line is cleared. */
const LINE_LETTERS = 40;
/** The time in ms between the display of one letter and the typing of the next. */
const PACE_MS = 12;
const PATIENCE = 60_000;
/** The longest time in ms from the key to the end of the answer on the screen. */
const MAX_ABORT_MS = 100;

/** Each kind of flood with the line that the user reads. */
const FLOODS = [
  ['ten-megabytes-in-one-line', /did not stop writing; the answer was cut at 1000000 characters/],
  ['ten-megabytes-in-one-event', /sent something that is not a chat answer: a line of more than 4194304 bytes/],
  ['ten-megabytes-without-a-line-end', /not a chat answer: a line of more than 4194304 bytes/],
  ['line-of-64-megabytes', /not a chat answer: a line of more than 4194304 bytes/],
  ['deep-event', /not a chat answer: nested more than 200 levels deep/],
  ['deep-arguments', /the arguments of bash are not a JSON object/],
] as const satisfies readonly (readonly [FaultName, RegExp])[];

/** Returns memory in MB from /proc; `VmHWM` is the peak. Linux only. */
function memory(rig: Rig, kind: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${rig.pty.pid}/status`, 'utf8');
  return Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}

const isBusy = (rig: Rig) => / (?:connecting|reading|thinking|answering|checking|stopping).* stops/.test(rig.text());

/**
 * Types the `nth` letter and returns the ms until it shows in the prompt. The pace is that of a fast typist, during
 * floods as at rest: a key pressed sooner would also wait for the redraw of the one before.
 */
async function letter(rig: Rig, nth: number): Promise<number> {
  const length = (nth % LINE_LETTERS) + 1;
  if (length === 1) {
    rig.key('ctrl-u');
    await rig.waitForGone(/\]> z/);
  }
  const typed = new RegExp(`\\]> z{${length}}(?!z)`);
  const began = performance.now();
  rig.type('z');
  await rig.waitFor(typed, PATIENCE);
  const took = rig.shownSince - began;
  await delay(PACE_MS);
  return took;
}

/** Measures keys while nothing else happens. */
async function keysAtRest(rig: Rig, keys: number): Promise<number[]> {
  const times: number[] = [];
  while (times.length < keys) times.push(await letter(rig, times.length));
  return times;
}

/** Asks a question, and types letters until its answer is over. */
async function keysDuring(rig: Rig, calls: () => number): Promise<number[]> {
  const times: number[] = [];
  const before = calls();
  rig.type('\x15?tell me all\r');
  await rig.waitFor(() => calls() > before);
  while (times.length === 0 || isBusy(rig)) times.push(await letter(rig, times.length));
  rig.key('ctrl-u');
  return times;
}

/** Returns a configuration whose preset `fast` is the faulty server, beside a preset of a healthy one. */
function twoServers(well: string, fast: string) {
  const models = Object.entries({ well, fast }).map(([name, baseUrl]) => [
    name,
    { base_url: baseUrl, model: 'scripted' },
  ]);
  return { mode: 'unrestricted', max_tool_rounds: 2, model: 'well', models: Object.fromEntries(models) };
}

/**
 * Brings the program to rest after an answer, so that everything an answer needs is loaded, with the preset `fast`
 * active.
 */
async function atRest(rig: Rig): Promise<void> {
  await rig.waitFor('-- UNRESTRICTED --');
  rig.type('?hello\r');
  await rig.waitFor(/^\W*fine$/m);
  rig.type(':model fast\r');
  await rig.waitFor('[aish:fast]>');
}

it.each(['while the server floods', 'when all of it has come'])('Ctrl-C aborts an answer at once %s', async (when) => {
  await using server = await forkFaultServer('stops-short-of-a-megabyte');
  await using well = await forkFaultServer('none');
  using place = scratch(undefined, twoServers(well.baseUrl, server.baseUrl));
  await using rig = startRig(place, { columns: 100, rows: 30 });
  await atRest(rig);
  rig.type('?tell me all\r');
  await rig.waitFor(/ answering /);
  // A redraw of the elapsed time alone shows that nothing more arrives.
  if (when === 'when all of it has come') await rig.waitFor(/ answering.* · [3-9] s/);
  const pressed = performance.now();
  rig.key('ctrl-c');
  await rig.waitFor(() => !isBusy(rig));
  const took = rig.shownSince - pressed;
  console.log(`aborted ${when}: ${took.toFixed(0)} ms`);
  // The short form runs on a machine that may be busy with other things.
  expect(took).toBeLessThan(KEYS > 0 ? MAX_ABORT_MS : 20 * MAX_ABORT_MS);
});

it.each(FLOODS)(
  'a flood of %s takes a bounded amount of memory, and leaves a message of one line',
  { timeout: 4 * PATIENCE + KEYS * 1000 },
  async (fault, says) => {
    await using server = await forkFaultServer(fault);
    await using well = await forkFaultServer('none');
    using place = scratch(undefined, twoServers(well.baseUrl, server.baseUrl));
    await using rig = startRig(place, { columns: 100, rows: 30 });
    await atRest(rig);
    const idle = memory(rig, 'VmRSS');
    const busy = await keysDuring(rig, server.calls);
    await rig.waitFor(says, PATIENCE);
    // The peak of one flood only: over many floods the answers in the conversation add up.
    const most = memory(rig, 'VmHWM');
    expect(rig.text()).not.toMatch(/^\s+at /m);
    const rest: number[] = [];
    // Floods and rest alternate, so that other load on the machine affects both.
    while (busy.length < KEYS) {
      rest.push(...(await keysAtRest(rig, Math.max(KEYS_IN_A_ROW, busy.length - rest.length))));
      busy.push(...(await keysDuring(rig, server.calls)));
    }
    console.log(`${fault}: memory ${most.toFixed(0)} MB, at rest ${idle.toFixed(0)} MB`);
    expect(most).toBeLessThan(1.5 * idle + 64);
    if (KEYS > 0) {
      const [during, idly] = [latencyOf(busy, 0), latencyOf(rest, 0)];
      console.log(
        `${fault}: key p50 / p99 ${during.p50.toFixed(1)} / ${during.p99.toFixed(1)} ms (${busy.length} keys), at rest ${idly.p50.toFixed(1)} / ${idly.p99.toFixed(1)} ms (${rest.length})`,
      );
      expect(during.p99).toBeLessThanOrEqual(Math.max(3 * idly.p99, UNFELT_MS));
    }
    rig.type('\x15:quit\r');
    expect(await rig.exited).toMatchObject({ code: 0 });
    expect(restored(rig.raw)).toBe(true);
  },
);
