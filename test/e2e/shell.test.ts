import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';
import { hold, startScriptedServer } from '../support/scripted-server.ts';

describe('the shell on screen', () => {
  it('runs a command in colour and shows its result', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>');
    rig.type("printf '\\033[32mgreen\\033[m\\n'; sh -c 'exit 3'\r");
    await rig.waitFor(/✗ 3/);
    await rig.waitFor(({ screen }) => screen.call(rig).some((line) => /^\W*green$/.test(line)));
    expect(rig.coloured('green')).toBe(true);
  });

  it('keeps cd and export from line to line', async () => {
    using place = scratch();
    mkdirSync(join(place.work, 'deep'));
    await using rig = await openRig(place, '[aish:demo]>');
    rig.type('cd deep\r');
    await rig.waitFor(/✓ \d/);
    rig.type('export COLOUR=teal\r');
    await rig.waitFor(/✓[\s\S]*✓/);
    rig.type('echo "$PWD is $COLOUR"\r');
    await rig.waitFor(`${join(realpathSync(place.work), 'deep')} is teal`);
  });

  it('gives the keyboard to a program that reads, and takes it back', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>');
    rig.type('read -p "name? " name; echo "hello $name"\r');
    await rig.waitFor('keys go to the program');
    rig.type('world\r');
    await rig.waitFor('hello world');
    await rig.waitFor(/✓ \d/);
    rig.type('echo back\r');
    await rig.waitFor(/✓[\s\S]*back/);
  });

  it('interrupts the running command with Ctrl-C', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>');
    rig.type('sh -c "echo begun; exec sleep 300"\r');
    await rig.waitFor(/│ begun\n/);
    rig.key('ctrl-c');
    await rig.waitFor(/✗ 130/);
  });
});

describe('a question', () => {
  it('streams its answer, and its request contains the commands that just ran', async () => {
    await using server = await startScriptedServer([{ text: ['It says ', hold('rest'), '**tea**.'] }]);
    await using rig = await openRig(scratch(server.baseUrl), '[aish:fast]>');
    rig.type('echo tea\r');
    await rig.waitFor(/✓ \d/);
    rig.type('what does the last output say?\r');
    await rig.waitFor('It says');
    expect(rig.text()).not.toContain('It says tea');
    server.release('rest');
    await rig.waitFor('It says tea.');
    expect(server.requests[0]?.lastUser).toContain('$ echo tea\ntea\n[exit 0');
  });

  it('is stopped by Ctrl-X Ctrl-C, and the partial answer stays', async () => {
    await using server = await startScriptedServer([{ text: ['One, two, ', hold('never'), 'three.'] }]);
    await using rig = await openRig(scratch(server.baseUrl), '[aish:fast]>');
    rig.type('?count\r');
    await rig.waitFor('One, two,');
    rig.key('ctrl-x', 'ctrl-c');
    await rig.waitFor('stopped');
    expect(rig.text()).toContain('One, two,');
    const request = await server.request(1);
    await server.aborted(request);
  });
});
