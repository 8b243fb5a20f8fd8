/** Special cases of modes: a no, a kill, jobs, and a machine without a sandbox. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { answer, decline, made, quiet, withoutSandbox, writer } from '../support/modes.ts';
import { runProgram, scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

describe.skipIf(lacks('cc'))('Restricted', () => {
  it('tells the model that the user refused the upgrade, and the run continues', async () => {
    await using server = await startScriptedServer(writer());
    using place = scratch(server.baseUrl, quiet);
    await using rig = await openRig(place, '-- RESTRICTED --', { rows: 40 });
    rig.type(':norris write it\r');
    await decline(rig);
    await answer(rig, 'n');
    await rig.waitFor('✓ done');
    expect(existsSync(made(place))).toBe(false);
    const results = (server.requests[3]?.messages ?? [])
      .filter((message) => message.role === 'tool')
      .map((m) => m.content);
    expect(results[1]).toContain('[aish] mode upgrade denied by user');
    expect(results[2]).toContain('Permission denied');
    expect(rig.text()).toContain('-- RESTRICTED --');
  });

  it('asks again after the program was killed at the question, and runs nothing meanwhile', async () => {
    await using server = await startScriptedServer(writer());
    using place = scratch(server.baseUrl, quiet);
    {
      await using rig = startRig(place, { rows: 40 });
      await rig.waitFor('-- RESTRICTED --');
      rig.type(':norris write it\r');
      await decline(rig);
      await rig.waitFor('to write made.txt');
      rig.kill('SIGKILL');
      await rig.exited;
    }
    expect(existsSync(made(place))).toBe(false);
    await using again = startRig(place, { rows: 40, args: ['--resume'] });
    await answer(again, 'u');
    await again.waitFor('✓ done');
    expect(readFileSync(made(place), 'utf8')).toBe('second\n');
  });

  it('is active again after :mode restricted, and refuses patch', async () => {
    await using server = await startScriptedServer([call('patch', { path: 'made.txt', patches: [] }), say('No.')]);
    using place = scratch(server.baseUrl, { ...quiet, mode: 'unrestricted' });
    await using rig = await openRig(place, '-- UNRESTRICTED --', { rows: 40 });
    rig.type(':mode restricted\r');
    await rig.waitFor('-- RESTRICTED --');
    rig.type('?patch it\r');
    await rig.waitFor('No.');
    const result = server.requests[1]?.messages.findLast((message) => message.role === 'tool')?.content;
    expect(result).toBe('Patch tool is disabled in Restricted mode. Use request_mode_upgrade to request write access.');
  });

  it('keeps a job in the mode in which it started', async () => {
    await using server = await startScriptedServer([
      say('CMD&: until [ -e go ]; do sleep 0.05; done; echo late > made.txt'),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, quiet);
    await using rig = await openRig(place, '-- RESTRICTED --', { rows: 30 });
    rig.type(':norris serve\r');
    await rig.waitFor('✓ done');
    rig.type(':mode unrestricted\r');
    await rig.waitFor('-- UNRESTRICTED --');
    rig.type(':jobs\r');
    await rig.waitFor(/1 {2}model {2}restricted/);
    rig.type('touch go\r');
    await rig.waitFor('job 1 ended (exit 1)');
    expect(existsSync(made(place))).toBe(false);
  });

  it('is the light one in Unrestricted also without a person, and a message says how to turn it off', async () => {
    await using server = await startScriptedServer([
      call('bash', { command: 'kill -0 $PPID && echo > made.txt' }),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, { ...quiet, mode: 'unrestricted' });
    const { code, err } = await runProgram(place, ['run', 'try it']);
    expect(code).toBe(0);
    expect(err).toContain('not run outside the light sandbox: kill -0 $PPID && echo > made.txt');
    expect(existsSync(made(place))).toBe(false);
  });

  it('confines nothing in Unrestricted with sandbox.unrestricted plain', async () => {
    await using server = await startScriptedServer([
      call('bash', { command: 'kill -0 $PPID && echo yes > made.txt' }),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, { ...quiet, mode: 'unrestricted', sandbox: { unrestricted: 'plain' } });
    expect((await runProgram(place, ['run', 'try it'])).code).toBe(0);
    expect(readFileSync(made(place), 'utf8')).toBe('yes\n');
  });

  it('does not confine the user’s own shell', async () => {
    using place = scratch();
    await using rig = await openRig(place, '-- RESTRICTED --');
    rig.type('echo mine > made.txt\r');
    await rig.waitFor(/❯ echo mine[^\n]*✓/);
    expect(readFileSync(made(place), 'utf8')).toBe('mine\n');
  });
});

describe('a configured mode on a machine without a sandbox', () => {
  it('keeps the screen and shell working, and runs no model command until :mode unrestricted', async () => {
    await using server = await startScriptedServer([
      call('bash', { command: 'echo first > made.txt' }),
      say('It did not run.'),
      call('bash', { command: 'echo second > made.txt' }),
      say('It ran.'),
    ]);
    using place = scratch(server.baseUrl, quiet);
    await using rig = startRig(withoutSandbox(place), { columns: 120, rows: 40, args: ['--mode', 'restricted'] });
    await rig.waitFor('-- RESTRICTED --');
    await rig.waitFor(/the model can run nothing\s+until\s+you choose :mode unrestricted/);
    rig.type('echo mine > own.txt\r');
    await rig.waitFor(/✓ \d/);
    expect(readFileSync(join(place.work, 'own.txt'), 'utf8')).toBe('mine\n');
    rig.type('?write it\r');
    await rig.waitFor('It did not run.');
    expect(rig.text()).toContain("not run: Restricted mode can't be enforced here without the kernel sandbox");
    expect(existsSync(made(place))).toBe(false);
    rig.type(':mode unrestricted\r');
    await rig.waitFor('-- UNRESTRICTED --');
    rig.type('?write it again\r');
    await rig.waitFor(/echo second[\s\S]*(all shown|Enter: )/);
    rig.type('p');
    await rig.waitFor('It ran.');
    expect(readFileSync(made(place), 'utf8')).toBe('second\n');
  });
});
