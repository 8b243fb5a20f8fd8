/** The program without the alternate screen: on request, and where the terminal can’t move its cursor. */
import { expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';

it.each([
  // The cursor may move within its line.
  ['--inline', { args: ['--inline'] }, /\x1b\[(?:\d*;\d*H|H|2J|\?1049h|\d*A)/],
  ['a dumb terminal', { env: { TERM: 'dumb' } }, /\x1b/],
])('prints lines with %s, and never moves the cursor to another row', async (_why, options, moves) => {
  using place = scratch();
  await using rig = await openRig(place, /aish/, options);
  rig.type('echo one; echo two\r');
  await rig.waitFor(/one\ntwo\n\[exit 0\]/);
  expect(rig.alternate).toBe(false);
  expect(rig.raw).not.toMatch(moves);
  rig.type(':quit\r');
  expect(await rig.exited).toMatchObject({ code: 0 });
  expect(rig.text()).toContain('echo one; echo two');
});
