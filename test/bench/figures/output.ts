/**
 * A command of the model or user that prints 20 MB: time compared with a terminal that is only read, memory, and keys.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { spawn } from 'node-pty';
import { runProgram } from '../../support/program.ts';
import { agentServer } from '../agent-server.ts';
import { AGENTS, type Agent, openAgent, SIZE, watchPeak } from '../contenders.ts';
import type { Section } from '../section.ts';
import { keyLatency } from '../typing.ts';

const MEGABYTES = 20;
const [HEADLESS, SCREEN, USER] = ['20 MB of output, headless', '20 MB, full screen', "20 MB of the user's command"];
const [MEMORY, KEY] = ['peak memory meanwhile', 'slowest key meanwhile'];
const LINE = (n: number) =>
  `${String(n).padStart(6)} \x1b[32msome text\x1b[m to fill the line, and a little more of it\n`;

const folder = mkdtempSync(join(tmpdir(), 'aish-output-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'file');
writeFileSync(file, Array.from({ length: (MEGABYTES * 2 ** 20) / LINE(0).length }, (_, n) => LINE(n)).join(''));

const commands = () => agentServer((step) => [`echo a first one`, `cat '${file}'`][step - 1]);

function rawRead(): Promise<number> {
  return new Promise((resolve) => {
    const began = performance.now();
    const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
    const size = { cols: SIZE.columns, rows: SIZE.rows };
    const options = { ...size, name: 'xterm-256color', cwd: folder, env, encoding: null };
    const pty = spawn('/bin/bash', ['-c', `cat '${file}'`], options);
    pty.onData(() => {});
    pty.onExit(() => resolve(performance.now() - began));
  });
}

async function headless(agent: Agent) {
  const server = await commands();
  using place = agent.place(server.baseUrl);
  await runProgram(place, agent.headless('look'), { file: agent.file });
  server.close();
  return { [HEADLESS]: server.gaps[1] ?? Number.NaN };
}

/** Shows output without typing: the delay of keys is measured separately. */
async function onScreen(agent: Agent) {
  const server = await commands();
  using place = agent.place(server.baseUrl);
  await using rig = openAgent(agent, place);
  await rig.waitFor(agent.ready, 60_000);
  await delay(1500);
  const peak = watchPeak(rig.pty.pid);
  rig.type(agent.goal('look'));
  await server.reached(3);
  server.close();
  return { [SCREEN]: server.gaps[1] ?? Number.NaN, [MEMORY]: peak() };
}

async function whileTyping(agent: Agent) {
  // Enough steps for the server to stay busy while the keys are typed.
  const server = await agentServer(
    (step) => ['echo a first one', `for i in {1..100}; do cat '${file}'; done`][step - 1],
  );
  using place = agent.place(server.baseUrl);
  await using rig = openAgent(agent, place);
  await rig.waitFor(agent.ready, 60_000);
  await delay(1500);
  rig.type(agent.goal('look'));
  await server.reached(2);
  await delay(200);
  const { times } = await keyLatency(rig, 40);
  server.close();
  return { [KEY]: Math.max(...times) };
}

async function typedByUser(agent: Agent) {
  using place = agent.place('http://127.0.0.1:9/v1');
  await using rig = openAgent(agent, place);
  await rig.waitFor(agent.ready, 60_000);
  rig.type(agent.shell('echo first-$((40 + 2))'));
  await rig.waitFor('first-42');
  await delay(1500);
  const began = performance.now();
  rig.type(agent.shell(`cat '${file}'; echo last-$((40 + 2))`));
  await rig.waitFor('last-42', 60_000);
  return { [USER]: performance.now() - began };
}

async function agentPrints(agent: Agent) {
  return {
    ...(await headless(agent)),
    ...(await onScreen(agent)),
    ...(await whileTyping(agent)),
    ...(await typedByUser(agent)),
  };
}

export const output: Section = {
  name: 'output',
  contenders: [
    {
      name: 'raw pty',
      async measure() {
        const ms = await rawRead();
        return { [HEADLESS]: ms, [SCREEN]: ms, [USER]: ms };
      },
    },
    ...AGENTS.map((agent) => ({ name: agent.name, measure: () => agentPrints(agent) })),
  ],
  figures: [
    ...[HEADLESS, SCREEN, USER].map((figure = '') => ({
      figure,
      beside: [{ name: 'raw pty', goal: 1.3 }, { name: 'pi' }],
    })),
    { figure: `${MEMORY}`, limit: 180, beside: [{ name: 'pi', goal: 1 }] },
    { figure: `${KEY}`, beside: [{ name: 'pi', goal: 1.5 }] },
  ],
};
