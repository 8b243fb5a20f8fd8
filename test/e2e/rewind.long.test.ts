import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { type Scratch, scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { say, startScriptedServer } from '../support/scripted-server.ts';

/** Returns every file of the directory with its content. */
function filesOf({ work }: Scratch): Readonly<Record<string, string>> {
  const names = readdirSync(work).filter((name) => !name.startsWith('.'));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(work, name), 'utf8')]));
}

const COMMANDS = ['echo 1 > a', 'echo 2 >> a; echo 2 > b', 'mv b c', 'rm a; mkdir d; rmdir d', 'echo 5 > a'];

it.skipIf(lacks('cc'))(
  ':rewind goes back over four of five questions with their changes, and forward again',
  async () => {
    await using server = await startScriptedServer([
      ...COMMANDS.flatMap((command, at) => [say(`CMD: ${command}`), say(`answer ${at + 1}`)]),
      say('answer in between'),
      say('answer at the end'),
    ]);
    using place = scratch(server.baseUrl, {
      mode: 'unrestricted',
      confirm_cmd: false,
      safety: { llm_second_opinion: false },
    });
    const lastRequest = () => JSON.stringify(server.requests.at(-1)?.messages);
    const states = [filesOf(place)];
    {
      await using rig = startRig(place, { rows: 50 });
      await rig.waitFor('[aish:fast]>');
      for (const at of COMMANDS.keys()) {
        rig.type(`?question ${at + 1}\r`);
        await rig.waitFor(`answer ${at + 1}`);
        states.push(filesOf(place));
      }
      expect(states[5]).toEqual({ a: '5\n', c: '2\n' });

      rig.type(':rewind\r');
      await rig.waitFor(/ 2 {2}\d\d:\d\d {2}question 2[\s\S]*:rewind N goes back before a question/);
      rig.type(':rewind 2\r');
      await rig.waitFor(/The model has changed since then:[\s\S]*Press Enter \(:rewind 2 yes\): goes back/);
      expect(filesOf(place)).toEqual(states[5]);
      rig.key('enter');
      await rig.waitFor('back before: question 2');
      expect(filesOf(place)).toEqual(states[1]);
      // The question's text is in the prompt again.
      await rig.waitFor(/\[aish:fast\][?>] \??question 2/);
      rig.key('ctrl-u');
      rig.type('?and now\r');
      await rig.waitFor('answer in between');
      expect(lastRequest()).toContain('question 1');
      expect(lastRequest()).not.toMatch(/question [2-5]|answer [2-5]/);
      rig.type(':quit\r');
      await rig.exited;
    }
    await using rig = startRig(place, { rows: 50, args: ['--resume'] });
    await rig.waitFor('answer in between');
    rig.type(':rewind back\r');
    await rig.waitFor(
      /Undone when you went back:\n.*undo of 2: echo 2 >> a[\s\S]*Press Enter \(:rewind back yes\): returns/,
    );
    rig.key('enter');
    await rig.waitFor('back behind: question 2');
    expect(filesOf(place)).toEqual(states[5]);
    rig.type('?what was it\r');
    await rig.waitFor('answer at the end');
    for (const at of COMMANDS.keys()) expect(lastRequest()).toContain(`answer ${at + 1}`);
    expect(lastRequest()).not.toContain('in between');
    rig.type(':rewind\r');
    await rig.waitFor(/branches:\n.* 2 {2}and now/);
    // Nothing has changed since the last question, so the key goes back at once.
    rig.key('alt-t');
    rig.type('KK');
    rig.type('R');
    await rig.waitFor('back before: what was it');
  },
);
