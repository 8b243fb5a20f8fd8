/** The bytes of the first request of a run and of a chat, which take up most of a small window. */
import { runProgram } from '../../support/program.ts';
import { say, startScriptedServer, whenever } from '../../support/scripted-server.ts';
import { AGENTS, type Agent, openAgent } from '../contenders.ts';
import type { Section } from '../section.ts';

const [RUN, CHAT] = ['first request of a run, bytes', 'first request of a chat, bytes'];

async function agentAsks(agent: Agent) {
  await using server = await startScriptedServer([whenever(/./, say('GOAL: complete'))]);
  using place = agent.place(server.baseUrl);
  await runProgram(place, agent.headless('count the files'), { file: agent.file });
  const run = (await server.request(1)).text.length;
  const before = server.requests.length;
  await using rig = openAgent(agent, place);
  await rig.waitFor(agent.ready, 60_000);
  rig.type(agent.asked('count the files'));
  return { [RUN]: run, [CHAT]: (await server.request(before + 1)).text.length };
}

export const requests: Section = {
  name: 'requests',
  contenders: AGENTS.map((agent) => ({ name: agent.name, measure: () => agentAsks(agent) })),
  figures: [RUN, CHAT].map((figure = '') => ({ figure, limit: 5400, beside: [{ name: 'pi' }] })),
};
