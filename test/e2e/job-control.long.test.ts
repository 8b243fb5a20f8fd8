/** Ctrl-Z, `fg` and `bg`: for aish-tui in the shell that started it, and for programs in its own shell (EX-6, UI-1). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROGRAM, scratch } from '../support/program.ts';
import { openRig } from '../support/rig.ts';

const BASH = { file: '/bin/bash', args: ['--norc', '-i'], env: { PS1: 'outer> ' } };

describe('Ctrl-Z at the prompt', () => {
  it('returns the terminal to the outer shell, and fg restores the whole screen', async () => {
    await using rig = await openRig(scratch(), 'outer> ', BASH);
    rig.type(`'${PROGRAM}'\r`);
    await rig.waitFor('[aish:demo]>');
    rig.type('echo in""side\r');
    await rig.waitFor(/✓[\s\S]*^\W*inside\n/m);
    rig.type('half a li');
    await rig.waitFor('[aish:demo]> half a li');
    rig.key('ctrl-z');
    await rig.waitFor(/Stopped[\s\S]*outer>/);
    expect(rig.alternate).toBe(false);
    rig.type('echo out"side"\r');
    await rig.waitFor(/^outside$/m);
    // The window gets another size while vim is stopped.
    rig.resize(100, 30);
    rig.type('fg\r');
    await rig.waitFor((r) => r.alternate && r.screen()[28]?.startsWith('[aish:demo]> half a li') === true);
    expect(rig.text()).toMatch(/^\W*inside$/m);
    expect(rig.screen()[29]).toContain('RESTRICTED --');
    rig.key('ctrl-c');
    await rig.waitForGone('half a li');
    rig.type('echo again\r');
    await rig.waitFor(/✓[\s\S]*^\W*again\n/m);
    rig.key('ctrl-d');
    await rig.waitFor((r) => !r.alternate && /outer> $/.test(r.text().trimEnd().concat(' ')));
    rig.type('exit\r');
    await rig.exited;
  });
});

/** Appends to a file every few milliseconds while it runs. */
const TICKER = `import { appendFileSync } from 'node:fs';
console.log('up');
setInterval(() => appendFileSync('ticks', '.'), 10);`;

describe('a program in the shell', () => {
  it('stops with Ctrl-Z, continues in the background with bg, and returns with fg', async () => {
    using place = scratch();
    await using rig = await openRig(place, '[aish:demo]>');
    writeFileSync(join(place.work, 'ticker.mjs'), TICKER);
    const file = join(place.work, 'ticks');
    rig.type('node ticker.mjs\r');
    await rig.waitFor(/^\W*up$/m);
    await rig.waitFor('keys go to the program');
    rig.key('ctrl-z');
    await rig.waitFor(/stopped/);
    const ticks = () => (existsSync(file) ? readFileSync(file, 'utf8').length : 0);
    const stopped = ticks();
    rig.type('jobs\r');
    await rig.waitFor(/❯ jobs[^\n]*\n.*Stopped +node ticker/);
    expect(ticks()).toBe(stopped);
    rig.type('bg\r');
    await rig.waitFor(() => ticks() > stopped);
    rig.type('fg\r');
    await rig.waitFor(/❯ fg *\n[\s\S]*keys go to the program/);
    rig.key('ctrl-c');
    await rig.waitFor(/✗ 130/);
    const ended = ticks();
    rig.type('jobs; echo none"" left\r');
    await rig.waitFor(/❯ jobs; .*\n│ none left/);
    expect(ticks()).toBe(ended);
  });
});
