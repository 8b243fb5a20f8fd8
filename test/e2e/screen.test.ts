import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../support/lacks.ts';
import { scratch } from '../support/program.ts';
import { atRest, expectSameWhenRedrawn } from '../support/redrawn.ts';
import { openRig, type Rig } from '../support/rig.ts';

/**
 * Checks that the last row is the status bar and the row above it the prompt, so nothing has shifted or is left over.
 */
async function expectWhole(rig: Rig, rows: number): Promise<void> {
  const screen = rig.screen();
  expect(screen).toHaveLength(rows);
  expect(screen[rows - 1]).toContain('RESTRICTED --');
  expect(screen[rows - 2]).toContain('[aish:');
  await expectSameWhenRedrawn(rig);
}

describe('the screen', () => {
  it('is complete at every size, with a long transcript and with the help open', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>', { columns: 40, rows: 10 });
    rig.type('seq 1 500\r');
    await rig.waitFor(/✓[\s\S]*│ 500/);
    // The status bar counts a command's seconds until it knows of the end.
    await rig.waitFor(() => !rig.screen().join('\n').includes('running'));
    for (const [columns, rows] of [
      [40, 10],
      [80, 24],
      [120, 40],
      [200, 60],
    ] as const) {
      rig.resize(columns, rows);
      await rig.waitFor(() => {
        const lines = rig.screen();
        const ends = /RESTRICTED --/.test(lines[rows - 1] ?? '') && (lines[rows - 2] ?? '').startsWith('[aish:');
        return lines.length === rows && ends;
      });
      await expectWhole(rig, rows);
      rig.key('f1');
      await rig.waitFor('Commands');
      await expectWhole(rig, rows);
      rig.key('escape');
      await rig.waitFor(/│ 500/);
      await expectWhole(rig, rows);
    }
  });

  it('is complete again after any sequence of resizes', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>');
    rig.type('seq 1 100\r');
    await rig.waitFor(/│ 100/);
    for (const [columns, rows] of [
      [120, 40],
      [40, 10],
      [41, 11],
      [79, 30],
      [60, 12],
    ] as const) {
      rig.resize(columns, rows);
      // One check reads the whole screen, since a resize is drawn twice.
      await rig.waitFor((r) => {
        const lines = r.screen();
        const prompts = r.text().match(/\[aish:demo\]>/g) ?? [];
        const ends = /RESTRICTED --/.test(lines[rows - 1] ?? '') && (lines[rows - 2] ?? '').startsWith('[aish:');
        return lines.length === rows && ends && /│ 100/.test(lines[rows - 4] ?? '') && prompts.length === 1;
      });
    }
  });

  it('scrolls by key and wheel, and shows how much is below', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>');
    rig.type('seq 1 300\r');
    await rig.waitFor(/✓[\s\S]*│ 300/);
    rig.key('pageup');
    await rig.waitFor(/↓ \d+ more below/);
    rig.type('\x1b[<64;5;5M\x1b[<64;5;5M');
    await rig.waitFor(/│ 270/);
    rig.type('\x1b[1;5F');
    await rig.waitFor(/│ 300/);
    expect(rig.text()).not.toContain('more below');
  });

  it.skipIf(lacks('less'))('gives a full-screen program the whole terminal, and gets it back', async () => {
    using place = scratch();
    writeFileSync(join(place.work, 'poem'), Array.from({ length: 200 }, (_, n) => `verse ${n + 1}.`).join('\n'));
    await using rig = await openRig(place, '[aish:demo]>');
    rig.type('less poem\r');
    // The program has the whole terminal and has drawn at full size.
    await rig.waitFor(() => rig.screen()[0] === 'verse 1.' && rig.screen()[23] === ':');
    rig.type('G');
    await rig.waitFor('verse 200.');
    rig.type('q');
    await rig.waitFor('[aish:demo]>');
    await rig.waitFor(/less poem .*✓/);
    await atRest(rig);
    await expectWhole(rig, 24);
    rig.type('echo back\r');
    await rig.waitFor(/│ back/);
  });

  it('leaves the end of the transcript and the way to resume on the normal screen', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>');
    rig.type('echo remember me\r');
    await rig.waitFor(/✓ \d/);
    rig.key('ctrl-d');
    await rig.exited;
    expect(rig.alternate).toBe(false);
    expect(rig.text()).toContain('│ remember me');
    expect(rig.text()).toMatch(/Resume this session: aish-tui --resume \S+/);
  });
});
