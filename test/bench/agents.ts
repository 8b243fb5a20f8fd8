/**
 * `npm run bench -- agents`: the delay of keys while eight sub-agents stream, compared with the same program at rest.
 * Rest and work alternate in one program, so that a noisy machine affects both alike.
 */
import type { ServerResponse } from 'node:http';
import { scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { keyLatency, type Latency, latencyOf, tokenServer } from './typing.ts';

const AGENTS = 8;
/** The speed of the model’s server: a fast one that serves all sub-agents at once. */
const TOKENS_PER_SECOND = 100;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);

/** The parent delegates eight tasks; its sub-agents write without end. */
function delegate(body: string, response: ServerResponse): boolean {
  if (body.includes('[SUB-AGENT]')) return false;
  const calls = Array.from({ length: AGENTS }, (_, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name: 'delegate', arguments: JSON.stringify({ task: `tell story number ${index + 1}` }) },
  }));
  const send = (delta: object, finish: string | null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  send({ tool_calls: calls }, null);
  send({}, 'tool_calls');
  response.end('data: [DONE]\n\n');
  return true;
}

function row(name: string, { p50, p99, bytes }: Latency): string {
  const ms = (value: number) => `${value.toFixed(1)} ms`.padStart(9);
  return `${name.padEnd(28)} p50 ${ms(p50)}  p99 ${ms(p99)}  ${bytes.toFixed(0)} bytes/key`;
}

/** Combines the measurements of all rounds into one. */
function together(rounds: readonly Latency[]): Latency {
  const bytes = rounds.reduce((sum, each) => sum + each.bytes, 0) / rounds.length;
  return latencyOf(
    rounds.flatMap((each) => each.times),
    bytes,
  );
}

const server = await tokenServer(TOKENS_PER_SECOND, delegate);
using place = scratch(server.baseUrl, { mode: 'unrestricted' });
await using rig = startRig(place, { columns: 120, rows: 40 });
await rig.waitFor('[aish:fast]>');
const idle: Latency[] = [];
const busy: Latency[] = [];
for (let round = 1; round <= ROUNDS; round += 1) {
  idle.push(await keyLatency(rig));
  rig.key('ctrl-u');
  rig.type(':norris tell stories\r');
  await rig.waitFor(`${AGENTS} sub-agents`);
  busy.push(await keyLatency(rig));
  rig.key('ctrl-x', 'ctrl-c');
  await rig.waitForGone('sub-agents');
  rig.key('ctrl-u');
  rig.type(':reset\r');
  await rig.waitFor('a new conversation starts');
  rig.key('ctrl-l');
}
const [rest, work] = [together(idle), together(busy)];
console.log(row('idle', rest));
console.log(row(`${AGENTS} × ${TOKENS_PER_SECOND} tokens/s`, work));
const ratio = work.p99 / rest.p99;
console.log(`p99 with ${AGENTS} sub-agents ÷ idle = ${ratio.toFixed(2)} (goal ≤ 2)`);
server.close();
process.exitCode = ratio <= 2 ? 0 : 1;
