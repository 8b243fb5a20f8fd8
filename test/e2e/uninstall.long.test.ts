import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';

/** Plants a past session, a cache, a configuration, and a file elsewhere that a link in the state names. */
function used({ home, work }: Scratch) {
  const state = join(home, '.local/state/aish');
  const config = join(home, '.config/aish');
  mkdirSync(join(state, 'sessions/one'), { recursive: true });
  mkdirSync(config, { recursive: true });
  writeFileSync(join(state, 'sessions/one/journal.jsonl'), 'x'.repeat(1500));
  writeFileSync(join(config, 'config.jsonc'), '{}');
  writeFileSync(join(work, 'theirs'), 'x');
  symlinkSync(work, join(state, 'link'));
  return { state, config, theirs: join(work, 'theirs') };
}

it('aish-tui uninstall lists what it keeps, removes state with --yes, and the configuration only when asked', async () => {
  using place = scratch();
  const { state, config, theirs } = used(place);
  const said = await runProgram(place, ['uninstall']);
  expect(said.code).toBe(0);
  expect(said.out).toMatch(/\.local\/state\/aish {2}1\.5 kB .*would be removed/);
  expect(said.out).toMatch(/\.config\/aish .*is kept; --with-config removes it/);
  expect(existsSync(state)).toBe(true);
  expect((await runProgram(place, ['uninstall', '--yes'])).out).toMatch(/state\/aish .*: removed\n/);
  expect([state, config, theirs].map((path) => existsSync(path))).toEqual([false, true, true]);
  expect((await runProgram(place, ['uninstall', '--yes', '--with-config'])).code).toBe(0);
  expect(existsSync(config)).toBe(false);
});

it('aish-tui uninstall keeps the state of a session that is open', async () => {
  using place = scratch();
  const { state } = used(place);
  await using rig = await openRig(place, '[aish:demo]>');
  rig.type('echo begun\r');
  await rig.waitFor('│ begun');
  expect(await runProgram(place, ['uninstall', '--yes'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/session \S+ is open; leave it first/),
  });
  expect(existsSync(join(state, 'sessions/one/journal.jsonl'))).toBe(true);
});
