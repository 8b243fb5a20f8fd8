/** Commands of a model without a user: pagers, commands that never end, and processes left running. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';
import { call, type ScriptedServer, say, startScriptedServer } from '../support/scripted-server.ts';

const quiet = { mode: 'unrestricted', safety: { llm_second_opinion: false } } as const;

const results = (server: ScriptedServer) =>
  (server.requests.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content);

const missing = lacks('git') || lacks('less');

it.skipIf(missing)('a default pager prints instead, and an explicit pager becomes a job', async () => {
  await using server = await startScriptedServer([
    call('bash', { command: 'git log --oneline' }),
    call('bash', { command: 'less numbers', wait_seconds: 1 }),
    say('GOAL: complete'),
  ]);
  using place = scratch(server.baseUrl, quiet);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main', ...args], {
      cwd: place.work,
      env: place.env,
    });
  git('init', '-q');
  execFileSync('sh', ['-c', 'seq 1 500 > numbers'], { cwd: place.work });
  for (let n = 1; n <= 60; n += 1) git('commit', '-q', '--allow-empty', '-m', `commit number ${n}.`);
  await using rig = await openRig(place, '[aish:fast]>', { rows: 30 });
  rig.type(':norris look at the history\r');
  await rig.waitFor('✓ done');
  const [log = '', less = ''] = results(server);
  expect(log).toMatch(/commit number 60\.[\s\S]*commit number 1\.[\s\S]*\[exit 0/);
  expect(less).toMatch(/runs on as job 1/);
});

it('a command that never ends becomes a job, and leaves no process when the program is killed', async () => {
  await using server = await startScriptedServer([
    call('bash', {
      command: 'setsid nohup sleep 1001 >/dev/null 2>&1 & echo $! > far; echo begun; tail -f /dev/null',
      wait_seconds: 1,
    }),
    call('bash', { command: 'echo $$ > near; echo again; sleep 1002' }),
  ]);
  using place = scratch(server.baseUrl, quiet);
  await using rig = await openRig(place, '[aish:fast]>', { rows: 30 });
  rig.type(':norris wait\r');
  const second = await server.request(2);
  expect(second.messages.findLast(({ role }) => role === 'tool')?.content).toMatch(/begun[\s\S]*runs on as job 1/);
  await rig.waitFor(/^\W*again$/m);
  const alive = () =>
    ['far', 'near'].filter((name) => {
      try {
        process.kill(Number(readFileSync(join(place.work, name), 'utf8')), 0);
        return true;
      } catch {
        return false;
      }
    });
  expect(alive()).toEqual(['far', 'near']);
  rig.kill('SIGKILL');
  await rig.exited;
  for (const end = performance.now() + 10_000; alive().length > 0 && performance.now() < end; )
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(alive()).toEqual([]);
});
