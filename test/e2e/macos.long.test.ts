/** The program on a Mac, simulated by another platform name, no /proc, and `ps` in its place. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';
import { call, say, startScriptedServer } from '../support/scripted-server.ts';

const MAC = pathToFileURL(join(import.meta.dirname, '../support/as-macos.mjs')).href;
const onMac = (place: Scratch): Scratch => ({ ...place, env: { ...place.env, NODE_OPTIONS: `--import ${MAC}` } });

describe.skipIf(lacks('ps'))('on a Mac', () => {
  it('names in doctor each missing part with its reason', async () => {
    using place = scratch();
    const { out } = await runProgram(onMac(place), ['doctor']);
    expect(out).toMatch(/program +.* darwin /);
    expect(out).toMatch(/sandbox +.*needs Linux 5\.13.*this is darwin/);
    expect(out).toMatch(/undo +.*nothing is kept: .*this is darwin/);
    expect(out).toMatch(/try +.*nothing can be tried: .*this is darwin/);
  });

  it('reports the missing parts at the start, and shell, question, Norris and HALT work', async () => {
    await using server = await startScriptedServer([
      say('It is blue.'),
      call('bash', { command: 'rm -r src' }),
      say('GOAL: complete'),
    ]);
    using place = scratch(server.baseUrl, { safety: { llm_second_opinion: false } });
    mkdirSync(join(place.work, 'src'));
    await using rig = startRig(onMac(place), { columns: 120, rows: 40 });
    await rig.waitFor('[aish:fast]>');
    await rig.waitFor(/sandbox[\s\S]*this\s+is darwin/);
    rig.type('cd src && echo in-$(basename "$PWD")\r');
    await rig.waitFor(/^\W*in-src$/m);
    rig.type('cd ..\r');
    rig.type('?what colour is it\r');
    await rig.waitFor('It is blue.');
    rig.type(':norris clean up\r');
    await rig.waitFor('HALT');
    await rig.waitFor(/all shown|Enter: /);
    rig.type('s');
    await rig.waitFor(/skipped/);
    await rig.waitFor('done');
    expect(existsSync(join(place.work, 'src'))).toBe(true);
    rig.type('exit\r');
    expect((await rig.exited).code).toBe(0);
  });
});
