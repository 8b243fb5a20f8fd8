/**
 * `npm run bench -- keys`: a key until it stands on the screen, in turns with the least that could show it: a program
 * that only echoes, and the smallest Ink program. With BENCH_BEFORE=PATH an earlier build of this program takes part,
 * with BENCH_PEER="COMMAND" another one; its prompt must be empty and show what is typed. Read the ratios.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Scratch, scratch } from '../support/program.ts';
import { type Rig, type RigOptions, startRig } from '../support/rig.ts';
import { keyLatency, type Latency, latencyOf, tokenServer, writeSession } from './typing.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SIZE = { columns: 120, rows: 40 };
const SMALLEST_INK = fileURLToPath(new URL('smallest-ink.mjs', import.meta.url));
const ECHO =
  "process.stdin.setRawMode(true); process.stdin.on('data', (d) => process.stdout.write(d.toString().replaceAll('\\x7f', '\\b \\b'))); process.stdout.write('ready> ')";

type Scene = { readonly name: string; readonly lines: number; readonly streaming: boolean };
const SCENES: readonly Scene[] = [
  { name: 'empty screen', lines: 0, streaming: false },
  { name: 'full screen', lines: 100, streaming: false },
  { name: '100,000 lines', lines: 100_000, streaming: false },
  { name: '200 tokens/s', lines: 100, streaming: true },
];

type Contender = {
  readonly name: string;
  readonly options: (scene: Scene) => RigOptions | undefined;
  readonly ready: string | RegExp;
};

function contenders(): readonly Contender[] {
  const node = process.execPath;
  const program = (file?: string) => (scene: Scene) => ({
    ...(file === undefined ? {} : { file }),
    args: scene.lines > 0 ? ['--resume', 'bench'] : [],
  });
  const before = process.env.BENCH_BEFORE;
  const [peer, ...args] = (process.env.BENCH_PEER ?? '').split(' ').filter(Boolean);
  return [
    {
      name: 'echo',
      ready: 'ready',
      options: ({ streaming }) => (streaming ? undefined : { file: node, args: ['-e', ECHO] }),
    },
    {
      name: 'smallest Ink',
      ready: 'ready',
      options: ({ lines, streaming }) =>
        streaming ? undefined : { file: node, args: [SMALLEST_INK, String(Math.min(lines, SIZE.rows - 2))] },
    },
    ...(before === undefined ? [] : [{ name: 'before', ready: '[aish:fast]>', options: program(before) }]),
    { name: 'aish-tui', ready: '[aish:fast]>', options: program() },
    ...(peer === undefined
      ? []
      : [
          {
            name: 'peer',
            ready: /\S/,
            options: ({ lines, streaming }: Scene) => (lines > 0 || streaming ? undefined : { file: peer, args }),
          },
        ]),
  ];
}

/** Ticks of processor time so far, in ms, of a process. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

type Measured = Latency & { readonly cpu: number };

async function measure(rig: Rig, scene: Scene): Promise<Measured> {
  if (scene.streaming) {
    rig.type('?tell me a long story\r');
    await rig.waitFor('token token');
  }
  const before = cpuOf(rig.pty.pid);
  const latency = await keyLatency(rig);
  return { ...latency, cpu: (cpuOf(rig.pty.pid) - before) / latency.times.length };
}

async function round(contender: Contender, scene: Scene, place: Scratch): Promise<Measured | undefined> {
  const options = contender.options(scene);
  if (!options) return undefined;
  writeSession(place, scene.lines);
  await using rig = startRig(place, { ...SIZE, ...options });
  await rig.waitFor(contender.ready, 60_000);
  // What is loaded behind the first frame is no key's.
  await delay(1500);
  return await measure(rig, scene);
}

function together(rounds: readonly Measured[]): Measured {
  const mean = (of: (each: Measured) => number) => rounds.reduce((sum, each) => sum + of(each), 0) / rounds.length;
  const bytes = mean((each) => each.bytes);
  return {
    ...latencyOf(
      rounds.flatMap((each) => each.times),
      bytes,
    ),
    cpu: mean((each) => each.cpu),
  };
}

const [wanted] = process.argv.slice(2);
for (const scene of SCENES.filter(({ name }) => wanted === undefined || name.includes(wanted))) {
  const server = await tokenServer(200);
  const all = new Map<string, Measured[]>();
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    for (const contender of contenders()) {
      using place = scratch(server.baseUrl);
      const measured = await round(contender, scene, place);
      if (measured) all.set(contender.name, [...(all.get(contender.name) ?? []), measured]);
    }
  }
  server.close();
  const sums = new Map([...all].map(([name, rounds]) => [name, together(rounds)]));
  const ours = sums.get('aish-tui');
  console.log(scene.name);
  for (const [name, { p50, p99, bytes, cpu }] of sums) {
    const ratio =
      ours && name !== 'aish-tui' ? `  ours ÷ it: ${(ours.p50 / p50).toFixed(2)} / ${(ours.p99 / p99).toFixed(2)}` : '';
    const figures = `p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(1)} ms  ${bytes.toFixed(0)} bytes  CPU ${cpu.toFixed(1)} ms`;
    console.log(`  ${name.padEnd(14)}${figures}${ratio}`);
  }
}
process.exit(0);
