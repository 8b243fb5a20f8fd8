import { expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';
import { say, startScriptedServer, whenever } from '../support/scripted-server.ts';

const SUMMARY = 'The user renamed the parser to reader; its tests are still to be renamed.';

it('a session that ends is remembered, the next session’s model is told, and :memory forgets it on request', async () => {
  await using server = await startScriptedServer([
    whenever(/Sum up a terminal session/, say(SUMMARY)),
    whenever(/./, say('All right.')),
  ]);
  using place = scratch(server.baseUrl, { memory: { enabled: true } });
  {
    await using rig = startRig(place, { columns: 120 });
    await rig.waitFor('[aish:fast]>');
    rig.type('echo a-line-of-output\r');
    await rig.waitFor(/✓ \d/);
    rig.type('?rename the parser to reader\r');
    await rig.waitFor('All right.');
    rig.type(':quit\r');
    await rig.waitFor('saved for later sessions here');
  }
  const asked = await server.request(1, /Sum up/);
  expect(asked.text).toContain('rename the parser to reader');
  expect(asked.text).not.toContain('a-line-of-output');
  {
    await using rig = startRig(place, { columns: 120 });
    await rig.waitFor('[aish:fast]>');
    rig.type('?and which tests remain?\r');
    await rig.waitFor('All right.');
    const request = await server.request(1, /which tests remain/);
    expect(request.text).toContain(SUMMARY);
    rig.type(':memory\r');
    await rig.waitFor('renamed the parser');
    rig.type(':memory forget 1\r');
    await rig.waitFor('forgotten: ');
    rig.type(':memory\r');
    await rig.waitFor('there are no notes');
  }
});

it('a session without a message to a model ends without a memory', async () => {
  await using server = await startScriptedServer([]);
  using place = scratch(server.baseUrl, { memory: { enabled: true } });
  await using rig = await openRig(place, '[aish:fast]>', { columns: 120 });
  rig.type('echo hello\r');
  await rig.waitFor(/✓ \d/);
  rig.type(':quit\r');
  expect((await rig.exited).code).toBe(0);
  expect(server.requests).toHaveLength(0);
});
