/** Sessions saved by earlier releases resume in the current program. */
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';
import { call, say, startScriptedServer, whenever } from '../support/scripted-server.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
const RELEASES = readdirSync(FIXTURES).filter((name) => /^v\d+\.\d+$/.test(name));
const unrestricted = { mode: 'unrestricted', safety: { llm_second_opinion: false } };

/** Copies a recorded session into the home of a scratch place, and returns its id. */
function plant({ home }: Scratch, release: string, name: string): string {
  const from = join(FIXTURES, release, 'state/sessions', name);
  cpSync(from, join(home, '.local/state/aish/sessions'), { recursive: true });
  return readdirSync(from)[0] ?? '';
}

describe.each(RELEASES)('a session saved by %s', (release) => {
  const names = readdirSync(join(FIXTURES, release, 'state/sessions'));

  it.each(names)('is resumed and can be continued: %s', async (name) => {
    await using server = await startScriptedServer([whenever(/./, say('All right.\nGOAL: complete'))]);
    using place = scratch(server.baseUrl, { safety: { llm_second_opinion: false } });
    const id = plant(place, release, name);
    // An open question ends before the first line: without a person the answer is no.
    const input = '?still there?\n?and now?\n:history\n';
    const { code, out, err } = await runProgram(place, ['--resume', id], { input });
    expect(code).toBe(0);
    expect(err).not.toContain('not sent');
    for (const line of ['still there?', 'and now?']) {
      expect(out).toContain(`you: ${line}`);
      expect(server.requests.some(({ lastUser }) => lastUser.includes(line))).toBe(true);
    }
  });

  it('asks an open HALT again, and runs nothing before', async () => {
    await using server = await startScriptedServer([say('GOAL: complete')]);
    using place = scratch(server.baseUrl, unrestricted);
    const id = plant(place, release, 'halt-pending');
    await using rig = await openRig(place, 'HALT', { rows: 30, args: ['--resume', id] });
    await rig.waitFor('rm -rf foo');
    expect(server.requests).toHaveLength(0);
    await rig.waitFor(/all shown|Enter: /);
    rig.type('s');
    await rig.waitFor('✓ done');
    expect(server.requests[0]?.text).toContain('action skipped by user');
  });

  it('replaces no handle of its secrets, since this process does not know their values', async () => {
    await using server = await startScriptedServer([
      { from: ({ text }) => call('bash', { command: `echo ${/⟦GITHUB_TOKEN_\w+⟧/.exec(text)?.[0]} > leak.txt` }) },
      say('I can not.'),
    ]);
    using place = scratch(server.baseUrl, { ...unrestricted, auto_approve: ['bash'] });
    const id = plant(place, release, 'secrets');
    const { out } = await runProgram(place, ['--resume', id], { input: '?use it\n' });
    expect(out).toContain('nothing here knows the secret behind ⟦GITHUB_TOKEN_');
    expect(readdirSync(place.work)).toEqual([]);
  });
});
