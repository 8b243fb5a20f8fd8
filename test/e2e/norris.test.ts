import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { haltOn, withFoo } from '../support/halts.ts';
import { scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const unrestricted = { mode: 'unrestricted' };

describe('Norris on screen', () => {
  it('counts recently changed Python files in several steps without a question', async () => {
    using place = scratch();
    for (const name of ['a.py', 'b.py', 'c.py', 'd.txt']) writeFileSync(join(place.work, name), 'x');
    await using rig = await openRig(place, '[aish:demo]>', { rows: 40 });
    rig.type(':norris find all Python files modified in the last week and count them\r');
    await rig.waitFor(/done/);
    expect(rig.text()).toContain('There are 3 Python files');
    expect(rig.text()).toMatch(/^✓ +1 +find .*only reads · \d+/m);
    expect(rig.text()).toMatch(/^✓ +2 +find .*only reads · \d+/m);
    expect(rig.text()).toMatch(/done {2}find all .* 3 of \d+ steps/);
  });

  it.each(['proceed', 'skip', 'abort'] as const)(
    'halts at rm -rf, and the answer %s has its effect',
    async (answer) => {
      await using server = await startScriptedServer([
        call('bash', { command: 'rm -rf foo' }),
        say('Done.\nGOAL: complete'),
      ]);
      using place = scratch(server.baseUrl, unrestricted);
      const foo = withFoo(place);
      await using rig = startRig(place, { rows: 30 });
      await haltOn(rig, 'clean up');
      expect(rig.text()).toMatch(/rm -rf foo/);
      expect(rig.text()).toMatch(/1\/16/);
      expect(existsSync(foo)).toBe(true);
      rig.type(answer[0] ?? '');
      await rig.waitFor(answer === 'abort' ? 'aborted' : 'done');
      expect(existsSync(foo)).toBe(answer !== 'proceed');
      expect(server.requests).toHaveLength(answer === 'abort' ? 1 : 2);
      const result = server.requests[1]?.messages.findLast((message) => message.role === 'tool')?.content;
      if (answer === 'proceed') expect(result).toMatch(/^\[aish\] action approved\n\(no output\)\n\[exit 0/);
      if (answer === 'skip') expect(result).toMatch(/^\[aish\] action skipped by user: /);
      // The prompt is back and the conversation is complete.
      rig.type(':history\r');
      await rig.waitFor('goal: clean up');
    },
  );

  it('halts at dd to a device, with the focus on skip', async () => {
    await using server = await startScriptedServer([say('CMD: dd if=/dev/zero of=/dev/sda'), say('GOAL: blocked\nno')]);
    using place = scratch(server.baseUrl, unrestricted);
    await using rig = startRig(place, { rows: 30 });
    await haltOn(rig, 'wipe it');
    expect(rig.text()).toContain('dd if=/dev/zero of=/dev/sda');
    rig.key('enter');
    await rig.waitFor('blocked');
    expect(server.requests[1]?.lastUser).toContain('[aish] action skipped by user');
  });

  it('is aborted by Ctrl-X Ctrl-C during a command', async () => {
    await using server = await startScriptedServer([say('CMD: echo begun; sleep 300')]);
    using place = scratch(server.baseUrl, { ...unrestricted, safety: { llm_second_opinion: false } });
    await using rig = await openRig(place, '[aish:fast]>', { rows: 30 });
    rig.type(':norris wait\r');
    await rig.waitFor(/\Wbegun\n/);
    // The goal stays at the top. The step and the key that stops it are above the prompt and vanish with the run.
    await rig.waitFor(/^ NORRIS {2}wait +\d+ s *$/m);
    await rig.waitFor(/^. running · echo begun; sleep 300 · \d+ s +Ctrl-C stops *$/m);
    rig.key('ctrl-x', 'ctrl-c');
    await rig.waitFor('aborted');
    expect(rig.text()).not.toMatch(/NORRIS| stops$/m);
    expect(server.requests).toHaveLength(1);
  });
});

describe('an open HALT', () => {
  it('ignores keys that were typed for the prompt', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'rm -rf foo' })]);
    using place = scratch(server.baseUrl, unrestricted);
    const foo = withFoo(place);
    await using rig = await openRig(place, '[aish:fast]>', { rows: 30 });
    rig.type(':norris clean up\r');
    // A user who types on without looking: every letter comes before the keyboard was quiet for half a second.
    const letters = 'ppp please ';
    let typed = 0;
    const typing = setInterval(() => {
      rig.type(letters.charAt(typed % letters.length));
      typed += 1;
    }, 40);
    await rig.waitFor('HALT');
    for (let shown = 0; shown < 20; shown += 1) await new Promise((resolve) => setTimeout(resolve, 50));
    clearInterval(typing);
    expect(existsSync(foo)).toBe(true);
    expect(rig.text()).toContain('HALT');
  });
});
