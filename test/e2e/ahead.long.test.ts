/** Lines typed during a command that does not read them run after it. An unfinished line returns to the prompt. */
import { expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';

it('lines typed during a command that did not read them run in order, and an unfinished line returns to the prompt', async () => {
  await using rig = await openRig(scratch(), '[aish:demo]>');
  rig.type('sleep 2\r');
  await rig.waitFor('keys go to the program');
  for (const key of 'echo A""HEAD\recho MO""RE\recho half') rig.type(key);
  await rig.waitFor(/❯ echo A""HEAD[^\n]*\n\W*AHEAD\n[\s\S]*❯ echo MO""RE[^\n]*\n\W*MORE\n/);
  await rig.waitFor(/\[aish:demo\]> echo half/);
});

it('text typed while a program hid typing is neither run nor returned to the prompt', async () => {
  await using rig = await openRig(scratch(), '[aish:demo]>');
  rig.type('stty -echo; printf "Secret: "; sleep 2; stty echo; echo; echo over\r');
  await rig.waitFor('typing is hidden');
  rig.type('opensesame\r');
  await rig.waitFor(/✓[\s\S]*\n\W*over\n/);
  rig.type('echo next\r');
  await rig.waitFor(/❯ echo next[^\n]*\n\W*next\n/);
  expect(rig.raw).not.toContain('opensesame');
});

it('lines typed during a command run after it on the plain screen too', async () => {
  await using rig = await openRig(scratch(undefined, { ui: { screen: 'plain' } }), '[aish:demo]>');
  rig.type('echo works; sleep 1\r');
  await rig.waitFor(/input> /);
  rig.type('echo o""ne\recho t""wo\r');
  await rig.waitFor(/\$ echo o""ne\none\n[\s\S]*\$ echo t""wo\ntwo\n/);
});
