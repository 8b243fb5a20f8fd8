/** A command is prepared while its start is being written to disk. It starts after that, or never. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { AgentCommands } from '../../src/contracts/commands.ts';
import type { Journal } from '../../src/contracts/store.ts';
import { runOnce } from '../../src/executor/model-command.ts';
import { startEngine } from '../support/engine.ts';
import { harmless } from '../support/machine.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

/** Waits long enough for a busy machine. */
const PATIENCE = { timeout: 10_000 };

/** A disk that accepts an action's start on request, and commands that report what happens to them. */
function observed() {
  const did: string[] = [];
  const disk = Promise.withResolvers<void>();
  const journal: Journal = {
    append: ({ type }) => (type === 'actionStarted' ? disk.promise : Promise.resolve()),
    hasten() {},
  };
  let over = false;
  const agent: AgentCommands = {
    run: () => Promise.reject(new Error('it was made ready')),
    async prepare(command, { cwd }) {
      did.push('ready');
      return {
        begin() {
          over = true;
          did.push('begun');
          const env = { PATH: process.env.PATH ?? '' };
          return runOnce({ command, cwd, env, columns: 80, rows: 24, dataDir: cwd });
        },
        drop() {
          if (!over) did.push('dropped');
          over = true;
        },
      };
    },
  };
  return { did, disk, services: { journal, agent } };
}

async function started(services: object, gate = {}) {
  const server = await startScriptedServer([call('bash', { command: 'echo it ran' }), say('GOAL: complete')]);
  const bench = startEngine(
    { name: 'fast', model: 'test', baseUrl: server.baseUrl },
    {
      services,
      gate: {
        judge: () => Promise.resolve(harmless),
        onlyReads: () => false,
        worksOverPipes: () => false,
        begin: () => Promise.resolve(true),
        ...gate,
      },
    },
  );
  void bench.engine.dispatch({ type: 'norrisStarted', goal: 'run it' });
  return {
    ...bench,
    server,
    idle: () => bench.until(() => bench.engine.conversation.phase.kind === 'idle'),
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Far more turns than a start would take. */
async function manyTurns(): Promise<void> {
  for (let n = 0; n < 50; n += 1) await turn();
}

it('a command is prepared while its start is written to the journal, and starts once that is on disk', async () => {
  const { did, disk, services } = observed();
  await using bench = await started(services);
  await expect.poll(() => did, PATIENCE).toEqual(['ready']);
  await manyTurns();
  expect(did).toEqual(['ready']);
  disk.resolve();
  await bench.idle();
  expect(did).toEqual(['ready', 'begun']);
  expect(bench.server.requests[1]?.messages.at(-1)?.content).toContain('it ran');
});

it('a prepared command is dropped when its start can’t be written to the journal', async () => {
  const { did, disk, services } = observed();
  await using bench = await started(services);
  await expect.poll(() => did, PATIENCE).toEqual(['ready']);
  disk.reject(new Error('ENOSPC: no space left on device, write'));
  await bench.idle();
  await turn();
  expect(did).toEqual(['ready', 'dropped']);
});

it('a prepared command is dropped when it is aborted before the start', async () => {
  const { did, disk, services } = observed();
  await using bench = await started(services);
  await expect.poll(() => did, PATIENCE).toEqual(['ready']);
  void bench.engine.dispatch({ type: 'aborted' });
  disk.resolve();
  await bench.idle();
  await turn();
  expect(did).toEqual(['ready', 'dropped']);
});

it.each([
  ['has changed since', () => Promise.resolve(false)],
  ['can’t be read', () => Promise.reject(new Error('no such file'))],
] as const)('a prepared command is dropped when a file that its judgement used %s', async (_, begin) => {
  const { did, disk, services } = observed();
  const basis = { reads: [], own: [], writes: [] };
  let judged = 0;
  await using bench = await started(services, {
    judge: () => {
      judged += 1;
      return Promise.resolve(judged === 1 ? { ...harmless, basis } : harmless);
    },
    begin,
  });
  await expect.poll(() => did, PATIENCE).toEqual(['ready']);
  disk.resolve();
  await expect.poll(() => did.slice(0, 2), PATIENCE).toEqual(['ready', 'dropped']);
  await bench.idle();
  expect(did[1]).toBe('dropped');
});
