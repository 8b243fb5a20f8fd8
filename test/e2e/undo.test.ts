import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

it.skipIf(lacks('cc'))(
  ':undo run reverts a whole run in Unrestricted, whose changes were listed, and tells the model',
  async () => {
    await using server = await startScriptedServer([
      say('CMD: echo two > a && echo made > made'),
      say('CMD: mv a b && mkdir src/sub && echo x > src/sub/x'),
      say('GOAL: complete'),
      say('I see.'),
    ]);
    using place = scratch(server.baseUrl, {
      mode: 'unrestricted',
      confirm_cmd: false,
      safety: { llm_second_opinion: false },
    });
    const file = (name: string) => join(place.work, name);
    writeFileSync(file('a'), 'one\n');
    mkdirSync(file('src'));
    await using rig = startRig(place, { rows: 40 });
    await rig.waitFor('[aish:fast]>');
    rig.type(':norris change things\r');
    // Truncating a file of the user halts.
    await rig.waitFor(/all shown|Enter: /);
    rig.type('p');
    await rig.waitFor(/2 files created, 1 moved[\s\S]* made +created, [\s\S]* b +moved from a[\s\S]*:undo run takes/);
    expect(readFileSync(file('b'), 'utf8')).toBe('two\n');
    rig.type(':undo run\r');
    await rig.waitFor(/Press Enter \(:undo run yes\) to undo this[\s\S]*> :undo run yes/);
    expect(existsSync(file('b'))).toBe(true);
    rig.key('enter');
    await rig.waitFor(/undone: 1 · /);
    expect(readFileSync(file('a'), 'utf8')).toBe('one\n');
    for (const name of ['b', 'made', 'src/sub']) expect(existsSync(file(name))).toBe(false);
    rig.type('?what do you see\r');
    await rig.waitFor('I see.');
    const told = server.requests
      .at(-1)
      ?.messages.map(({ content }) => String(content))
      .join('\n');
    expect(told).toContain('[aish] the user took back changes of yours');
  },
);
