import { describe, it } from 'vitest';
import { everyShell } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';

describe('the shell on screen', () => {
  it.each(everyShell())('asks for the rest of an incomplete command, as %s does', async (shell) => {
    await using rig = await openRig(scratch(), '[aish:demo]>', { env: { SHELL: shell } });
    rig.type('echo "one\r');
    await rig.waitFor('the command is incomplete');
    rig.type('two"\r');
    await rig.waitFor(/✓[\s\S]*one\n\W*two\n/);
    rig.type('for i in 1 2\r');
    await rig.waitFor('the command is incomplete');
    rig.type(shell.endsWith('fish') ? 'echo "is $i"\rend\r' : 'do echo "is $i"\rdone\r');
    await rig.waitFor(/✓[\s\S]*is 1\n\W*is 2\n/);
  });

  it('shows a line that waits for the running command', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>');
    rig.type('sleep 1000\r');
    await rig.waitFor('keys go to the program');
    rig.key('ctrl-]');
    rig.type('echo later\r');
    await rig.waitFor('then: echo later');
    rig.key('ctrl-c');
    await rig.waitFor(/^\W*later$/m);
  });

  it('shows during typing whether the line goes to the shell or the model', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>');
    rig.type('ls -la');
    await rig.waitFor(/ls -la\s+shell/);
    rig.key('alt-s');
    await rig.waitFor(/ls -la\s+ask/);
    rig.key('ctrl-c');
    await rig.waitForGone('ls -la');
    rig.type(':help');
    await rig.waitFor(/:help\s+command|:help\s+meta/);
  });
});
