/**
 * The first frame appears before the rest of the program is loaded, and keys typed during the load are kept in order.
 */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { atRest, expectSameWhenRedrawn } from '../support/redrawn.ts';
import { openRig, startRig } from '../support/rig.ts';

describe('the start of the program', () => {
  it('shows what is typed before the shell runs, and runs it when the shell is ready', async () => {
    await using rig = await openRig(scratch(), /\[aish:demo\]> *\n starting/);
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

  it('accepts keys that were typed before anything was drawn', async () => {
    using place = scratch();
    await using rig = startRig(place);
    rig.type('echo early');
    await rig.waitFor('[aish:demo]> echo early');
    rig.key('enter');
    await rig.waitFor(/✓[\s\S]*│ early/);
  });

  it('works with a wrong configuration, lists all its mistakes, and runs the user’s lines', async () => {
    using place = scratch();
    writeFileSync(place.env.AISH_CONFIG ?? '', '{ "modle": "fast",\n "model": "demo",\n "max_turns": "many" }');
    // The window is wide, since the path may be long.
    await using rig = startRig(place, { columns: 200 });
    await rig.waitFor(/config\.jsonc:1:3: unknown key modle; did you mean model\?/);
    await rig.waitFor(/config\.jsonc:3:15: max_turns must be integer[\s\S]*config edit mends it/);
    rig.type('echo mine\r');
    await rig.waitFor(/✓[\s\S]*│ mine/);
    expect(rig.text()).not.toContain('the model can run nothing');
  });
});
