import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram, scratch } from '../support/program.ts';
import { startScriptedServer } from '../support/scripted-server.ts';

it('the log has the mode, its changes and all failures, and nothing that was said or typed', async () => {
  await using server = await startScriptedServer([{ error: { status: 401, message: 'no key' } }]);
  using place = scratch(server.baseUrl);
  await runProgram(place, [], { input: ':mode unrestricted\n?what is in the attic\necho in-the-cellar\n' });
  const text = readFileSync(join(place.home, '.local/state/aish/aish.log'), 'utf8');
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows[0]).toMatchObject({
    message: 'session opened',
    preset: 'fast',
    mode: expect.stringMatching(/restricted$/),
  });
  if (rows[0]?.sandbox === true)
    expect(rows).toContainEqual(expect.objectContaining({ message: 'mode changed', to: 'unrestricted' }));
  const degraded = rows.filter(({ level, message }) => level === 'warning' && message === 'no kernel sandbox');
  expect(degraded).toHaveLength(rows[0]?.sandbox === true ? 0 : 1);
  expect(rows).toContainEqual(expect.objectContaining({ message: 'model call failed', kind: 'auth', preset: 'fast' }));
  expect(text).not.toMatch(/attic|cellar/);
});
