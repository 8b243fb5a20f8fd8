/**
 * `npm run bench -- start`: from the start of the program to its prompt, to the first typed letter on the screen, and to
 * the first answer of the shell, in turns with a bare Node and the smallest Ink program. With BENCH_BEFORE=PATH an
 * earlier build takes part. Read the ratios.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { median } from './typing.ts';

const STARTS = Number(process.env.BENCH_STARTS ?? 7);
const SMALLEST_INK = fileURLToPath(new URL('smallest-ink.mjs', import.meta.url));
const FIGURES = ['prompt', 'first key', 'first answer'] as const;

type Figures = Readonly<Partial<Record<(typeof FIGURES)[number], number>>>;

function bareNode(): Figures {
  const began = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return { prompt: performance.now() - began };
}

async function smallestInk(): Promise<Figures> {
  using place = scratch();
  const began = performance.now();
  await using rig = startRig(place, { file: process.execPath, args: [SMALLEST_INK] });
  await rig.waitFor('ready>');
  const prompt = performance.now() - began;
  rig.type('z');
  await rig.waitFor('ready> z');
  return { prompt, 'first key': performance.now() - began };
}

async function program(file: string | undefined): Promise<Figures> {
  using place = scratch('http://127.0.0.1:9/v1');
  const began = performance.now();
  await using rig = startRig(place, file === undefined ? {} : { file });
  await rig.waitFor('[aish:fast]>');
  const prompt = performance.now() - began;
  rig.type('e');
  await rig.waitFor('[aish:fast]> e');
  const key = performance.now() - began;
  rig.type('cho ready-$((40 + 2))\r');
  await rig.waitFor('ready-42');
  return { prompt, 'first key': key, 'first answer': performance.now() - began };
}

const before = process.env.BENCH_BEFORE;
const contenders: Readonly<Record<string, () => Promise<Figures>>> = {
  'node -e 0': async () => bareNode(),
  'smallest Ink': smallestInk,
  ...(before === undefined ? {} : { before: () => program(before) }),
  'aish-tui': () => program(undefined),
};
const all = new Map<string, Figures[]>();
for (let turn = 0; turn < STARTS; turn += 1)
  for (const [name, start] of Object.entries(contenders)) all.set(name, [...(all.get(name) ?? []), await start()]);

const middle = (name: string, figure: (typeof FIGURES)[number]) => {
  const values = (all.get(name) ?? []).flatMap((each) => each[figure] ?? []);
  return values.length === 0 ? undefined : median(values);
};
for (const name of all.keys()) {
  const cells = FIGURES.map((figure) => {
    const [value, ours] = [middle(name, figure), middle('aish-tui', figure)];
    if (value === undefined || ours === undefined) return '';
    const ratio = name === 'aish-tui' ? '' : ` (ours ÷ it ${(ours / value).toFixed(2)})`;
    return `${figure} ${value.toFixed(0)} ms${ratio}`;
  });
  console.log(`${name.padEnd(14)}${cells.filter(Boolean).join('   ')}`);
}
