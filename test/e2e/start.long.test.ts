/** The first moment where something is missing or wrong. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram, scratch } from '../support/program.ts';
import { expectSameWhenRedrawn } from '../support/redrawn.ts';
import { openRig, startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

describe('the first moment', () => {
  it('names the configured preset, and takes the size that the terminal gets meanwhile', async () => {
    using place = scratch('http://127.0.0.1:9/v1', { model: 'fast', ui: { theme: 'light' } });
    await using rig = await openRig(place, /\[aish:fast\]> *\n starting/);
    rig.resize(60, 12);
    await rig.waitFor((r) => r.screen().length === 12 && /RESTRICTED --/.test(r.screen()[11] ?? ''));
    // The look at its server is the last to come.
    await rig.waitFor('nothing answers');
    await expectSameWhenRedrawn(rig);
  });

  it('says at once that the configured server is down, and stops saying so when it answers', async () => {
    const closed = await startScriptedServer([]);
    await closed[Symbol.asyncDispose]();
    using place = scratch(closed.baseUrl);
    await using rig = startRig(place, { columns: 100 });
    await rig.waitFor(/✗ nothing answers at http:\S+ · start it and just ask, or :setup/);
    await using _server = await startScriptedServer([], { port: closed.port });
    await rig.waitFor(/Nothing destructive/);
    expect(rig.text()).not.toContain('nothing answers');
  });

  it('asks a server that is down without its key, and fetches none before the user asks something', async () => {
    const closed = await startScriptedServer([]);
    await closed[Symbol.asyncDispose]();
    using place = scratch();
    const told = join(place.home, 'asked-for-the-key');
    const fast = { base_url: closed.baseUrl, model: 'scripted', api_key_cmd: `touch ${told}; echo key` };
    writeFileSync(place.env.AISH_CONFIG ?? '', JSON.stringify({ models: { fast }, memory: { enabled: false } }));
    await using rig = await openRig(place, /✗ nothing answers at http:\S+ · start it/, { columns: 100 });
    await using _server = await startScriptedServer([say('Here I am.')], { port: closed.port });
    await rig.waitFor(/Nothing destructive/);
    expect(existsSync(told)).toBe(false);
    rig.type('?are you there\r');
    await rig.waitFor('Here I am.');
    expect(existsSync(told)).toBe(true);
  });

  it('runs nothing of the model’s while what protects the user can’t be read, until they waive it', async () => {
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
    await rig.waitFor('seen to the end');
    rig.type('p');
    await rig.waitFor(/│ let[\s\S]*It ran\./);
  });

  it('starts without a place for its state that can be made, and says so', async () => {
    using place = scratch();
    await using rig = startRig(place, { columns: 160, env: { XDG_STATE_HOME: '/proc/nope' } });
    await rig.waitFor(/session can't be saved \(ENOENT/);
    rig.type('echo mine\r');
    await rig.waitFor(/✓[\s\S]*│ mine/);
  });

  it('draws nothing ahead where plain lines are wanted; a configuration that is not understood gets the full screen', async () => {
    for (const config of ['{ "ui": { "screen": "plain" } } // lines', '{ "ui": ']) {
      using place = scratch();
      writeFileSync(join(place.home, 'config.jsonc'), config);
      await using rig = startRig(place);
      if (config.endsWith('lines')) await rig.waitFor('plain screen');
      else await rig.waitFor('value expected');
      expect(rig.raw.includes('\x1b[?1049h')).toBe(!config.endsWith('lines'));
    }
  });

  it('is left by a signal, and gives the terminal back', async () => {
    await using rig = await openRig(scratch(), 'starting');
    process.kill(rig.pty.pid, 'SIGTERM');
    expect((await rig.exited).code).toBe(143);
    expect(rig.alternate).toBe(false);
  });
});
