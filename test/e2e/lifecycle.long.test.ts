import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULT } from '../support/fault.ts';
import { PROGRAM, scratch } from '../support/program.ts';
import { openRig, startRig } from '../support/rig.ts';
import { restored } from '../support/terminal-output.ts';

describe('the terminal', () => {
  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('is restored on %s', async (signal) => {
    await using rig = await openRig(scratch(), '[aish:demo]>');
    rig.kill(signal);
    await rig.exited;
    expect(restored(rig.raw)).toBe(true);
  });

  it('is restored by :quit, which prints how to resume', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>');
    rig.type('echo something\r');
    await rig.waitFor(/✓ \d/);
    rig.type(':quit\r');
    expect(await rig.exited).toMatchObject({ code: 0 });
    expect(restored(rig.raw)).toBe(true);
    expect(rig.text()).toContain('aish-tui --resume');
  });

  it('is restored after a crash, which leaves a report and no stack on screen', async () => {
    using place = scratch();
    await using rig = await openRig(place, '[aish:demo]>', { env: FAULT });
    rig.kill('SIGUSR2');
    const { code } = await rig.exited;
    expect(code).not.toBe(0);
    expect(restored(rig.raw)).toBe(true);
    expect(rig.text()).not.toMatch(/^\s+at /m);
    expect(readdirSync(join(place.home, '.local/state/aish')).some((name) => name.startsWith('crash'))).toBe(true);
  });

  it('closes the program with Ctrl-D on an empty line, and Ctrl-C only explains how', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>');
    rig.key('ctrl-c');
    await rig.waitFor('Ctrl-D');
    rig.key('ctrl-d');
    expect(await rig.exited).toMatchObject({ code: 0 });
  });
});

describe('resizing', () => {
  it('to 40×10 and back leaves no damage', async () => {
    await using rig = await openRig(scratch(), '[aish:demo]>', { columns: 100, rows: 30 });
    rig.type('seq 1 50\r');
    await rig.waitFor(/✓[\s\S]*50\n/);
    const before = rig.text();
    rig.resize(40, 10);
    // One check reads the whole screen, since a resize is drawn twice.
    await rig.waitFor((r) => {
      const lines = r.screen();
      const ends = (lines[9] ?? '').startsWith(' -- ') && (lines[8] ?? '').startsWith('[aish:demo]>');
      return ends && lines.every((line) => line.length <= 40) && r.text().includes('✓');
    });
    rig.resize(100, 30);
    await rig.waitFor((r) => r.text() === before);
  });
});

it('the program explains in one line that there is no terminal', async () => {
  using place = scratch();
  await using rig = startRig(place, {
    file: '/bin/sh',
    args: ['-c', '"$0" | cat', PROGRAM],
  });
  await rig.waitFor('not a terminal');
});
