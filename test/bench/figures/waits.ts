/** Measures the user’s waits: from Enter to the output of their own command, for the first action, for a whole run. */
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { scratch } from '../../support/program.ts';
import { type Rig, startRig } from '../../support/rig.ts';
import { agentServer } from '../agent-server.ts';
import { AGENTS, type Agent, openAgent, SIZE } from '../contenders.ts';
import type { Section } from '../section.ts';
import { median } from '../typing.ts';

const STEPS = 16;
const LINES = 30;
const LOADING_MS = 1500;
const ENTER = 'Enter to the output of an own command';
const [FIRST, LATER] = ['first action', 'later action'];
const [HEADLESS, SCREEN] = [`run of ${STEPS} steps, headless`, `run of ${STEPS} steps, full screen`];

async function entered(rig: Rig, shell: Agent['shell']) {
  const times: number[] = [];
  for (let n = 0; n < LINES; n += 1) {
    rig.type(shell(`echo told-$((${n} + 4000))`).slice(0, -1));
    await rig.waitFor(`$((${n} + 4000))`);
    await delay(100);
    const began = performance.now();
    rig.type('\r');
    await rig.waitFor(`told-${n + 4000}`);
    times.push(rig.shownSince - began);
    await delay(100);
  }
  return { [ENTER]: median(times) };
}

async function bash() {
  using place = scratch();
  await using rig = startRig(place, { ...SIZE, file: '/bin/bash', args: ['--norc'] });
  await delay(500);
  return await entered(rig, (line) => `${line}\r`);
}

const steps = () => agentServer((step) => (step > STEPS ? undefined : `echo this is step ${step}`));

async function headless(agent: Agent) {
  const server = await steps();
  using place = agent.place(server.baseUrl);
  const began = performance.now();
  const child = spawn(agent.file, agent.headless('look'), { cwd: place.work, env: place.env, stdio: 'ignore' });
  await new Promise((resolve) => child.on('close', resolve));
  server.close();
  return { [HEADLESS]: performance.now() - began };
}

async function onScreen(agent: Agent) {
  const server = await steps();
  using place = agent.place(server.baseUrl);
  await using rig = openAgent(agent, place);
  await rig.waitFor(agent.ready, 60_000);
  await delay(LOADING_MS);
  const began = performance.now();
  rig.type(agent.goal('look'));
  await server.reached(STEPS + 1);
  const whole = performance.now() - began;
  const [first = Number.NaN, ...later] = server.gaps;
  server.close();
  return { [SCREEN]: whole, [FIRST]: first, [LATER]: median(later) };
}

async function agentEnters(agent: Agent) {
  using place = agent.place('http://127.0.0.1:9/v1');
  await using rig = openAgent(agent, place);
  await rig.waitFor(agent.ready, 60_000);
  await delay(LOADING_MS);
  return await entered(rig, agent.shell);
}

export const waits: Section = {
  name: 'waits',
  contenders: [
    { name: 'bash', measure: bash },
    ...AGENTS.map((agent) => ({
      name: agent.name,
      measure: async () => ({ ...(await agentEnters(agent)), ...(await headless(agent)), ...(await onScreen(agent)) }),
    })),
  ],
  figures: [
    { figure: ENTER, beside: [{ name: 'bash' }, { name: 'pi', goal: 0.4 }] },
    {
      figure: FIRST,
      beside: [
        { name: 'pi', goal: 1 },
        { name: 'aish-tui', figure: LATER, goal: 3 },
      ],
    },
    { figure: HEADLESS, beside: [{ name: 'pi', goal: 0.8 }] },
    { figure: SCREEN, beside: [{ name: 'pi', goal: 0.9 }] },
  ],
};
