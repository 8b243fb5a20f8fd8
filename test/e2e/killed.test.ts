/** After a kill the terminal is usable. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { everyShell } from '../support/lacks.ts';
import { PROGRAM, scratch } from '../support/program.ts';
import { openRig, type Rig } from '../support/rig.ts';

/** The modes that the program switches on: alternate screen, mouse, focus reports, bracketed paste. */
const MODES = ['1049', '1002', '1006', '1004', '2004'];

/** Options that skip startup files. */
const BARE: Readonly<Record<string, string>> = { bash: '--norc', zsh: '-f', fish: '-N' };

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** Waits until the process that restores the terminal runs, and returns the program's pid. */
async function guarded(rig: Rig): Promise<number> {
  const [program] = childrenOf(rig.pty.pid).slice(-1);
  const guards = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('read -r none');
  await rig.waitFor(() => program !== undefined && childrenOf(program).some(guards));
  return program ?? 0;
}

it.each(['SIGKILL', 'SIGABRT'] as const)(
  'the terminal gets back its modes, screen and line editing after the process died of %s',
  async (signal) => {
    const line = `echo before; ${PROGRAM}; echo "ended $?"; sleep 1; stty -a; read word; echo "got $word"`;
    await using rig = await openRig(scratch(), '[aish:demo]>', { file: '/bin/sh', args: ['-c', line], rows: 40 });
    process.kill(await guarded(rig), signal);
    await rig.waitFor(/\sisig icanon iexten echo /);
    expect(rig.alternate).toBe(false);
    expect(rig.text()).toContain('before');
    for (const mode of MODES)
      expect(rig.raw.lastIndexOf(`\x1b[?${mode}l`)).toBeGreaterThan(rig.raw.lastIndexOf(`\x1b[?${mode}h`));
    rig.type('word\r');
    await rig.waitFor('got word');
  },
);

it.each(everyShell())('a killed process leaves the line editor of %s as the shell set it', async (shell) => {
  using place = scratch();
  await using rig = await openRig(place, /[#$%>] *$/m, { file: shell, args: [BARE[basename(shell)] ?? ''] });
  rig.type(`${PROGRAM}\r`);
  await rig.waitFor('[aish:demo]>');
  process.kill(await guarded(rig), 'SIGKILL');
  await rig.waitFor(() => !rig.alternate);
  rig.type(`\recho on""ce > ${join(place.work, 'once')}; echo af""ter\r`);
  await rig.waitFor('after');
  expect(rig.text()).not.toContain('eecchhoo');
  expect(readFileSync(join(place.work, 'once'), 'utf8')).toBe('once\n');
});
