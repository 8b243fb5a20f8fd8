import { expect, it } from 'vitest';
import { scratch } from './program.ts';
import { startRig } from './rig.ts';

it('shows what a program draws, answers its queries, and types', async () => {
  using place = scratch();
  await using rig = startRig(place, { file: '/bin/bash', args: ['--norc', '-i'] });
  rig.type('printf "\\033[31mred\\033[m\\n"; printf "\\033[c"; read -rsn7 answer; printf "%q\\n" "$answer"\r');
  await rig.waitFor(/\n\$'\\E\[\?/);
  expect(rig.coloured('red')).toBe(true);
  rig.type('exit 3\r');
  expect(await rig.exited).toMatchObject({ code: 3 });
});
