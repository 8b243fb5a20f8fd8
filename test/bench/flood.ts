/**
 * `npm run bench -- flood`: 100 MB of coloured output. The executor compared with the same terminal read and discarded,
 * in turns. Then the built program: the delay of a key during the flood compared with idle, and the memory it takes.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node-pty';
import { runOnce } from '../../src/executor/index.ts';
import { scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { keyLatency, type Latency, latencyOf, median } from './typing.ts';

const MEGABYTES = Number(process.env.BENCH_MEGABYTES ?? 100);
const ROUNDS = 3;
const SIZE = { columns: 120, rows: 40 };
const GOALS = { throughput: 0.5, keys: 3, megabytes: 64 } as const;

const LINE = (n: number) =>
  `\x1b[3${n % 8}m${String(n).padStart(6)}\x1b[0m some text to fill the line, \x1b[1;32mgreen\x1b[m and plain again\n`;
const BLOCK = Array.from({ length: 2 ** 20 / LINE(0).length }, (_, n) => LINE(n)).join('');
const plain = (text: string) => text.replace(/\x1b\[[\d;]*m/g, '');

const folder = mkdtempSync(join(tmpdir(), 'aish-flood-'));
const block = join(folder, 'block');
writeFileSync(block, BLOCK);
const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: folder, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
const flood = `for ((n = 0; n < ${MEGABYTES}; n++)); do cat '${block}'; done; printf 'THE \\033[7mEND\\033[m\\n'`;

/** Returns the bytes per ms of a terminal whose output is discarded. */
function raw(): Promise<number> {
  return new Promise((resolve) => {
    const began = performance.now();
    let bytes = 0;
    const pty = spawn('/bin/bash', ['-c', flood], {
      cols: SIZE.columns,
      rows: SIZE.rows,
      name: 'xterm-256color',
      cwd: folder,
      env,
      encoding: null,
    });
    pty.onData((data) => {
      bytes += data.length;
    });
    pty.onExit(() => resolve(bytes / (performance.now() - began)));
  });
}

/** Sends the same output through the executor, into the full-text file; throws if the result is wrong. */
async function executed(): Promise<number> {
  const began = performance.now();
  const run = runOnce({ command: flood, cwd: folder, env, ...SIZE, dataDir: join(folder, 'out') });
  const { bytes, head, tail, omittedLines, file = '' } = await run.result;
  const speed = bytes / (performance.now() - began);
  const lines = MEGABYTES * (BLOCK.split('\n').length - 1) + 1;
  const expected: readonly (readonly [string, boolean])[] = [
    ['begins with the first line', plain(head).startsWith(plain(LINE(0)))],
    ['ends with the last lines', plain(tail).endsWith(`${plain(BLOCK).slice(-500)}THE END`)],
    ['counts every line', head.split('\n').length + tail.split('\n').length + omittedLines === lines],
    ['shows the last screen', run.output.lines(1).map(plain).join() === 'THE END'],
    ['is whole in its file', statSync(file).size === plain(BLOCK).length * MEGABYTES + 'THE END\n'.length],
  ];
  rmSync(file);
  for (const [what, holds] of expected) if (!holds) throw new Error(`the output no longer ${what}`);
  return speed;
}

/** Returns the resident memory of a process, in MB. */
function memory(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

const all = (parts: readonly Latency[]) =>
  latencyOf(
    parts.flatMap(({ times }) => times),
    0,
  );

/**
 * Measures the program itself, idle and in a flood in turns. The shim has become the program by exec, so its memory is
 * the program's.
 */
async function program() {
  using place = scratch();
  await using rig = startRig(place, { columns: 120, rows: 40 });
  await rig.waitFor('[aish:demo]>');
  // The first command loads code that must not be measured.
  rig.type('echo ready\r');
  await rig.waitFor(/exit 0/);
  const idle: Latency[] = [];
  const busy: Latency[] = [];
  const type = async () => {
    const latency = await keyLatency(rig);
    rig.key('ctrl-u');
    // A run of letters that no path contains by chance.
    await rig.waitForGone('zzzzz');
    return latency;
  };
  idle.push(await type());
  const before = memory(rig.pty.pid);
  const watch = watchMemory(rig);
  for (let round = 0; round < ROUNDS; round += 1) {
    rig.type(`while :; do cat '${block}'; done # ${round}\r`);
    await rig.waitFor('keys go to the program');
    rig.key('ctrl-]');
    await rig.waitFor('gives it the keyboard');
    busy.push(await type());
    rig.key('ctrl-c');
    await rig.waitForGone('gives it the keyboard');
    idle.push(await type());
  }
  return { idle: all(idle), busy: all(busy), growth: watch() - before };
}

/** Samples the memory of the program; calling the result stops and returns the peak. */
function watchMemory(rig: Rig): () => number {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, memory(rig.pty.pid));
  }, 50);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

const rounds: { raw: number; executed: number }[] = [];
for (let round = 0; round < ROUNDS; round += 1) rounds.push({ raw: await raw(), executed: await executed() });
const speed = (way: 'raw' | 'executed') => median(rounds.map((round) => round[way])) / 1000;
const throughput = median(rounds.map((round) => round.executed / round.raw));
console.log(
  `${MEGABYTES} MB in colour: executor ${speed('executed').toFixed(1)} MB/s ÷ raw ${speed('raw').toFixed(1)} MB/s = ${throughput.toFixed(2)} (goal ≥ ${GOALS.throughput}); head, last screen, line count and file are true`,
);
const { idle, busy, growth } = await program();
const keys = busy.p99 / idle.p99;
console.log(
  `key to screen p50/p99: flood ${busy.p50.toFixed(1)}/${busy.p99.toFixed(1)} ms ÷ idle ${idle.p50.toFixed(1)}/${idle.p99.toFixed(1)} ms: p99 × ${keys.toFixed(1)} (goal ≤ ${GOALS.keys})`,
);
console.log(`memory of the program grew by ${growth.toFixed(0)} MB (goal ≤ ${GOALS.megabytes})`);
rmSync(folder, { recursive: true, force: true });
process.exit(throughput >= GOALS.throughput && keys <= GOALS.keys && growth <= GOALS.megabytes ? 0 : 1);
