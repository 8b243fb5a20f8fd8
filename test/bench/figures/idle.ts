/** The cost while nothing happens. */
import { setTimeout as delay } from 'node:timers/promises';
import { scratch } from '../../support/program.ts';
import type { Rig } from '../../support/rig.ts';
import { AGENTS, type Agent, cpuOf, FLOORS, memoryOfTree, openAgent } from '../contenders.ts';
import type { Section } from '../section.ts';

const WATCHED_MS = 5000;
const [MEMORY, CPU, BYTES] = ['memory when idle, MB', 'CPU in 5 idle seconds, ms', 'bytes written in 5 idle seconds'];

async function atRest(rig: Rig) {
  await delay(3000);
  const { pid } = rig.pty;
  const [cpu, written] = [cpuOf(pid), rig.raw.length];
  await delay(WATCHED_MS);
  return { [MEMORY]: memoryOfTree(pid), [CPU]: cpuOf(pid) - cpu, [BYTES]: rig.raw.length - written };
}

async function agentRests(agent: Agent) {
  using place = agent.place('http://127.0.0.1:9/v1');
  await using rig = openAgent(agent, place);
  await rig.waitFor(agent.ready, 60_000);
  return await atRest(rig);
}

async function inkRests() {
  using place = scratch();
  await using rig = FLOORS['smallest Ink'](place);
  await rig.waitFor('ready>');
  return await atRest(rig);
}

export const idle: Section = {
  name: 'idle',
  contenders: [
    { name: 'smallest Ink', measure: inkRests },
    ...AGENTS.map((agent) => ({ name: agent.name, measure: () => agentRests(agent) })),
  ],
  figures: [
    {
      figure: MEMORY,
      limit: 100,
      beside: [
        { name: 'smallest Ink', goal: 1.2 },
        { name: 'pi', goal: 0.85 },
      ],
    },
    // One tick of Linux’s clock for processor time.
    { figure: CPU, limit: 10 },
    { figure: BYTES, limit: 0 },
  ],
};
