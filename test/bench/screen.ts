/**
 * `npm run bench`: what a person feels, as ratios against the least that could do it, measured in one run.
 * Times of a noisy machine mean little; ratios of neighbours mean more.
 */
import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { keyLatency, type Latency, median, tokenServer, writeSession } from './typing.ts';

const STARTS = Number(process.env.BENCH_STARTS ?? 7);

/** A program that only echoes: the floor under any key. */
const ECHO =
  "process.stdin.setRawMode(true); process.stdin.on('data', (d) => process.stdout.write(d)); process.stdout.write('ready ')";

/** Milliseconds from the start of the program to its prompt. */
async function firstFrame(): Promise<number> {
  using place = scratch();
  const began = performance.now();
  await using rig = startRig(place);
  await rig.waitFor('[aish:');
  return performance.now() - began;
}

function bareNode(): number {
  const began = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - began;
}

async function echoLatency(): Promise<Latency> {
  using place = scratch();
  await using rig = startRig(place, {
    file: process.execPath,
    args: ['-e', ECHO.replace('write(d)', "write(d.toString().replaceAll('\\x7f', '\\b \\b'))")],
  });
  await rig.waitFor('ready');
  return await keyLatency(rig);
}

async function programLatency(lines: number, streaming: boolean): Promise<Latency & { readonly idleFrames: number }> {
  const server = await tokenServer(200);
  using place = scratch(server.baseUrl);
  writeSession(place, lines);
  await using rig = startRig(place, { columns: 120, rows: 40, args: ['--resume', 'bench'] });
  await rig.waitFor('[aish:fast]>', 60_000);
  await delay(1500);
  let idleFrames = 0;
  if (streaming) {
    rig.type('?tell me a long story\r');
    await rig.waitFor('token token');
  } else {
    const before = rig.raw.length;
    await delay(5000);
    idleFrames = rig.raw.length - before;
  }
  const latency = await keyLatency(rig);
  server.close();
  return { ...latency, idleFrames };
}

function row(name: string, latency: Latency, floor: Latency): string {
  const ms = (value: number) => `${value.toFixed(1)} ms`.padStart(9);
  const ratio = `${(latency.p50 / floor.p50).toFixed(1)} / ${(latency.p99 / floor.p99).toFixed(1)}`;
  return `${name.padEnd(34)} p50 ${ms(latency.p50)}  p99 ${ms(latency.p99)}  ÷ echo ${ratio.padEnd(12)} ${latency.bytes.toFixed(0)} bytes/key`;
}

const starts: number[] = [];
const bares: number[] = [];
for (let n = 0; n < STARTS; n += 1) {
  bares.push(bareNode());
  starts.push(await firstFrame());
}
const [start, bare] = [median(starts), median(bares)];
console.log(`first frame ${start.toFixed(0)} ms ÷ node -e 0 ${bare.toFixed(0)} ms = ${(start / bare).toFixed(1)}`);

const floor = await echoLatency();
console.log(row('bare pty echo', floor, floor));
const results = new Map<string, Latency & { readonly idleFrames: number }>();
for (const streaming of [false, true]) {
  for (const lines of [100, 100_000]) {
    const name = `${streaming ? '200 tokens/s' : 'idle'}, ${lines.toLocaleString('en')} lines`;
    const latency = await programLatency(lines, streaming);
    results.set(name, latency);
    console.log(row(name, latency, floor));
  }
}
for (const kind of ['idle', '200 tokens/s']) {
  const [few, many] = [results.get(`${kind}, 100 lines`), results.get(`${kind}, 100,000 lines`)];
  if (few && many)
    console.log(`${kind}: p99 with 100,000 lines ÷ with 100 = ${(many.p99 / few.p99).toFixed(2)} (goal ≤ 1.25)`);
}
const idle = Math.max(...[...results.values()].map((result) => result.idleFrames));
console.log(`bytes drawn in 5 idle seconds: ${idle} (goal 0)`);
process.exit(idle === 0 ? 0 : 1);
