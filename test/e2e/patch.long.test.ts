import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const change = { path: 'notes.txt', patches: [{ operation: 'replace', oldText: 'two', newText: 'TWO' }] };

// Runs with the launcher’s store and without it, where the patch tool itself keeps the old text.
it.each([[{}], [{ undo: { budget: 0 } }]])(
  'the tool patch runs after a yes and shows a coloured diff, and :undo reverts the change, with the settings %j',
  async (more) => {
    await using server = await startScriptedServer([call('patch', change), say('Changed.')]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted', ...more });
    const file = join(place.work, 'notes.txt');
    writeFileSync(file, 'one\ntwo\nthree\n');
    await using rig = await openRig(place, '[aish:fast]>', { rows: 40 });
    rig.type('?put it in capitals\r');
    await rig.waitFor(/CHANGE THIS FILE\?.*notes\.txt · \+1 −1/);
    expect(rig.text()).toMatch(/2 − two[\s\S]*2 \+ TWO/);
    expect([rig.coloured('− two'), rig.coloured('+ TWO')]).toEqual([true, true]);
    await rig.waitFor(/all shown|Enter: /);
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree\n');
    rig.type('p');
    await rig.waitFor('Changed.');
    expect(readFileSync(file, 'utf8')).toBe('one\nTWO\nthree\n');
    await rig.waitFor(/2 \+ TWO/);
    expect(rig.coloured('TWO')).toBe(true);
    expect(server.requests[1]?.messages.findLast((message) => message.role === 'tool')?.content).toContain(
      '-two\n+TWO',
    );
    rig.type(':undo\r');
    await rig.waitFor(/changes (it )?back/);
    await rig.waitFor(/\+ ?two/);
    await rig.waitFor(/> :undo yes/);
    rig.key('enter');
    await rig.waitFor(/undone: (1 · )?patch notes.txt/);
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree\n');
  },
);

it('the tool patch asks again when the file has another text by the time of the answer', async () => {
  await using server = await startScriptedServer([call('patch', change), say('Changed.')]);
  using place = scratch(server.baseUrl, { mode: 'unrestricted' });
  const file = join(place.work, 'notes.txt');
  writeFileSync(file, 'one\ntwo\nthree\n');
  await using rig = await openRig(place, '[aish:fast]>', { rows: 40 });
  rig.type('?put it in capitals\r');
  await rig.waitFor('CHANGE THIS FILE?');
  await rig.waitFor(/all shown|Enter: /);
  writeFileSync(file, 'zero\none\ntwo\n');
  rig.type('p');
  await rig.waitFor('A file it names has changed since you were asked');
  await rig.waitFor(/3 − two[\s\S]*3 \+ TWO/);
  expect(readFileSync(file, 'utf8')).toBe('zero\none\ntwo\n');
  await rig.waitFor(/all shown|Enter: /);
  rig.type('p');
  await rig.waitFor('Changed.');
  expect(readFileSync(file, 'utf8')).toBe('zero\none\nTWO\n');
});

it('the tool patch asks before it overwrites an existing file, but not before it creates one', async () => {
  const overwrite = (path: string) => call('patch', { path, patches: [{ operation: 'overwrite', newText: 'new\n' }] });
  await using server = await startScriptedServer([
    overwrite('there.txt'),
    overwrite('fresh.txt'),
    say('GOAL: complete'),
  ]);
  using place = scratch(server.baseUrl, { mode: 'unrestricted', auto_approve: ['patch'] });
  writeFileSync(join(place.work, 'there.txt'), 'old\n');
  await using rig = await openRig(place, '[aish:fast]>', { rows: 40 });
  rig.type(':norris write both\r');
  await rig.waitFor('overwrites an existing file');
  expect(rig.text()).toMatch(/1 − old[\s\S]*1 \+ new/);
  await rig.waitFor(/all shown|Enter: /);
  rig.type('s');
  await rig.waitFor('✓ done');
  expect(readFileSync(join(place.work, 'there.txt'), 'utf8')).toBe('old\n');
  expect(existsSync(join(place.work, 'fresh.txt'))).toBe(true);
});
