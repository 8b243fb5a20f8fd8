/**
 * Jobs of the user, taking over from the agent, and the processes left when the program closes (EX-6, EX-8, EX-9,
 * EX-11).
 */
import { readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { waitsForLine } from '../../src/executor/terminal-state.ts';
import { below } from '../support/processes.ts';
import { scratch } from '../support/program.ts';
import { openRig, type Rig } from '../support/rig.ts';

const demo = '[aish:demo]>';

/** Returns whether the user's bash waits for its next line. */
function isAtPrompt(rig: Rig): boolean {
  const pid = below(rig.pty.pid).find(({ words }) => words.includes('--rcfile'))?.pid;
  return pid !== undefined && waitsForLine(pid, readlinkSync(`/proc/${pid}/fd/0`)) === true;
}

describe('a running command', () => {
  it('goes to the background by a key, frees the shell, and reports its output and end', async () => {
    using place = scratch();
    await using rig = await openRig(place, demo);
    rig.type("sh -c 'echo one; while [ ! -e go ]; do sleep 0.05; done; echo two'\r");
    await rig.waitFor(/^│ one$/m);
    await rig.waitFor('keys go to the program');
    rig.key('ctrl-x', 'ctrl-z');
    await rig.waitFor('continues as job 1');
    await rig.waitFor('1 job ');
    rig.type('echo free\r');
    await rig.waitFor(/^│ free$/m);
    await rig.waitFor(/❯ echo free .*✓/);
    // Bash forgets to report an end that falls into another line of its own.
    await vi.waitFor(() => expect(isAtPrompt(rig)).toBe(true), { timeout: 15_000 });
    writeFileSync(join(place.work, 'go'), '');
    await rig.waitFor('job 1 ended');
    await rig.waitFor(/job 1 · ✓[^\n]*\n[\s\S]*│ two\n/);
  });

  it('returns to the foreground with :fg and gets the keyboard', async () => {
    await using rig = await openRig(scratch(), demo);
    rig.type('cat\r');
    await rig.waitFor('keys go to the program');
    rig.key('ctrl-x', 'ctrl-z');
    await rig.waitFor('continues as job 1');
    await rig.waitFor('job 1 is stopped');
    rig.type(':fg\r');
    await rig.waitFor(/❯ fg %1/);
    await rig.waitFor('keys go to the program');
    rig.type('typed\r');
    await rig.waitFor(/│ typed\n│ typed\n/);
    rig.key('ctrl-d');
    await rig.waitFor(/❯ fg %1 .*✓/);
    expect(rig.text()).not.toContain('job 1 ended');
  });
});

describe(':bg', () => {
  it('runs a job as the user and in their environment, and :jobs, :fg and :kill list and control it', async () => {
    await using rig = await openRig(scratch(), demo);
    rig.type('export COLOUR=teal; cd /usr\r');
    await rig.waitFor(/✓ \d/);
    rig.type(':bg read -p "$COLOUR in $PWD? " answer; echo "<$answer>"\r');
    await rig.waitFor('job 1');
    rig.type(':jobs\r');
    await rig.waitFor('1  user ');
    rig.type(':fg 1\r');
    await rig.waitFor('│ teal in /usr?');
    await rig.waitFor('keys go to the program');
    rig.type('yes\r');
    await rig.waitFor('job 1 ended (exit 0)');
    await rig.waitFor('│ <yes>');
    rig.type(':bg sleep 1000\r');
    await rig.waitFor('job 2');
    rig.type(':kill 2\r');
    await rig.waitFor('job 2 ended (exit 130)');
  });
});
