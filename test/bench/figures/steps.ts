/** From the end of a model's answer to the request with the result of its command: no step is faster than this is. */
import { spawn } from 'node:child_process';
import { agentServer } from '../agent-server.ts';
import { AGENTS, type Agent, openAgent } from '../contenders.ts';
import type { Section } from '../section.ts';
import { median } from '../typing.ts';

const STEPS = 60;
/** The first ones load what the others use. */
const WARM_UP = 10;
const [HEADLESS, SCREEN] = ['gap per step, headless', 'gap per step, full screen'];

/** Asks, runs, tells: what no agent can do without. */
const LOOP = `
  import { spawn } from 'node:child_process';
  const messages = [{ role: 'user', content: 'go' }];
  for (;;) {
    const answer = await fetch(process.argv[1] + '/chat/completions', { method: 'POST', body: JSON.stringify({ messages }) });
    const text = await answer.text();
    const deltas = text.split('\\n').filter((line) => line.startsWith('data: {')).map((line) => JSON.parse(line.slice(6)).choices[0].delta);
    const call = deltas.flatMap((delta) => delta.tool_calls ?? [])[0];
    if (!call) break;
    const child = spawn('/bin/bash', ['-c', JSON.parse(call.function.arguments).command], { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    child.stdout.on('data', (data) => { out += data; });
    await new Promise((resolve) => child.on('close', resolve));
    messages.push({ role: 'assistant', tool_calls: [call] }, { role: 'tool', tool_call_id: call.id, content: out });
  }`;

const commands = () => agentServer((step) => (step > STEPS ? undefined : `echo this is step ${step}`));

async function ran(file: string, args: readonly string[], place: { work: string; env: Record<string, string> }) {
  const child = spawn(file, args, { cwd: place.work, env: place.env, stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve) => child.on('close', resolve));
}

const gap = (gaps: readonly number[]) => median(gaps.slice(WARM_UP));

async function agentSteps(agent: Agent) {
  const [headless, screen] = [await commands(), await commands()];
  using place = agent.place(headless.baseUrl);
  await ran(agent.file, agent.headless('look at everything'), place);
  using other = agent.place(screen.baseUrl);
  await using rig = openAgent(agent, other);
  await rig.waitFor(agent.ready, 60_000);
  rig.type(agent.goal('look at everything'));
  await screen.reached(STEPS + 1);
  for (const server of [headless, screen]) server.close();
  return { [HEADLESS]: gap(headless.gaps), [SCREEN]: gap(screen.gaps) };
}

async function loopSteps() {
  const server = await commands();
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
  await ran(process.execPath, ['--input-type=module', '-e', LOOP, server.baseUrl], { work: '/', env });
  server.close();
  return { [HEADLESS]: gap(server.gaps) };
}

export const steps: Section = {
  name: 'steps',
  contenders: [
    { name: 'bare loop', measure: loopSteps },
    ...AGENTS.map((agent) => ({ name: agent.name, measure: () => agentSteps(agent) })),
  ],
  figures: [
    {
      figure: HEADLESS,
      beside: [
        { name: 'bare loop', goal: 1.5 },
        { name: 'pi', goal: 1 },
      ],
    },
    {
      figure: SCREEN,
      beside: [
        { name: 'bare loop', figure: HEADLESS, goal: 2.5 },
        { name: 'pi', goal: 1 },
      ],
    },
  ],
};
