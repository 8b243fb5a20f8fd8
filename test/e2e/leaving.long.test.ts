import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyShell, userShells } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';

describe.each(userShells())('Ctrl-C in %s', (program) => {
  it('ends a program that ignores it, and not the shell', async () => {
    await using rig = await openRig(scratch(), /\[aish:\w+\]>/, { env: { SHELL: program } });
    rig.type('mine=kept; sh -c \'trap "" INT; echo begun; sleep 300; sleep 300\'\r');
    await rig.waitFor(/│ begun/);
    await rig.waitFor('keys go to the program');
    rig.key('ctrl-c');
    await rig.waitFor(/✗ 1(?:43|37)/);
    rig.type('echo "is $mine"\r');
    await rig.waitFor(/│ is kept/);
  });

  it('is passed as a key to a program that handles it', async () => {
    await using rig = await openRig(scratch(), /\[aish:\w+\]>/, { env: { SHELL: program } });
    rig.type('sh -c \'trap "echo not yet" INT; while ! read line; do :; done; echo "read $line"\'\r');
    await rig.waitFor('keys go to the program');
    rig.key('ctrl-c');
    await rig.waitFor('not yet');
    rig.type('on\r');
    await rig.waitFor(/│ read on/);
  });
});

describe.each(everyShell())('leaving %s', (program) => {
  it('warns once about a stopped job, at exit and at Ctrl-D', async () => {
    await using rig = await openRig(scratch(), /\[aish:\w+\]>/, { env: { SHELL: program } });
    rig.type('sleep 301\r');
    await rig.waitFor('keys go to the program');
    rig.key('ctrl-z');
    await rig.waitFor(/\[aish:\w+\]> *\n/);
    rig.type('exit\r');
    await rig.waitFor(/stopped jobs|suspended jobs|jobs active/);
    rig.type('echo still""here\r');
    await rig.waitFor(/│ stillhere/);
    rig.key('ctrl-d');
    await rig.waitFor('Ctrl-D again');
    rig.key('ctrl-d');
    expect((await rig.exited).code).toBe(0);
  });

  it('warns once about a background job at exit, and again at the next exit after another line', async () => {
    await using rig = await openRig(scratch(), /\[aish:\w+\]>/, { env: { SHELL: program } });
    rig.type(':bg sleep 302\r');
    await rig.waitFor('1 job');
    rig.type('exit\r');
    await rig.waitFor('a job is still running: exit again');
    rig.type('echo still""here\r');
    await rig.waitFor(/❯ echo still""here .*✓/);
    rig.type('exit\r');
    await rig.waitFor('a job is still running: exit again');
    rig.type('exit\r');
    expect((await rig.exited).code).toBe(0);
  });

  it('keeps text typed before a program hides typing out of the journal', async () => {
    using place = scratch();
    await using rig = await openRig(place, /\[aish:\w+\]>/, { env: { SHELL: program } });
    // Text typed while the shell still starts becomes lines.
    rig.type('true\r');
    await rig.waitFor(/❯ true .*✓/);
    rig.type(
      "sh -c 'sleep 1.5; stty -echo; until [ -e seen ]; do sleep 0.1; done; read secret; stty echo; echo got $(printf %s $secret | wc -c)'\r",
    );
    rig.type('hunter2\r');
    // A program that hides typing only between two checks can't be distinguished from one that never did.
    await rig.waitFor('typing is hidden');
    writeFileSync(join(place.work, 'seen'), '');
    await rig.waitFor(/❯ sh -c [^\n]*✓ \d[\s\S]*│ got 7/);
    rig.type('echo next\r');
    await rig.waitFor(/│ next/);
    const files = readdirSync(place.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const holding = files
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes('/tmp/aish-shell') && readFileSync(path, 'utf8').includes('hunter2'));
    expect(holding).toEqual([]);
  });
});
