/**
 * 200 tokens a second: processor time compared with a loop that only copies them to the terminal, and keys meanwhile.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { scratch } from '../../support/program.ts';
import { type Rig, startRig } from '../../support/rig.ts';
import { AGENTS, type Agent, cpuOf, FLOORS, openAgent, SIZE } from '../contenders.ts';
import type { Section } from '../section.ts';
import { keyLatency, tokenServer } from '../typing.ts';

const TOKENS_PER_SECOND = 200;
const WATCHED_MS = 4000;
const CPU = 'CPU at 200 tokens/s';
const [P50, P95, P99] = ['key p50 at 200 tokens/s', 'key p95 at 200 tokens/s', 'key p99 at 200 tokens/s'];

/** A script that reads the stream in the simplest way and prints its text. */
const COPY = `
  const answer = await fetch(process.argv[1] + '/chat/completions', { method: 'POST', body: '{}' });
  let rest = '';
  const decoder = new TextDecoder();
  for await (const piece of answer.body) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\\n');
    rest = lines.pop();
    for (const line of lines)
      if (line.startsWith('data: ')) process.stdout.write(JSON.parse(line.slice(6)).choices[0].delta.content);
  }`;

/** Returns the processor time of its stream in ms, on a screen of that size. */
export function streamingCpu(agent: Agent, size = SIZE): Promise<number> {
  return whileStreaming(agent, busy, size);
}

async function whileStreaming<T>(agent: Agent, measure: (rig: Rig) => Promise<T>, size = SIZE): Promise<T> {
  const server = await tokenServer(TOKENS_PER_SECOND);
  using place = agent.place(server.baseUrl);
  await using rig = openAgent(agent, place, [], size);
  await rig.waitFor(agent.ready, 60_000);
  await delay(1500);
  rig.type(agent.asked('tell me a long story'));
  await rig.waitFor('token token');
  await delay(500);
  const measured = await measure(rig);
  server.close();
  return measured;
}

async function busy(rig: Rig): Promise<number> {
  const before = cpuOf(rig.pty.pid);
  await delay(WATCHED_MS);
  return cpuOf(rig.pty.pid) - before;
}

function agentStreams(agent: Agent) {
  return whileStreaming(agent, async (rig) => {
    const cpu = await busy(rig);
    const { p50, p95, p99 } = await keyLatency(rig);
    return { [CPU]: cpu, [P50]: p50, [P95]: p95, [P99]: p99 };
  });
}

async function copyStreams() {
  const server = await tokenServer(TOKENS_PER_SECOND);
  using place = scratch();
  const args = ['--input-type=module', '-e', COPY, server.baseUrl];
  await using rig = startRig(place, { ...SIZE, file: process.execPath, args });
  await rig.waitFor('token token');
  await delay(500);
  const cpu = await busy(rig);
  server.close();
  return { [CPU]: cpu };
}

async function echoes() {
  using place = scratch();
  await using rig = FLOORS.echo(place);
  await rig.waitFor('ready>');
  const { p50, p99 } = await keyLatency(rig);
  return { [P50]: p50, [P99]: p99 };
}

export const streaming: Section = {
  name: 'streaming',
  contenders: [
    { name: 'bare copy', measure: copyStreams },
    { name: 'echo', measure: echoes },
    ...AGENTS.map((agent) => ({ name: agent.name, measure: () => agentStreams(agent) })),
  ],
  figures: [
    {
      figure: CPU,
      beside: [
        { name: 'bare copy', goal: 3 },
        { name: 'pi', goal: 0.6 },
      ],
    },
    {
      figure: P50,
      beside: [
        { name: 'echo', goal: 3 },
        { name: 'pi', goal: 0.5 },
      ],
    },
    { figure: P95, beside: [{ name: 'pi', goal: 1 }] },
    { figure: P99, beside: [{ name: 'pi', goal: 1 }] },
  ],
};
