import { expect, it } from 'vitest';
import { noneLeft } from './leftovers.ts';
import { scratch } from './program.ts';
import { openRig, startRig } from './rig.ts';

const BASH = { file: '/bin/bash', args: ['--norc', '-i'] };

it('the rig shows what a program draws, answers its queries, and types', async () => {
  using place = scratch();
  await using rig = startRig(place, BASH);
  rig.type('printf "\\033[31mred\\033[m\\n"; printf "\\033[c"; read -rsn7 answer; printf "%q\\n" "$answer"\r');
  // The terminal may answer before `read` has switched the echo off; the answer then appears twice.
  await rig.waitFor(/\$'\\E\[\?/);
  expect(rig.coloured('red')).toBe(true);
  rig.type('exit 3\r');
  expect(await rig.exited).toMatchObject({ code: 3 });
});

it('the rig pastes in brackets and sends the mouse only to a program that asked for them', async () => {
  using place = scratch();
  await using rig = startRig(place, { file: '/bin/cat', args: ['-v'] });
  expect(() => rig.mouse('click', 0, 0)).toThrow('switched off');
  rig.paste('plain\n');
  await rig.waitFor(/plain\nplain/);
  // The terminal echoes typed escapes as ^[ and cat -v prints them, so another program requests the modes.
  await using asking = startRig(place, {
    file: '/bin/bash',
    args: ['-c', 'stty raw -echo; printf "\\033[?2004h\\033[?1002h\\033[?1006hready"; head -c 21 | cat -v'],
  });
  await asking.waitFor('ready');
  asking.paste('two');
  asking.mouse('wheel-up', 4, 2);
  await asking.waitFor('^[[200~two^[[201~^[[<6');
});

it('the rig distinguishes cells by style, with wide characters as two cells', async () => {
  using place = scratch();
  await using rig = startRig(place, {
    file: '/usr/bin/printf',
    args: ['\\033[1;38;2;1;2;3m字b\\033[0;44mc\\033[m'],
  });
  await rig.exited;
  expect(rig.runs()[0]?.slice(0, 2)).toMatchObject([
    { column: 0, width: 3, text: '字b', style: { foreground: { rgb: 0x010203 }, bold: true } },
    { column: 3, width: 1, text: 'c', style: { background: { palette: 4 }, bold: false } },
  ]);
  expect(rig.cursor).toEqual({ column: 4, row: 0 });
});

it('a wait of the rig fails with the screen in the message, and at once when the program has ended', async () => {
  using place = scratch();
  await using rig = startRig(place, { file: '/bin/echo', args: ['last words'] });
  await expect(rig.waitFor('never')).rejects.toThrow(/ended.*\n.*last words/);
});

it('the rig kills and reports a process that outlives its program', async () => {
  using place = scratch();
  const rig = startRig(place, { file: '/bin/bash', args: ['-c', 'setsid sh -c "echo started; exec sleep 30" & wait'] });
  await rig.waitFor('started');
  await expect(rig[Symbol.asyncDispose]()).rejects.toThrow(/still running.*\n.*sleep 30/);
  await noneLeft('a run that never was');
});

it.each([{ CI: 'true' }, {}])('the program draws in a terminal with %o', async (env) => {
  await using _rig = await openRig(scratch(), '[aish:demo]>', { env });
});
