import { describe, expect, it } from 'vitest';
import { everyShell, lacks } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';
import { startScriptedServer } from '../support/scripted-server.ts';

describe.each(everyShell())('clearing: %s', (program) => {
  const ways: readonly (readonly [line: string, key: 'ctrl-l' | undefined])[] = [
    ...['clear', 'reset'].filter((name) => !lacks(name)).map((name) => [`${name}\r`, undefined] as const),
    [':clear\r', undefined],
    ['', 'ctrl-l'],
  ];
  it.each(ways)('%j %s clears the view, and scrolling up reaches what was there', async (line, key) => {
    await using rig = await openRig(scratch(), /\[aish:\w+\]>/, { env: { SHELL: program } });
    rig.type('echo earl""ier\r');
    // Text typed during the command goes to the command first and to the shell afterwards.
    await rig.waitFor(/echo earl""ier .*✓[\s\S]*│ earlier/);
    rig.type(line);
    if (key) rig.key(key);
    await rig.waitForGone('earlier');
    rig.type('echo la""ter\r');
    await rig.waitFor(/echo la""ter .*✓[\s\S]*│ later/);
    expect(rig.text()).not.toContain('earlier');
    rig.key('pageup');
    await rig.waitFor(/│ earlier/);
    rig.key('pagedown');
    await rig.waitForGone(/│ earlier/);
  });
});

describe(':last', () => {
  it.skipIf(lacks('less'))('shows the last output in the pager, saves it, and asks about it', async () => {
    await using server = await startScriptedServer([{ text: ['They are numbers.'] }]);
    await using rig = await openRig(scratch(server.baseUrl), '[aish:fast]>');
    rig.type('seq 1 3\r');
    await rig.waitFor(/seq 1 3 .*✓/);
    rig.type(':last\r');
    // The pager has switched to its own screen and has drawn at full size.
    await rig.waitFor((it) => it.alternate && /^1\n2\n3\n/.test(it.text()) && it.screen()[23] === '(END)');
    rig.type('q');
    await rig.waitFor(/private · ✓/);
    rig.type(':last ask what are these?\r');
    await rig.waitFor('They are numbers.');
    expect(server.requests[0]?.lastUser).toContain('$ seq 1 3\n1\n2\n3\n');
    expect(server.requests[0]?.lastUser).not.toContain('less');
  });
});

it('the bell rings when a long command of the user ends while the terminal has no focus', async () => {
  await using rig = await openRig(scratch(), /\[aish:\w+\]>/);
  rig.type('sleep 10.2\r');
  await rig.waitFor(/✓ 10\.\d s/, 30_000);
  await rig.waitFor(() => rig.raw.includes('\x1b]9;aish-tui: your command has ended\x07'));
});
