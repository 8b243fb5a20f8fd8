/** The cost of the launcher (SB-4): `bash -c true` with and without it, by the same parent, in turns. */
import { spawn } from 'node:child_process';
import { createPrivateTmp, detectSandbox, sandboxArgv, supervisedArgv } from '../../src/effects/sandbox/index.ts';
import { buildTools, type Tools } from '../effects/sandbox/tools.ts';

const ROUNDS = 80;
const TRUE = ['bash', '-c', 'true'];

function milliseconds(argv: readonly string[], tmpDir: string): Promise<number> {
  const [program = '', ...rest] = argv;
  return new Promise((resolve) => {
    const before = performance.now();
    const child = spawn(program, rest, { stdio: 'ignore', env: { PATH: process.env.PATH, TMPDIR: tmpDir } });
    child.on('exit', () => resolve(performance.now() - before));
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function measure(tools: Tools): Promise<void> {
  if (!(await detectSandbox({ launcher: tools.launcher })).available) {
    console.log('no kernel sandbox here: nothing to measure');
    return;
  }
  const times = { plain: [] as number[], restricted: [] as number[], supervised: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const tmp = createPrivateTmp();
    const launch = { launcher: tools.launcher, argv: TRUE, tmpDir: tmp.path };
    times.plain.push(await milliseconds(TRUE, tmp.path));
    times.restricted.push(await milliseconds(sandboxArgv({ ...launch, statusFile: tmp.statusFile }), tmp.path));
    times.supervised.push(await milliseconds(supervisedArgv(launch), tmp.path));
    tmp.dispose();
  }
  const plain = median(times.plain);
  const [restricted, supervised] = [median(times.restricted) / plain, median(times.supervised) / plain];
  console.log(`bash -c true                ${plain.toFixed(2)} ms, the median of ${ROUNDS}`);
  console.log(`sandboxed                   x ${restricted.toFixed(2)} (at most 2)`);
  console.log(`supervised only             x ${supervised.toFixed(2)}`);
}

const tools = await buildTools();
try {
  await measure(tools);
} finally {
  tools.dispose();
}
