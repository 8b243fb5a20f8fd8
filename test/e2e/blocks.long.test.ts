import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyShell } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { openRig, type Rig } from '../support/rig.ts';

/** Returns the text last sent to the terminal's clipboard. */
function clipboard(rig: Rig): string {
  const sent = [...rig.raw.matchAll(/\x1b\]52;c;([A-Za-z0-9+/=]*)/g)].at(-1)?.[1] ?? '';
  return Buffer.from(sent, 'base64').toString('utf8');
}

describe.each(everyShell())('commands in the transcript: %s', (program) => {
  it('can be visited, rerun, changed, copied, filtered, marked and saved by keys', async () => {
    using place = scratch();
    await using rig = await openRig(place, /\[aish:\w+\]>/, { env: { SHELL: program }, rows: 30 });
    rig.type('seq 100 108\r');
    await rig.waitFor(/│ 108/);
    rig.type('echo second\r');
    await rig.waitFor(/│ second/);
    rig.type('echo third\r');
    // A command is in the transcript once it has ended: its heading then shows the exit.
    await rig.waitFor(/❯ echo third .*✓/);

    rig.key('alt-up');
    await rig.waitFor('-- SCROLL --');
    rig.type('C');
    await rig.waitFor(() => clipboard(rig) === 'echo third');
    rig.key('alt-up');
    rig.type('Y');
    await rig.waitFor(() => clipboard(rig) === 'second');
    rig.type('y');
    await rig.waitFor(() => clipboard(rig) === '$ echo second\nsecond');

    // A filter shows the output without the lines that do not match.
    rig.type('[&5\r');
    await rig.waitFor(/1 of 9 lines/);
    await rig.waitForGone('│ 104');
    expect(rig.text()).toContain('│ 105');
    rig.type('&');
    rig.key('escape');
    await rig.waitFor('│ 104');

    rig.type('m');
    await rig.waitFor(/◆ seq 100 108/);
    rig.type("]]'s");
    await rig.waitFor(/saved in .*seq\.out\.txt/);
    expect(readFileSync(join(place.work, 'seq.out.txt'), 'utf8')).toBe(
      `${Array.from({ length: 9 }, (_, i) => 100 + i).join('\n')}\n`,
    );
    rig.type('s');
    await rig.waitFor(/seq\.out\.2\.txt/);
    expect(readdirSync(place.work).sort()).toEqual(['seq.out.2.txt', 'seq.out.txt']);

    rig.type(']e');
    await rig.waitFor(/> echo second/);
    rig.type(' time\r');
    await rig.waitFor(/❯ echo second time .*✓/);
    rig.key('alt-up');
    rig.type('[r');
    await rig.waitFor(/│ second time[\s\S]*❯ echo third[\s\S]*│ third/);
  });

  it('show where they ran, and do not include a running command yet', async () => {
    using place = scratch();
    await using rig = await openRig(place, /\[aish:\w+\]>/, { env: { SHELL: program }, columns: 100 });
    rig.type('echo here\r');
    await rig.waitFor(new RegExp(`❯ echo here +${place.work} · ✓`));
    rig.type('sleep 100\r');
    await rig.waitFor('keys go to the program');
    rig.key('ctrl-]', 'alt-up');
    await rig.waitFor('a command is still running; this is the one before it');
    rig.type('C');
    await rig.waitFor(() => clipboard(rig) === 'echo here');
    rig.type('q');
    await rig.waitForGone('-- SCROLL --');
    rig.key('ctrl-c');
    await rig.waitFor(/❯ sleep 100.*✗ 130/);
  });
});
