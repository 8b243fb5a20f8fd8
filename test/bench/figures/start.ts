/**
 * The time from the start of a program to its prompt, to the first typed letter on screen, and to the first answer of
 * its shell; also the delay of keys while the rest is loaded.
 */
import { spawnSync } from 'node:child_process';
import { scratch } from '../../support/program.ts';
import { AGENTS, type Agent, FLOORS, openAgent } from '../contenders.ts';
import type { Section } from '../section.ts';
import { keyLatency } from '../typing.ts';

/** An address at which nothing answers. */
const NOWHERE = 'http://127.0.0.1:9/v1';
const [PROMPT, KEY, ANSWER] = ['start to the prompt', 'start to the first key', 'start to the first answer'];
const LOADING = 'slowest key while it loads';
/** The number of keys typed until everything is loaded, one every 15 ms or so. */
const KEYS_WHILE_LOADING = 30;

async function agentStarts(agent: Agent) {
  using place = agent.place(NOWHERE);
  const began = performance.now();
  await using rig = openAgent(agent, place);
  await rig.waitFor(agent.ready, 60_000);
  const prompt = performance.now() - began;
  rig.type('zz');
  await rig.waitFor('zz');
  const key = performance.now() - began;
  rig.key('backspace', 'backspace');
  rig.type(agent.shell('echo ready-$((40 + 2))'));
  await rig.waitFor('ready-42', 60_000);
  return { [PROMPT]: prompt, [KEY]: key, [ANSWER]: performance.now() - began };
}

async function agentLoads(agent: Agent) {
  using place = agent.place(NOWHERE);
  await using rig = openAgent(agent, place);
  await rig.waitFor(agent.ready, 60_000);
  return { [LOADING]: Math.max(...(await keyLatency(rig, KEYS_WHILE_LOADING)).times) };
}

async function nodeStarts() {
  const began = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  const ms = performance.now() - began;
  return { [PROMPT]: ms, [LOADING]: ms };
}

async function inkStarts() {
  using place = scratch();
  const began = performance.now();
  await using rig = FLOORS['smallest Ink'](place);
  await rig.waitFor('ready>');
  return { [PROMPT]: performance.now() - began };
}

export const start: Section = {
  name: 'start',
  contenders: [
    { name: 'node', measure: nodeStarts },
    { name: 'smallest Ink', measure: inkStarts },
    ...AGENTS.map((agent) => ({
      name: agent.name,
      measure: async () => ({ ...(await agentStarts(agent)), ...(await agentLoads(agent)) }),
    })),
  ],
  figures: [
    {
      figure: PROMPT,
      beside: [
        { name: 'node', goal: 2.5 },
        { name: 'smallest Ink', goal: 0.5 },
        { name: 'pi', goal: 0.25 },
      ],
    },
    { figure: KEY, beside: [{ name: 'pi', goal: 0.25 }] },
    // A node starts in some 40 ms: no part may take as long as two frames.
    { figure: LOADING, beside: [{ name: 'node', goal: 0.5 }, { name: 'pi' }] },
    {
      figure: ANSWER,
      beside: [
        { name: 'smallest Ink', figure: PROMPT, goal: 2 },
        { name: 'pi', figure: PROMPT, goal: 0.5 },
      ],
    },
  ],
};
