import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAULT } from '../support/fault.ts';
import { armed, haltOn, withFoo } from '../support/halts.ts';
import { scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

describe('a HALT that is open', () => {
  it.each([
    ['the window is closed', (rig: Rig) => rig.kill('SIGHUP')],
    ['the program gets SIGTERM', (rig: Rig) => rig.kill('SIGTERM')],
    ['the terminal goes away', (rig: Rig) => rig.hangUp()],
    ['the program crashes', (rig: Rig) => rig.kill('SIGUSR2')],
  ])('runs nothing when %s, and asks again at --resume', async (_, close) => {
    await using server = await startScriptedServer([call('bash', { command: 'rm -rf foo' }), say('GOAL: complete')]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted' });
    const foo = withFoo(place);
    {
      await using rig = startRig(place, { rows: 30, env: FAULT });
      await haltOn(rig, 'clean up');
      close(rig);
      await rig.exited;
    }
    expect(existsSync(foo)).toBe(true);
    await using again = startRig(place, { rows: 30, args: ['--resume'] });
    await again.waitFor('HALT');
    expect(existsSync(foo)).toBe(true);
    await armed(again);
    again.type('p');
    await again.waitFor('✓ done');
    expect(existsSync(foo)).toBe(false);
  });
});
