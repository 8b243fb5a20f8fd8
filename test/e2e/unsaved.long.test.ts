import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

/** A place whose state folder can't be made, because a file is in its place. */
function unwritable(place: Scratch): { readonly place: Scratch; readonly blocker: string } {
  const blocker = join(place.home, 'state');
  writeFileSync(blocker, '');
  return { place: { ...place, env: { ...place.env, XDG_STATE_HOME: blocker } }, blocker };
}

describe('a session that can’t be saved', () => {
  it('leaves the user’s shell working, and the status bar says so until saving works again', async () => {
    using here = scratch();
    const { place, blocker } = unwritable(here);
    await using rig = startRig(place, { columns: 100, rows: 24 });
    await rig.waitFor('NOT SAVED');
    rig.type('echo "$((6 * 7)) it runs"\r');
    await rig.waitFor('42 it runs');
    rmSync(blocker);
    rig.type('echo again\r');
    await rig.waitFor('the session is saved again');
    await rig.waitForGone('NOT SAVED');
    expect(existsSync(join(blocker, 'aish/sessions'))).toBe(true);
  });

  it('promises no resume on leaving', async () => {
    using here = scratch();
    const { place } = unwritable(here);
    await using rig = startRig(place, { columns: 100, rows: 24 });
    await rig.waitFor('NOT SAVED');
    rig.type('echo hello\r');
    await rig.waitFor(/hello\n/);
    rig.type(':quit\r');
    await rig.waitFor('there is nothing to resume');
    expect(rig.text()).not.toContain('--resume');
  });

  it('stops a run at its first action instead of paying for more', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'touch made' }), say('GOAL: complete')]);
    using here = scratch(server.baseUrl);
    const { place } = unwritable(here);
    const { code, out, err } = await runProgram(place, ['run', 'make it']);
    expect(code).toBe(74);
    // The message appears among the run's own lines.
    expect(err).toContain("the session can't be saved (ENOTDIR");
    expect(out).not.toContain('nothing from the model will run');
    expect(out).toMatch(/stopped: the session can't be saved \(ENOTDIR/);
    expect(existsSync(join(place.work, 'made'))).toBe(false);
    expect(server.requests).toHaveLength(1);
  });
});
