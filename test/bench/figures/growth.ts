/**
 * Measures that grow with the work: a large tree, a full machine, a wide screen, a long session, each compared with a
 * small one.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { journalPath } from '../../../src/store/index.ts';
import { journalOf, longRun } from '../../support/long-session.ts';
import { PROGRAM, runProgram, scratch } from '../../support/program.ts';
import { startRig } from '../../support/rig.ts';
import { agentServer } from '../agent-server.ts';
import { AGENTS, type Agent } from '../contenders.ts';
import type { Section } from '../section.ts';
import { median } from '../typing.ts';
import { streamingCpu } from './streaming.ts';

const [FILES, PROCESSES, EVENTS] = [200_000, 1500, 80_000];
const FILES_PER_FOLDER = 1000;
const WIDE = { columns: 400, rows: 100 };
const STEPS = 8;
const [TREE, END] = [`command in a tree of ${FILES} files`, `end of a run beside ${PROCESSES} processes`];
const [SCREEN, SESSION] = ['CPU at 200 tokens/s, 400×100', `resume of ${EVENTS} events`];

let tree: string | undefined;

/** Returns a large tree. It is made once, since making it takes longer than all measurements in it. */
function largeTree(): string {
  if (tree !== undefined) return tree;
  const root = mkdtempSync(join(tmpdir(), 'aish-tree-'));
  process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  for (let n = 0; n < FILES; n += 1) {
    const folder = join(root, `part-${Math.floor(n / FILES_PER_FOLDER)}`);
    if (n % FILES_PER_FOLDER === 0) mkdirSync(folder);
    writeFileSync(join(folder, `file-${n}`), '');
  }
  tree = root;
  return root;
}

async function runIn(agent: Agent, work?: string) {
  const server = await agentServer((step) => (step > STEPS ? undefined : 'ls -d .'));
  using place = agent.place(server.baseUrl);
  await runProgram(work === undefined ? place : { ...place, work }, agent.headless('look'), { file: agent.file });
  const over = performance.now() - server.lastEnded;
  server.close();
  return { gap: median(server.gaps.slice(2)), over };
}

async function besideProcesses<T>(measure: () => Promise<T>): Promise<T> {
  const script = `n=0; while [ $n -lt ${PROCESSES} ]; do sleep 900 & n=$((n + 1)); done; echo all; wait`;
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    await new Promise((resolve) => child.stdout.once('data', resolve));
    return await measure();
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await delay(500);
  }
}

/** Returns the ms from the start of the program to its prompt, and to the complete session. */
export async function startSession(journal?: string): Promise<readonly [frame: number, session: number]> {
  using place = scratch();
  if (journal !== undefined) {
    const path = journalPath(join(place.home, '.local/state/aish/sessions'), 'long');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, journal);
  }
  const began = performance.now();
  await using rig = startRig(place, {
    columns: 100,
    rows: 30,
    args: journal === undefined ? [] : ['--resume', 'long'],
  });
  await rig.waitFor('[aish:', 60_000);
  const frame = performance.now() - began;
  await rig.waitFor(/ -- \w+ -- /, 60_000);
  return [frame, performance.now() - began];
}

/** Returns the journal of a session with this many events. */
export function longJournal(events: number): string {
  return journalOf(longRun(Math.ceil(events / 6)).events.slice(0, events));
}

let journal: string | undefined;

const ours = AGENTS.filter(({ file }) => file === PROGRAM).slice(0, 1);

async function small(agent: Agent) {
  const { gap, over } = await runIn(agent);
  const [, session] = await startSession();
  return { [TREE]: gap, [END]: over, [SCREEN]: await streamingCpu(agent), [SESSION]: session };
}

async function large(agent: Agent) {
  const { gap } = await runIn(agent, largeTree());
  const { over } = await besideProcesses(() => runIn(agent));
  journal ??= longJournal(EVENTS);
  const [, session] = await startSession(journal);
  return { [TREE]: gap, [END]: over, [SCREEN]: await streamingCpu(agent, WIDE), [SESSION]: session };
}

export const growth: Section = {
  name: 'growth',
  contenders: ours.flatMap((agent) => [
    { name: agent.name, measure: () => large(agent) },
    { name: 'a small one', measure: () => small(agent) },
  ]),
  figures: [
    { figure: TREE, beside: [{ name: 'a small one', goal: 1.2 }] },
    { figure: END, beside: [{ name: 'a small one', goal: 1.2 }] },
    { figure: SCREEN, beside: [{ name: 'a small one', goal: 1.3 }] },
    { figure: SESSION, beside: [{ name: 'a small one', goal: 2 }] },
  ],
};
