/** Lines typed while a command has the keyboard that it does not read (IN-7, EX-12). */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Scratch, scratch } from '../support/program.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

/** Starts a command that reads nothing, types `keys` while it has the keyboard, and ends it. */
async function typeAhead(rig: Rig, home: Scratch, keys: string): Promise<void> {
  await rig.waitFor(/\[aish:\w+\]>/);
  rig.type('until [ -e go ]; do sleep 0.1; done; echo over\r');
  await rig.waitFor(/Ctrl-\]/);
  rig.type(keys);
  await rig.waitFor(keys.split('\r').findLast((line) => line !== '') ?? '');
  writeFileSync(join(home.work, 'go'), '');
}

it.each([
  ['a question', '?what does `rm -r build` do'],
  ['a question without a prefix', 'what does the command `rm -r build` do?'],
  ['a command of the program', ':norris `rm -r build`'],
])(
  '%s typed during a command returns to the prompt with the lines after it, and the shell runs none of them',
  async (_kind, line) => {
    await using server = await startScriptedServer([say('It deletes it.')]);
    using home = scratch(server.baseUrl);
    mkdirSync(join(home.work, 'build'));
    await using rig = startRig(home);
    await typeAhead(rig, home, `${line}\rtouch late\r`);
    await rig.waitFor(/│ over[\s\S]*\]> [\s\S]*touch late/);
    rig.key('ctrl-c');
    rig.type('echo se""ttled\r');
    await rig.waitFor('│ settled');
    expect(existsSync(join(home.work, 'build'))).toBe(true);
    expect(existsSync(join(home.work, 'late'))).toBe(false);
    expect(server.requests).toEqual([]);
  },
);

it('shell lines typed during a command run in order, up to the first line that is not for the shell', async () => {
  using home = scratch();
  await using rig = startRig(home);
  const lines = [
    'echo one >log',
    'read word; echo "got $word" >>log',
    'my word',
    'for n in 2 3',
    'do echo $n >>log',
    'done',
  ];
  await typeAhead(rig, home, [...lines, '?and a question', ''].join('\r'));
  await rig.waitFor(/\]> \?and a question/);
  expect(readFileSync(join(home.work, 'log'), 'utf8')).toBe('one\ngot my word\n2\n3\n');
});
