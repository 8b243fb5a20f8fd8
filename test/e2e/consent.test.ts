/** What asks before a command of the model in chat (AC-3). */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

describe('in chat', () => {
  it.skipIf(lacks('cc'))(
    'Restricted runs commands at once, and asks about the mode after the first that was blocked',
    async () => {
      await using server = await startScriptedServer([
        say('I look.\n\nCMD: ls only-file.txt | wc -l'),
        call('bash', { command: 'pwd; cat only-file.txt' }),
        say('CMD: touch made'),
        say('That is all.'),
      ]);
      using place = scratch(server.baseUrl);
      writeFileSync(join(place.work, 'only-file.txt'), 'its text\n');
      await using rig = startRig(place, { rows: 40 });
      await rig.waitFor('[aish:fast]>');
      rig.type('?what is here\r');
      await rig.waitFor('Restricted mode blocked a write');
      expect(rig.text()).toContain('touch made');
      expect(server.requests).toHaveLength(3);
      expect(server.requests[2]?.text).toContain('its text');
      await rig.waitFor(/seen to the end/);
      expect(existsSync(join(place.work, 'made'))).toBe(false);
      rig.type('u');
      await rig.waitFor('That is all.');
      expect(existsSync(join(place.work, 'made'))).toBe(true);
    },
  );

  it('asks before it shows a credential to a model elsewhere, and does not where the model is here', async () => {
    for (const here of [false, true]) {
      await using server = await startScriptedServer([say('CMD: cat .env'), say('That is all.')]);
      const elsewhere = `http://[::ffff:127.0.0.1]:${server.port}/v1`;
      using place = scratch(undefined, {
        models: { fast: { base_url: here ? server.baseUrl : elsewhere, context: 8192 } },
        safety: { llm_second_opinion: false },
        confirm_cmd: false,
      });
      writeFileSync(join(place.work, '.env'), 'HIDDEN=from-the-model\n');
      await using rig = startRig(place, { rows: 40 });
      await rig.waitFor('[aish:fast]>');
      rig.type('?what is set\r');
      if (!here) {
        await rig.waitFor('It may show a key or password to a model on another machine');
        expect(rig.text()).not.toContain('not again');
        await rig.waitFor(/seen to the end/);
        rig.type('s');
      }
      await rig.waitFor('That is all.');
      expect(server.requests.some(({ text }) => text.includes('from-the-model'))).toBe(here);
    }
  });

  it('in Unrestricted P lets what only reads run for the rest of the session', async () => {
    await using server = await startScriptedServer([
      say('CMD: ls'),
      say('CMD: pwd'),
      say('CMD: touch made'),
      say('That is all.'),
    ]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted' });
    await using rig = startRig(place, { rows: 40, columns: 100 });
    await rig.waitFor('[aish:fast]>');
    rig.type('?what is here\r');
    await rig.waitFor('don’t ask again for commands that only read');
    await rig.waitFor(/seen to the end/);
    rig.type('P');
    await rig.waitFor(/┆ touch made/);
    expect(rig.text()).toContain('commands that only read are not asked about again');
    expect(rig.text()).not.toContain('don’t ask again');
    expect(server.requests).toHaveLength(3);
    await rig.waitFor(/seen to the end/);
    rig.type('p');
    await rig.waitFor('That is all.');
    expect(existsSync(join(place.work, 'made'))).toBe(true);
  });
});
