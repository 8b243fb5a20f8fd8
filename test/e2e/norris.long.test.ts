/** Special cases of Norris and of open HALTs. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { armed, haltOn, withFoo } from '../support/halts.ts';
import { lacks } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const unrestricted = { mode: 'unrestricted' };

describe('Norris on screen', () => {
  it('starts from the prompt with Ctrl-N', async () => {
    await using server = await startScriptedServer([say('GOAL: complete')]);
    await using rig = await openRig(scratch(server.baseUrl), '[aish:fast]>', { rows: 30 });
    rig.type('say hello');
    rig.key('ctrl-n', 'enter');
    await rig.waitFor('✓ done');
    expect(server.requests[0]?.system).toContain('Goal: say hello');
  });
});

describe('an open HALT', () => {
  it('is not answered by the first letter of a word', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'rm -rf foo' }), say('GOAL: complete')]);
    using place = scratch(server.baseUrl, unrestricted);
    const foo = withFoo(place);
    await using rig = startRig(place, { rows: 30 });
    await haltOn(rig, 'clean up');
    rig.type('ps aux');
    await rig.waitFor('pressed too early');
    await armed(rig);
    expect(existsSync(foo)).toBe(true);
    rig.type('s');
    await rig.waitFor('✓ done');
    expect(existsSync(foo)).toBe(true);
  });

  it.skipIf(lacks('cc'))('in Restricted mode switches the mode and runs the command with one key', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'rm -rf foo' }), say('GOAL: complete')]);
    using place = scratch(server.baseUrl);
    const foo = withFoo(place);
    await using rig = startRig(place, { rows: 30 });
    await haltOn(rig, 'clean up');
    await rig.waitFor('mode will block this');
    await armed(rig);
    rig.type('u');
    await rig.waitFor('✓ done');
    expect(rig.text()).toContain('-- UNRESTRICTED --');
    expect(existsSync(foo)).toBe(false);
  });
});
