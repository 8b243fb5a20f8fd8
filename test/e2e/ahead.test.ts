/** What is typed for a command that does not read it comes back into the prompt, and runs when the user says so. */
import { expect, it } from 'vitest';
import { scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';

it('gives back what a command did not read, as a draft that Enter runs', async () => {
  using place = scratch();
  await using rig = startRig(place);
  await rig.waitFor('[aish:demo]>');
  rig.type('sleep 1\r');
  await rig.waitFor('❯ sleep 1');
  for (const key of 'echo AHEAD') rig.type(key);
  rig.type('\r');
  await rig.waitFor('keys go to the program');
  await rig.waitFor(/✓[\s\S]*\[aish:demo\]> echo AHEAD/);
  expect(rig.text()).not.toContain('❯ echo AHEAD');
  rig.type('\r');
  await rig.waitFor(/❯ echo AHEAD[^\n]*\n\W*AHEAD\n/);
});

it('and nothing of what was typed while typing was hidden', async () => {
  using place = scratch();
  await using rig = startRig(place);
  await rig.waitFor('[aish:demo]>');
  rig.type('stty -echo; printf "Secret: "; sleep 2; stty echo; echo; echo over\r');
  await rig.waitFor('typing is hidden');
  rig.type('opensesame\r');
  await rig.waitFor(/✓[\s\S]*\n\W*over\n/);
  rig.type('echo next\r');
  await rig.waitFor(/❯ echo next[^\n]*\n\W*next\n/);
  expect(rig.raw).not.toContain('opensesame');
});

it('in plain lines too, one line after the other', async () => {
  using place = scratch(undefined, { ui: { screen: 'plain' } });
  await using rig = startRig(place);
  await rig.waitFor('[aish:demo]>');
  rig.type('echo works; sleep 1\r');
  await rig.waitFor(/input> /);
  rig.type('echo one\recho two\r');
  await rig.waitFor(/Not sent: echo one\necho two\n\[aish:demo\]> echo one/);
  rig.type('\r');
  await rig.waitFor(/\$ echo one\none\n\[exit 0\][\s\S]*\[aish:demo\]> echo two/);
  rig.type('\r');
  await rig.waitFor(/\$ echo two\ntwo\n\[exit 0\]/);
});
