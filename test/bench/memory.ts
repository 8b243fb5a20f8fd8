/**
 * `npm run bench -- memory`: the memory that a long run leaves: a Norris run of 2,000 steps on screen, the program's
 * memory at its end compared with that at step 100. Linux only: it reads /proc.
 */
import { readFileSync } from 'node:fs';
import { scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { startScriptedServer, whenever } from '../support/scripted-server.ts';

const STEPS = Number(process.env.BENCH_STEPS ?? 2000);
const FIRST = 100;
const GOAL = 1.3;
/** The number of samples. The median hides whether a garbage collection has just happened or is due. */
const SAMPLES = 50;

let step = 0;
const next = () => {
  step += 1;
  if (step > STEPS) return { text: 'GOAL: complete' };
  const args = { command: `seq -f 'line %g of part ${step}' 12` };
  return { text: `I look at part ${step}.`, toolCalls: [{ name: 'bash', args, id: `call-${step}` }] };
};
await using server = await startScriptedServer([whenever(/./, { from: next })]);
using place = scratch(server.baseUrl, {
  mode: 'unrestricted',
  safety: { llm_second_opinion: false },
  norris: { max_norris_steps: STEPS + 1 },
});
await using rig = startRig(place, {
  columns: 100,
  rows: 30,
  ...(process.env.BENCH_NODE_OPTIONS ? { env: { NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS } } : {}),
});
await rig.waitFor('[aish:fast]>');

/** Returns the resident memory of the program in MB. */
function memory(): number {
  const [, rss = Number.NaN] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${rig.pty.pid}/status`, 'utf8')) ?? [];
  return Number(rss) / 1024;
}

/** Returns the median over the steps before this one. */
async function around(last: number): Promise<number> {
  const seen: number[] = [];
  for (let at = last - SAMPLES; at <= last; at += 1) {
    await server.request(at);
    seen.push(memory());
  }
  return seen.sort((a, b) => a - b)[Math.floor(seen.length / 2)] ?? Number.NaN;
}

rig.type(':norris look at everything\r');
const began = performance.now();
const early = await around(FIRST);
for (let at = 500; at < STEPS; at += 500) {
  await server.request(at);
  console.log(`step ${at}: ${memory().toFixed(0)} MB`);
}
const late = await around(STEPS);
const perStep = (performance.now() - began) / STEPS;
const ratio = late / early;
console.log(`${STEPS} steps, ${perStep.toFixed(0)} ms each`);
console.log(
  `memory at the end ${late.toFixed(0)} MB ÷ at step ${FIRST} ${early.toFixed(0)} MB = ${ratio.toFixed(2)} (goal ≤ ${GOAL}) ${ratio <= GOAL ? 'ok' : 'MISSED'}`,
);
process.exitCode = ratio <= GOAL ? 0 : 1;
