/** The start of the program where something is missing or wrong. */
import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROGRAM, runProgram, scratch } from '../support/program.ts';
import { expectSameWhenRedrawn } from '../support/redrawn.ts';
import { openRig, startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

describe('the start of the program', () => {
  it('names the configured preset, and adapts to a resize during the start', async () => {
    using place = scratch('http://127.0.0.1:9/v1', { model: 'fast', ui: { theme: 'light' } });
    await using rig = await openRig(place, /\[aish:fast\]> *\n starting/);
    rig.resize(60, 12);
    await rig.waitFor((r) => r.screen().length === 12 && /RESTRICTED --/.test(r.screen()[11] ?? ''));
    // The check of the preset's server ends last.
    await rig.waitFor('nothing answers');
    await expectSameWhenRedrawn(rig);
  });

  it('says after leaving the screen what is missing if the binary of node-pty is not installed', async () => {
    using place = scratch();
    const copy = join(place.home, 'copy');
    const root = dirname(PROGRAM);
    for (const part of ['aish-tui', 'dist', 'scripts', 'package.json', 'node_modules/node-pty'])
      cpSync(join(root, part), join(copy, part), { recursive: true, dereference: true });
    symlinkSync(join(root, '.runtime'), join(copy, '.runtime'));
    await using rig = startRig(place, { columns: 100, file: join(copy, 'aish-tui') });
    expect(await rig.exited).toMatchObject({ code: 1 });
    expect(rig.alternate).toBe(false);
    expect(rig.text()).toMatch(/aish-tui: a part for \S+ is missing \(node-pty\)[\s\S]*Install aish-tui aga/);
  });

  it('reports at once that the configured server is down, and clears the message when it answers', async () => {
    const closed = await startScriptedServer([]);
    await closed[Symbol.asyncDispose]();
    using place = scratch(closed.baseUrl);
    await using rig = startRig(place, { columns: 100 });
    await rig.waitFor(/✗ nothing answers at http:\S+ · start it and just ask,\s+or :setup/);
    await using _server = await startScriptedServer([], { port: closed.port });
    await rig.waitFor(/model +fast .*✓/);
    expect(rig.text()).not.toContain('nothing answers');
  });

  it('checks without a key whether a server is down, and fetches no key before the first question', async () => {
    const closed = await startScriptedServer([]);
    await closed[Symbol.asyncDispose]();
    using place = scratch();
    const told = join(place.home, 'asked-for-the-key');
    const fast = { base_url: closed.baseUrl, model: 'scripted', api_key_cmd: `touch ${told}; echo key` };
    writeFileSync(place.env.AISH_CONFIG ?? '', JSON.stringify({ models: { fast }, memory: { enabled: false } }));
    await using rig = await openRig(place, /✗ nothing answers at http:\S+ · start it/, { columns: 100 });
    await using _server = await startScriptedServer([say('Here I am.')], { port: closed.port });
    await rig.waitFor(/model +fast .*✓/);
    expect(existsSync(told)).toBe(false);
    rig.type('?are you there\r');
    await rig.waitFor('Here I am.');
    expect(existsSync(told)).toBe(true);
  });

  it('runs no command of the model while protective settings can’t be read, until the user waives them', async () => {
    await using server = await startScriptedServer([
      call('bash', { command: 'echo held' }),
      say('It was refused.'),
      call('bash', { command: 'echo let' }),
      say('It ran.'),
    ]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted', safety: { llm_second_opinon: true } });
    const headless = await runProgram(place, ['ask', 'hello']);
    expect(headless).toMatchObject({ code: 2, err: expect.stringContaining('unknown key safety.llm_second_opinon') });
    await using rig = startRig(place, { columns: 160, rows: 40, args: ['--mode', 'unrestricted'] });
    await rig.waitFor("the model can run nothing while safety.llm_second_opinion can't be read");
    rig.type('?go\r');
    await rig.waitFor(/the user's configuration can't be read[\s\S]*It was refused\./);
    expect(rig.text()).not.toContain('│ held');
    rig.type(':mode unrestricted\r');
    await rig.waitFor('mode: Unrestricted');
    rig.type('?again\r');
    await rig.waitFor(/all shown|Enter: /);
    rig.type('p');
    await rig.waitFor(/│ let[\s\S]*It ran\./);
  });

  it('works without a writable place for its state, and says so', async () => {
    using place = scratch();
    await using rig = startRig(place, { columns: 160, env: { XDG_STATE_HOME: '/proc/nope' } });
    await rig.waitFor(/session can't be saved \(ENOENT/);
    rig.type('echo mine\r');
    await rig.waitFor(/✓[\s\S]*│ mine/);
  });

  it('draws no early frame for the plain screen, and draws the full screen for an invalid configuration', async () => {
    for (const config of ['{ "ui": { "screen": "plain" } } // lines', '{ "ui": ']) {
      using place = scratch();
      writeFileSync(join(place.home, 'config.jsonc'), config);
      await using rig = startRig(place);
      if (config.endsWith('lines')) await rig.waitFor('plain screen');
      else await rig.waitFor('value expected');
      expect(rig.raw.includes('\x1b[?1049h')).toBe(!config.endsWith('lines'));
    }
  });

  it('can be ended by a signal, and then restores the terminal', async () => {
    await using rig = await openRig(scratch(), 'starting');
    process.kill(rig.pty.pid, 'SIGTERM');
    expect((await rig.exited).code).toBe(143);
    expect(rig.alternate).toBe(false);
  });
});
