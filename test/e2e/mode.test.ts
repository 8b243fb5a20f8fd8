import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { answer, decline, made, quiet, withoutSandbox, writer } from '../support/modes.ts';
import { runProgram, scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

describe.skipIf(lacks('cc'))('the sandbox of a mode', () => {
  it('shows the kernel’s error for a blocked write, and runs the command after the approved upgrade', async () => {
    await using server = await startScriptedServer(writer());
    using place = scratch(server.baseUrl, quiet);
    await using rig = await openRig(place, '-- RESTRICTED --', { rows: 40 });
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

  it('denies the upgrade at once where there is no person', async () => {
    await using server = await startScriptedServer(writer());
    using place = scratch(server.baseUrl, quiet);
    const { code, err } = await runProgram(place, ['run', 'write it']);
    expect(code).toBe(0);
    expect(err).toContain('the agent requests Unrestricted mode: to write made.txt -> skip (no person to ask)');
    expect(existsSync(made(place))).toBe(false);
  });

  it('asks once when the light sandbox of Unrestricted blocks a signal, and runs the command outside after a yes', async () => {
    const command = 'echo yes >> made.txt; kill -0 $PPID && echo REACHED';
    await using server = await startScriptedServer([call('bash', { command }), say('GOAL: complete')]);
    using place = scratch(server.baseUrl, { ...quiet, mode: 'unrestricted' });
    await using rig = await openRig(place, '-- UNRESTRICTED --', { rows: 40 });
    rig.type(':norris try it\r');
    await rig.waitFor('RUN OUTSIDE?');
    expect(rig.text()).toContain('not permitted');
    expect(rig.text()).not.toMatch(/^│ REACHED/m);
    await rig.waitFor(/Enter: /);
    rig.type('y');
    await rig.waitFor('✓ done');
    expect(rig.text()).toMatch(/✓ +1 +echo yes >> made\.txt.*approved by you/);
    expect(readFileSync(made(place), 'utf8')).toBe('yes\n');
  });
});

describe('a requested mode on a machine without a sandbox', () => {
  it.each([
    ['run', ['run', '--mode', 'restricted', 'write it'], {}],
    ['run on hosts', ['run', '--hosts', 'web1', '--mode', 'restricted', 'write it'], {}],
    ['ask', ['ask', 'write it'], { mode: 'project' }],
    ['lines from a pipe', ['--mode', 'project'], {}],
  ])('ends %s with exit code 2, and names the missing part', async (_name, args, config) => {
    await using server = await startScriptedServer([]);
    using place = scratch(server.baseUrl, { ...quiet, ...config });
    const { code, out, err } = await runProgram(withoutSandbox(place), args, { input: '?write it\n' });
    expect(code).toBe(2);
    expect(err).toMatch(/no kernel sandbox here \(.*sandbox launcher.*mode can't be enforced; --mode unrestricted/);
    expect(out).toBe('');
    expect(server.requests).toEqual([]);
  });

  it('that is only the default becomes Unrestricted, with a message', async () => {
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
});
