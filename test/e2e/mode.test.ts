import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const quiet = { safety: { llm_second_opinion: false } };

/** A model that tries to write, is refused by the kernel, asks for the upgrade, and writes again when it got it. */
const writer = () => [
  call('bash', { command: 'echo first > made.txt' }),
  call('request_mode_upgrade', { reason: 'to write made.txt' }),
  call('bash', { command: 'echo second > made.txt' }),
  say('That was it.\nGOAL: complete'),
];

const made = (place: Scratch) => join(place.work, 'made.txt');

/** Says no to the program's own question, after the first write that was blocked. */
async function decline(rig: Rig): Promise<void> {
  await rig.waitFor('Restricted mode blocked a write');
  await rig.waitFor(/seen to the end/);
  rig.type('n');
}

async function answer(rig: Rig, key: string): Promise<void> {
  await rig.waitFor('leave Restricted');
  await rig.waitFor('to write made.txt');
  await rig.waitFor(/seen to the end/);
  rig.type(key);
}

describe.skipIf(lacks('cc'))('Restricted', () => {
  it('refuses a write with the kernel’s own error; the approved upgrade lets it through', async () => {
    await using server = await startScriptedServer(writer());
    using place = scratch(server.baseUrl, quiet);
    await using rig = startRig(place, { rows: 40 });
    await rig.waitFor('-- RESTRICTED --');
    rig.type(':norris write it\r');
    await decline(rig);
    await answer(rig, 'u');
    await rig.waitFor('-- UNRESTRICTED --');
    await rig.waitFor('✓ done');
    expect(readFileSync(made(place), 'utf8')).toBe('second\n');
    const results = (server.requests[3]?.messages ?? [])
      .filter((message) => message.role === 'tool')
      .map((m) => m.content);
    expect(results[0]).toContain('Permission denied');
    expect(results[1]).toMatch(/^\[aish\] mode upgrade approved by user\.\n\[aish\] mode: Unrestricted\./);
    expect(results[2]).toContain('[exit 0');
  });

  it('tells the model when it is denied, and goes on', async () => {
    await using server = await startScriptedServer(writer());
    using place = scratch(server.baseUrl, quiet);
    await using rig = startRig(place, { rows: 40 });
    await rig.waitFor('-- RESTRICTED --');
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

  it('still asks after the program was killed while it waited, and nothing ran meanwhile', async () => {
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

  it('is denied at once where there is no person', async () => {
    await using server = await startScriptedServer(writer());
    using place = scratch(server.baseUrl, quiet);
    const { code, err } = await runProgram(place, ['run', 'write it']);
    expect(code).toBe(0);
    expect(err).toContain('the agent requests Unrestricted mode: to write made.txt -> skip (no person to ask)');
    expect(existsSync(made(place))).toBe(false);
  });

  it('comes back with :mode restricted, and patch is refused in it', async () => {
    await using server = await startScriptedServer([call('patch', { path: 'made.txt', patches: [] }), say('No.')]);
    using place = scratch(server.baseUrl, { ...quiet, mode: 'unrestricted' });
    await using rig = startRig(place, { rows: 40 });
    await rig.waitFor('-- UNRESTRICTED --');
    rig.type(':mode restricted\r');
    await rig.waitFor('-- RESTRICTED --');
    rig.type('?patch it\r');
    await rig.waitFor('No.');
    const result = server.requests[1]?.messages.findLast((message) => message.role === 'tool')?.content;
    expect(result).toBe('Patch tool is disabled in Restricted mode. Use request_mode_upgrade to request write access.');
  });

  it('keeps a job in the mode it was started in', async () => {
    await using server = await startScriptedServer([
      say('CMD&: until [ -e go ]; do sleep 0.05; done; echo late > made.txt'),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, quiet);
    await using rig = startRig(place, { rows: 30 });
    await rig.waitFor('-- RESTRICTED --');
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

  it('asks once where the light sandbox of Unrestricted refuses a signal; a yes runs the command outside', async () => {
    const command = 'echo yes >> made.txt; kill -0 $PPID && echo REACHED';
    await using server = await startScriptedServer([call('bash', { command }), say('GOAL: complete')]);
    using place = scratch(server.baseUrl, { ...quiet, mode: 'unrestricted' });
    await using rig = startRig(place, { rows: 40 });
    await rig.waitFor('-- UNRESTRICTED --');
    rig.type(':norris try it\r');
    await rig.waitFor('RUN OUTSIDE?');
    expect(rig.text()).toContain('not permitted');
    expect(rig.text()).not.toMatch(/^│ REACHED/m);
    await rig.waitFor('y works');
    rig.type('y');
    await rig.waitFor('✓ done');
    expect(rig.text()).toMatch(/✓ +1 +echo yes >> made\.txt.*approved by you/);
    expect(readFileSync(made(place), 'utf8')).toBe('yes\n');
  });

  it('stays in the light sandbox where there is no person, and says how to turn it off', async () => {
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

  it('leaves the user’s own shell alone', async () => {
    using place = scratch();
    await using rig = startRig(place);
    await rig.waitFor('-- RESTRICTED --');
    rig.type('echo mine > made.txt\r');
    await rig.waitFor(/✓/);
    expect(readFileSync(made(place), 'utf8')).toBe('mine\n');
  });
});

const WITHOUT = pathToFileURL(join(import.meta.dirname, '../support/without-sandbox.mjs')).href;
const withoutSandbox = (place: Scratch): Scratch => ({
  ...place,
  env: { ...place.env, NODE_OPTIONS: `--import ${WITHOUT}` },
});

describe('a mode that was asked for where there is no sandbox', () => {
  it.each([
    ['run', ['run', '--mode', 'restricted', 'write it'], {}],
    ['run on hosts', ['run', '--hosts', 'web1', '--mode', 'restricted', 'write it'], {}],
    ['ask', ['ask', 'write it'], { mode: 'project' }],
    ['lines from a pipe', ['--mode', 'project'], {}],
  ])('ends %s with 2, and says what is missing', async (_name, args, config) => {
    await using server = await startScriptedServer([]);
    using place = scratch(server.baseUrl, { ...quiet, ...config });
    const { code, out, err } = await runProgram(withoutSandbox(place), args, { input: '?write it\n' });
    expect(code).toBe(2);
    expect(err).toMatch(/no kernel sandbox here \(.*sandbox launcher.*mode can't be enforced; --mode unrestricted/);
    expect(out).toBe('');
    expect(server.requests).toEqual([]);
  });

  it('is not the default: that becomes Unrestricted and says so', async () => {
    await using server = await startScriptedServer([
      call('bash', { command: 'echo first > made.txt' }),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, quiet);
    const { code, err } = await runProgram(withoutSandbox(place), ['run', 'write it']);
    expect(code).toBe(0);
    expect(err).toContain('only Unrestricted mode is available');
    expect(existsSync(made(place))).toBe(true);
  });

  it('keeps the screen and its shell working, and the model from running anything until :mode unrestricted', async () => {
    await using server = await startScriptedServer([
      call('bash', { command: 'echo first > made.txt' }),
      say('It did not run.'),
      call('bash', { command: 'echo second > made.txt' }),
      say('It ran.'),
    ]);
    using place = scratch(server.baseUrl, quiet);
    await using rig = startRig(withoutSandbox(place), { columns: 120, rows: 40, args: ['--mode', 'restricted'] });
    await rig.waitFor('-- RESTRICTED --');
    await rig.waitFor(/the model can run nothing until\s+you choose :mode unrestricted/);
    rig.type('echo mine > own.txt\r');
    await rig.waitFor(/✓/);
    expect(readFileSync(join(place.work, 'own.txt'), 'utf8')).toBe('mine\n');
    rig.type('?write it\r');
    await rig.waitFor('It did not run.');
    expect(rig.text()).toContain("not run: Restricted mode can't be enforced here without the kernel sandbox");
    expect(existsSync(made(place))).toBe(false);
    rig.type(':mode unrestricted\r');
    await rig.waitFor('-- UNRESTRICTED --');
    rig.type('?write it again\r');
    await rig.waitFor(/echo second[\s\S]*seen to the end/);
    rig.type('p');
    await rig.waitFor('It ran.');
    expect(readFileSync(made(place), 'utf8')).toBe('second\n');
  });
});
