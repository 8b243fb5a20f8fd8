/** The list of earlier sessions: search by letters, resume in place, copy one that is open elsewhere (RE-7). */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

it('the list of sessions shows question, directory and time, filters by letters, and switches to a session and back', async () => {
  await using server = await startScriptedServer([
    say('Pears keep for a week.'),
    say('Bolts are M6.'),
    say('As I said.'),
  ]);
  using place = scratch(server.baseUrl);
  mkdirSync(join(place.work, 'shed'));
  {
    await using rig = startRig(place);
    await rig.waitFor('[aish:fast]>');
    rig.type('?how long do pears keep\r');
    await rig.waitFor('Pears keep for a week.');
    rig.type(':quit\r');
    await rig.exited;
  }
  await using rig = startRig(place, { args: ['--cwd', join(place.work, 'shed')] });
  await rig.waitFor('[aish:fast]>');
  rig.type('?which size are the bolts\r');
  await rig.waitFor('Bolts are M6.');
  rig.type(':sessions\r');
  await rig.waitFor(/sessions: .*1 of 1/);
  expect(rig.text()).toMatch(/today \d\d:\d\d\s+how long do pears keep .*1 turn/);
  await rig.waitFor(/how it ended[\s\S]*\? how long do pears keep[\s\S]*● Pears keep for a week\./);
  rig.type('xyz');
  await rig.waitFor('nothing matches');
  rig.key('ctrl-u');
  rig.type('pears');
  await rig.waitFor(/sessions: pears.*1 of 1/);
  rig.key('enter');
  await rig.waitForGone('how it ended');
  await rig.waitFor(/Pears keep for a week\.[\s\S]*\[aish:fast\]> /);
  expect(rig.text()).not.toContain('Bolts');
  expect(rig.text()).toMatch(/Pears keep for a week\.[\s\S]*── resumed \w+ \d+ \w+ \d{4}, \d\d:\d\d ─+\n/);
  rig.type('?say it again\r');
  await rig.waitFor('As I said.');
  expect(server.requests[2]?.messages.map(({ content }) => content).join()).toContain('Pears keep');
  rig.type('pwd\r');
  await rig.waitFor(new RegExp(`│ ${place.work}$`, 'm'));
  // F2 switches from the list of all sessions back to the list of this directory.
  rig.key('f2');
  rig.type('session bolts');
  await rig.waitFor(/session .*which size are the bolts/);
  rig.key('enter');
  await rig.waitFor(/Bolts are M6\.[\s\S]*\[aish:fast\]> /);
  rig.type(':quit\r');
  expect(await rig.exited).toMatchObject({ code: 0 });
});

it('a session that is open in another window is copied, and nobody can leave a session while something runs', async () => {
  await using server = await startScriptedServer([say('One.')]);
  using place = scratch(server.baseUrl);
  await using first = startRig(place);
  await first.waitFor('[aish:fast]>');
  first.type('?count please\r');
  await first.waitFor('One.');
  await using rig = startRig(place, { columns: 120 });
  await rig.waitFor('[aish:fast]>');
  rig.type('sleep 600\r');
  await rig.waitFor('keys go to the program');
  rig.key('ctrl-]');
  await rig.waitFor('Ctrl-] gives');
  rig.type(':sessions\r');
  await rig.waitFor('open elsewhere: a copy');
  rig.key('enter');
  await rig.waitFor('a command runs: end it first');
  rig.key('ctrl-c');
  await rig.waitFor(/sleep 600 .*✗/);
  rig.type(':sessions\r');
  await rig.waitFor('open elsewhere: a copy');
  rig.key('enter');
  await rig.waitFor(/this is a copy of session[\s\S]*\[aish:fast\]> /);
  expect(rig.text()).toContain('One.');
  first.type('echo still here\r');
  await first.waitFor(/│ still here/);
});
