import { describe, expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';
import { call, startScriptedServer } from '../support/scripted-server.ts';

describe('the screen', () => {
  it('writes nothing while nothing happens', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>');
    // The ends of two jobs bracket the quiet time: anything drawn between them had no reason.
    rig.type(':bg sleep 2\r');
    await rig.waitFor('job 1');
    rig.type(':bg sleep 8\r');
    await rig.waitFor('job 2');
    rig.type('x');
    await rig.waitFor(/job 1 ended[\s\S]*\[aish:demo\]> x[\s\S]* 1 job/);
    const { length } = rig.raw;
    await rig.waitFor(/job 2 ended[\s\S]*\[aish:demo\]> x/);
    // One frame shows the end of this job, and some are still due for the other job. A clock would have drawn more
    // frames.
    expect(rig.raw.slice(length).match(/\x1b\[\?2026h/g)?.length).toBeLessThan(4);
  });

  it('uses no colour with NO_COLOR', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>', { env: { NO_COLOR: '1' } });
    rig.type('false\r');
    await rig.waitFor('✗ 1');
    expect(rig.coloured('✗ 1')).toBe(false);
  });

  it('accepts a click on a button of a HALT', async () => {
    await using server = await startScriptedServer([call('bash', { command: 'rm -rf foo' })]);
    await using rig = await openRig(scratch(server.baseUrl, { mode: 'unrestricted' }), '[aish:fast]>');
    rig.type(':norris clean up\r');
    await rig.waitFor(/all shown|Enter: /);
    const row = rig.screen().findIndex((line) => line.includes('abort'));
    const column = rig.screen()[row]?.indexOf('abort') ?? 0;
    rig.type(`\x1b[<0;${column + 1};${row + 1}M\x1b[<0;${column + 1};${row + 1}m`);
    await rig.waitFor('! aborted');
  });
});
