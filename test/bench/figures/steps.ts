/**
 * Measures the least time of a step: from the end of a model’s answer to the request with the result of its command.
 */
import { spawn } from 'node:child_process';
import { scratch } from '../../support/program.ts';
import { type AgentServer, agentServer } from '../agent-server.ts';
import { AGENTS, type Agent, openAgent } from '../contenders.ts';
import type { Section } from '../section.ts';
import { Turns } from '../turns.ts';
import { median } from '../typing.ts';

const STEPS = 60;
/** The number of first steps that are not counted, since they load code that later steps use. */
const WARM_UP = 10;
/** Steps before the next program continues, so that load on the machine affects all alike. */
const STEPS_PER_TURN = 5;
const [HEADLESS, SCREEN] = ['gap per step, headless', 'gap per step, full screen'];

/** A program that asks the model, runs the command and reports the result: the minimum of any agent. */
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

async function ran(file: string, args: readonly string[], place: { work: string; env: Record<string, string> }) {
  const child = spawn(file, args, { cwd: place.work, env: place.env, stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve) => child.on('close', resolve));
}

/** Makes a program work with a model of its own; resolves to the median of its gaps once all steps are done. */
type Work = (model: AgentServer) => Promise<void>;

const loop: Work = async ({ baseUrl }) => {
  // A plain environment, as the other contenders have: with a language set, bash opens two dozen more files.
  using place = scratch();
  return await ran(process.execPath, ['--input-type=module', '-e', LOOP, baseUrl], place);
};

function headless(agent: Agent): Work {
  return async ({ baseUrl }) => {
    using place = agent.place(baseUrl);
    await ran(agent.file, agent.headless('look at everything'), place);
  };
}

function onScreen(agent: Agent): Work {
  return async (model) => {
    using place = agent.place(model.baseUrl);
    await using rig = openAgent(agent, place);
    await rig.waitFor(agent.ready, 60_000);
    rig.type(agent.goal('look at everything'));
    await model.reached(STEPS + 1);
  };
}

/** Returns the median gap of each program, measured in turns. */
async function inTurns(works: readonly Work[]): Promise<readonly number[]> {
  const turns = new Turns(works.length, STEPS_PER_TURN);
  const gapOf = async (work: Work) => {
    const who = {};
    const model = await agentServer(
      (step) => (step > STEPS ? undefined : `echo this is step ${step}`),
      () => turns.step(who),
    );
    await work(model);
    turns.leave(who);
    model.close();
    return median(model.gaps.slice(WARM_UP));
  };
  return Promise.all(works.map(gapOf));
}

/** One round of all contenders; each figure takes its own times from it. */
let round: Promise<readonly number[]> | undefined;
const works = [loop, ...AGENTS.flatMap((agent) => [headless(agent), onScreen(agent)])];

async function measure(...figures: readonly (readonly [figure: string, at: number])[]) {
  if (figures.some(([, at]) => at === 0)) round = inTurns(works);
  const gaps = (await round) ?? [];
  return Object.fromEntries(figures.map(([figure, at]) => [figure, gaps[at] ?? Number.NaN]));
}

export const steps: Section = {
  name: 'steps',
  contenders: [
    { name: 'bare loop', measure: () => measure([HEADLESS, 0]) },
    ...AGENTS.map(({ name }, at) => ({ name, measure: () => measure([HEADLESS, 1 + 2 * at], [SCREEN, 2 + 2 * at]) })),
  ],
  figures: [
    {
      figure: HEADLESS,
      beside: [
        { name: 'bare loop', goal: 1.4 },
        { name: 'pi', goal: 1 },
      ],
    },
    {
      figure: SCREEN,
      beside: [
        { name: 'bare loop', figure: HEADLESS, goal: 2 },
        { name: 'pi', goal: 1 },
      ],
    },
  ],
};
