/** The time from a key to its display: alone, below a full screen, and after 100,000 lines. */
import { setTimeout as delay } from 'node:timers/promises';
import { scratch } from '../../support/program.ts';
import type { Rig } from '../../support/rig.ts';
import { AGENTS, type Agent, cpuOf, FLOORS, openAgent, SIZE } from '../contenders.ts';
import type { Contender, Section } from '../section.ts';
import { keyLatency, tokenServer, writeSession } from '../typing.ts';

const SCENES = { empty: 0, full: 100, '100,000 lines': 100_000 } as const;
type Scene = keyof typeof SCENES;

/** The wait in ms after the first frame, since loading that continues must not count for a key. */
const LOADING_MS = 1500;

async function typed(rig: Rig, scene: Scene) {
  const before = cpuOf(rig.pty.pid);
  const { p50, p95, p99, bytes, times } = await keyLatency(rig);
  const cpu = (cpuOf(rig.pty.pid) - before) / times.length;
  return {
    [`key p50, ${scene}`]: p50,
    [`key p95, ${scene}`]: p95,
    [`key p99, ${scene}`]: p99,
    [`bytes per key, ${scene}`]: bytes,
    [`CPU per key, ${scene}`]: cpu,
  };
}

async function agentTypes(agent: Agent, scene: Scene) {
  const lines = SCENES[scene];
  // For an agent that can't resume a saved session: its model writes this many lines.
  const story = Array.from({ length: Math.min(lines, 5000) }, (_, n) => `line ${n} of the story`).join('\n\n');
  const server = await tokenServer(200, (_body, response) => {
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: story } }] })}\n\n`);
    response.end(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
    );
    return true;
  });
  using place = agent.place(server.baseUrl);
  const resumed = lines > 0 && agent.resumes;
  if (resumed) writeSession(place, lines);
  await using rig = openAgent(agent, place, resumed ? ['--resume', 'bench'] : []);
  await rig.waitFor(agent.ready, 60_000);
  await delay(LOADING_MS);
  if (lines > 0 && !resumed) {
    rig.type(agent.asked('tell me'));
    await rig.waitFor(`line ${Math.min(lines, 5000) - 1} of`, 60_000);
    await delay(LOADING_MS);
  }
  const figures = await typed(rig, scene);
  server.close();
  return figures;
}

async function floorTypes(name: keyof typeof FLOORS, scene: Scene) {
  using place = scratch();
  await using rig = FLOORS[name](place, Math.min(SCENES[scene], SIZE.rows - 2));
  await rig.waitFor('ready>');
  return await typed(rig, scene);
}

const names = Object.keys(SCENES).filter((name): name is Scene => name in SCENES);

/** All measurements of one contender, so that they are adjacent in time and in the table. */
function all(
  name: string,
  scenes: readonly Scene[],
  measure: (scene: Scene) => Promise<Readonly<Record<string, number>>>,
): Contender {
  return {
    name,
    async measure() {
      const figures: Record<string, number> = {};
      for (const scene of scenes) Object.assign(figures, await measure(scene));
      return figures;
    },
  };
}

const floors = Object.keys(FLOORS).filter((name): name is keyof typeof FLOORS => name in FLOORS);

export const keys: Section = {
  name: 'keys',
  contenders: [
    ...floors.map((name) =>
      all(name, name === 'echo' ? ['empty'] : ['empty', 'full'], (scene) => floorTypes(name, scene)),
    ),
    ...AGENTS.map((agent) => all(agent.name, names, (scene) => agentTypes(agent, scene))),
  ],
  figures: names.flatMap((scene) => [
    {
      figure: `key p50, ${scene}`,
      beside: [
        { name: 'echo', figure: 'key p50, empty', goal: 3 },
        { name: 'smallest Ink', goal: 1 },
        { name: 'pi', goal: 0.8 },
        ...(scene === 'empty' ? [] : [{ name: 'aish-tui', figure: 'key p50, empty', goal: 1.1 }]),
        ...(scene === '100,000 lines' ? [{ name: 'aish-tui', figure: 'key p50, full', goal: 1.1 }] : []),
      ],
    },
    { figure: `key p95, ${scene}`, beside: [{ name: 'pi', goal: 1 }] },
    { figure: `key p99, ${scene}`, beside: [{ name: 'pi', goal: 1 }] },
    { figure: `CPU per key, ${scene}`, beside: [{ name: 'pi' }] },
    { figure: `bytes per key, ${scene}`, limit: 20 },
  ]),
};
