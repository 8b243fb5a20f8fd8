/** A run whose model server fails for a while in the second step (BR-4). */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BRISK } from '../support/fault.ts';
import { jsonLines } from '../support/lines.ts';
import { runProgram, scratch } from '../support/program.ts';
import { call, say, startScriptedServer, type Turn } from '../support/scripted-server.ts';

const CONFIG = { mode: 'unrestricted', safety: { llm_second_opinion: false } } as const;

const answers = (status: number, message: string): Turn => ({ error: { status, message } });
const cut = say('Now I look.\n\nCMD: touch never\n', { cut: true });

const endOf = (lines: ReturnType<typeof jsonLines>) => lines.find(({ kind }) => kind === 'norrisEnded');

it.each([
  ['500', Array<Turn>(5).fill(answers(500, 'out of memory'))],
  ['502', Array<Turn>(5).fill(answers(502, 'bad gateway'))],
  ['a stream that is cut', [cut, cut]],
  ['a rate limit that counts by the minute', Array<Turn>(6).fill(answers(429, 'too many requests per minute'))],
])('a run succeeds after %s in its second step, and runs nothing from a dropped answer', async (_kind, failures) => {
  await using server = await startScriptedServer([
    call('bash', { command: 'echo one' }),
    ...failures,
    say('GOAL: complete'),
  ]);
  using place = scratch(server.baseUrl, CONFIG);
  const { code, out } = await runProgram({ ...place, env: { ...place.env, ...BRISK } }, ['run', '--json', 'look']);
  const lines = jsonLines(out);
  expect(endOf(lines)).toMatchObject({ status: 'done', steps: 2, commands: 1 });
  expect(code).toBe(0);
  // One line covers all pauses of the call.
  expect(lines.filter(({ text }) => /^\[aish\] fast .*; trying again in/.test(String(text)))).toHaveLength(1);
  const [, ...again] = server.requests.map(({ text }) => text);
  expect(again).toHaveLength(failures.length + 1);
  expect(new Set(again).size).toBe(1);
  expect(existsSync(join(place.work, 'never'))).toBe(false);
});

it('a run succeeds when its server can’t be reached for some seconds', async () => {
  const first = await startScriptedServer([
    call('bash', { command: 'touch begun; until [ -e go ]; do sleep 0.1; done' }),
  ]);
  using place = scratch(first.baseUrl, CONFIG);
  const running = runProgram(place, ['run', '--json', 'wait']);
  await expect.poll(() => existsSync(join(place.work, 'begun')), { timeout: 60_000 }).toBe(true);
  await first.close();
  writeFileSync(join(place.work, 'go'), '');
  await delay(2000);
  await using second = await startScriptedServer([say('GOAL: complete')], { port: first.port });
  const { code, out } = await running;
  expect(endOf(jsonLines(out))).toMatchObject({ status: 'done', steps: 2 });
  expect(code).toBe(0);
  expect(second.requests).toHaveLength(1);
});
