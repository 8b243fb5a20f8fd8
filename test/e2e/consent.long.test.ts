/** When chat asks before it runs a command of the model (AC-3). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

describe('chat', () => {
  it.skipIf(lacks('cc'))(
    'in Restricted runs commands at once, and asks about the mode after the first blocked one',
    async () => {
      await using server = await startScriptedServer([
        say('I look.\n\nCMD: ls only-file.txt | wc -l'),
        call('bash', { command: 'pwd; cat only-file.txt' }),
        say('CMD: touch made'),
        say('That is all.'),
      ]);
      using place = scratch(server.baseUrl);
      writeFileSync(join(place.work, 'only-file.txt'), 'its text\n');
      await using rig = await openRig(place, '[aish:fast]>', { rows: 40 });
      rig.type('?what is here\r');
      await rig.waitFor('Restricted mode blocked a write');
      expect(rig.text()).toContain('touch made');
      expect(server.requests).toHaveLength(3);
      expect(server.requests[2]?.text).toContain('its text');
      await rig.waitFor(/all shown|Enter: /);
      expect(existsSync(join(place.work, 'made'))).toBe(false);
      rig.type('u');
      await rig.waitFor('That is all.');
      expect(existsSync(join(place.work, 'made'))).toBe(true);
    },
  );

  it('asks before it shows a credential to a remote model, and does not ask for a model on this machine', async () => {
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
        await rig.waitFor(/may show a key or password/);
        expect(rig.text()).not.toContain('not again');
        await rig.waitFor(/all shown|Enter: /);
        rig.type('s');
      }
      await rig.waitFor('That is all.');
      expect(server.requests.some(({ text }) => text.includes('from-the-model'))).toBe(here);
    }
  });

  it('in Unrestricted lets read-only commands run for the rest of the session after P', async () => {
    await using server = await startScriptedServer([
      say('CMD: ls'),
      say('CMD: pwd'),
      say('CMD: touch made'),
      say('That is all.'),
    ]);
    using place = scratch(server.baseUrl, { mode: 'unrestricted' });
    await using rig = await openRig(place, '[aish:fast]>', { rows: 40, columns: 100 });
    rig.type('?what is here\r');
    await rig.waitFor('don’t ask again for commands that only read');
    await rig.waitFor(/all shown|Enter: /);
    rig.type('P');
    await rig.waitFor(/┆ touch made/);
    expect(rig.text()).toContain('commands that only read are not asked about again');
    expect(rig.text()).not.toContain('don’t ask again');
    expect(server.requests).toHaveLength(3);
    await rig.waitFor(/all shown|Enter: /);
    rig.type('p');
    await rig.waitFor('That is all.');
    expect(existsSync(join(place.work, 'made'))).toBe(true);
  });

  it.skipIf(lacks('make'))(
    'allows a program and subcommand after P, and :allow lists, saves and revokes it',
    async () => {
      await using server = await startScriptedServer([
        say('CMD: make test 2>&1 | tail -3'),
        say('CMD: make test'),
        say('CMD: make other'),
        say('That is all.'),
        say('CMD: make test'),
        say('Done again.'),
      ]);
      using place = scratch(server.baseUrl, { mode: 'unrestricted', safety: { llm_second_opinion: false } });
      writeFileSync(join(place.work, 'Makefile'), 'test:\n\t@echo ran >> runs\nother:\n\t@echo other >> runs\n');
      const config = join(place.home, 'config.jsonc');
      const runs = () => readFileSync(join(place.work, 'runs'), 'utf8');
      await using rig = await openRig(place, '[aish:fast]>', { rows: 40, columns: 100 });
      rig.type('?test it\r');
      await rig.waitFor('don’t ask again for make test');
      await rig.waitFor(/all shown|Enter: /);
      rig.type('P');
      await rig.waitFor('┆ make other');
      expect(runs()).toBe('ran\nran\n');
      await rig.waitFor(/all shown|Enter: /);
      rig.type('s');
      await rig.waitFor('That is all.');
      rig.type(':allow\r');
      await rig.waitFor('this session  make test');
      rig.type(':allow keep make test\r');
      await rig.waitFor('make test is kept for');
      expect(readFileSync(config, 'utf8')).toMatch(/"allow": \[\s*"make test"/);
      rig.type(':allow -make test\r');
      await rig.waitFor('no longer kept');
      expect(readFileSync(config, 'utf8')).not.toContain('make test');
      rig.type(':allow bash\r');
      await rig.waitFor('no rule can allow bash');
      rig.type('?test it again\r');
      await rig.waitFor(/┆ make test\s/);
      await rig.waitFor(/all shown|Enter: /);
      rig.type('s');
      await rig.waitFor('Done again.');
      expect(runs()).toBe('ran\nran\n');
    },
  );
});
