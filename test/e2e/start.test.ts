/** The first frame stands before the program behind it is loaded; what is typed meanwhile is kept, in its order. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { atRest, expectSameWhenRedrawn } from '../support/redrawn.ts';
import { startRig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

describe('the first moment', () => {
  it('shows what is typed before anything runs, and runs it when the shell is there', async () => {
    using place = scratch();
    await using rig = startRig(place);
    await rig.waitFor(/\[aish:demo\]> *\n starting/);
    rig.type('echo one 你好');
    await rig.waitFor('[aish:demo]> echo one 你好');
    rig.type('\recho two\recho dr');
    rig.key('backspace');
    rig.type('draft');
    await rig.waitFor(/│ one 你好[\s\S]*│ two[\s\S]*\[aish:demo\]> echo ddraft/);
    expect(rig.text()).not.toContain('│ ddraft');
    expect(rig.text().indexOf('❯ echo one')).toBeLessThan(rig.text().indexOf('❯ echo two'));
    await rig.waitFor(/echo two .*✓/);
    await atRest(rig);
    await expectSameWhenRedrawn(rig);
  });

  it('takes keys from before the first byte was drawn', async () => {
    using place = scratch();
    await using rig = startRig(place);
    rig.type('echo early');
    await rig.waitFor('[aish:demo]> echo early');
    rig.key('enter');
    await rig.waitFor(/✓[\s\S]*│ early/);
  });

  it('names the configured preset, and takes the size that the terminal gets meanwhile', async () => {
    using place = scratch('http://127.0.0.1:9/v1', { model: 'fast', ui: { theme: 'light' } });
    await using rig = startRig(place);
    await rig.waitFor(/\[aish:fast\]> *\n starting/);
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
    await using rig = startRig(place, { columns: 100 });
    await rig.waitFor(/✗ nothing answers at http:\S+ · start it/);
    await using _server = await startScriptedServer([say('Here I am.')], { port: closed.port });
    await rig.waitFor(/Nothing destructive/);
    expect(existsSync(told)).toBe(false);
    rig.type('?are you there\r');
    await rig.waitFor('Here I am.');
    expect(existsSync(told)).toBe(true);
  });

  it('ends with the line of a wrong configuration, on the screen that was there before', async () => {
    using place = scratch();
    writeFileSync(place.env.AISH_CONFIG ?? '', '{ "modle": "fast" }');
    // The path may be long.
    await using rig = startRig(place, { columns: 200 });
    expect(await rig.exited).toMatchObject({ code: 2 });
    expect(rig.alternate).toBe(false);
    expect(rig.text()).toMatch(/config\.jsonc:1:3: unknown key modle/);
  });

  it('draws nothing ahead where plain lines are wanted, or the configuration is not understood', async () => {
    for (const config of ['{ "ui": { "screen": "plain" } } // lines', '{ "ui": ']) {
      using place = scratch();
      writeFileSync(join(place.home, 'config.jsonc'), config);
      await using rig = startRig(place);
      if (config.endsWith('lines')) await rig.waitFor('plain screen');
      else expect(await rig.exited).toMatchObject({ code: 2 });
      expect(rig.raw).not.toContain('\x1b[?1049h');
    }
  });

  it('is left by a signal, and gives the terminal back', async () => {
    using place = scratch();
    await using rig = startRig(place);
    await rig.waitFor('starting');
    process.kill(rig.pty.pid, 'SIGTERM');
    expect((await rig.exited).code).toBe(143);
    expect(rig.alternate).toBe(false);
  });
});
