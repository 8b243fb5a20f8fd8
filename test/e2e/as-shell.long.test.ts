/**
 * As the login shell, and for ssh, scp, rsync, tmux and editors, the program passes its arguments to the real shell.
 */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { userShells } from '../support/lacks.ts';
import { runProgram, type Scratch, scratch } from '../support/program.ts';
import { startRig } from '../support/rig.ts';

describe.each(userShells())('aish-tui in place of %s as $SHELL', (program) => {
  const asked = (place: Scratch, args: readonly string[], input = '') =>
    runProgram({ ...place, env: { ...place.env, SHELL: program } }, args, { input });

  it.each([
    [['-c', 'echo "$0 $1"; exit 3', 'zero', 'one'], '', 'zero one\n', 3],
    [['-lc', 'echo login'], '', 'login\n', 0],
    [['-l', '-c', 'echo login'], '', 'login\n', 0],
    [['-ic', 'echo interactive'], '', 'interactive\n', 0],
    [['-s', 'a', 'b'], 'echo "$2 $1"\n', 'b a\n', 0],
  ])('runs %j as that shell would', async (args, input, out, code) => {
    using place = scratch();
    const ended = await asked(place, args, input);
    expect(ended.out).toBe(out);
    expect(ended.code).toBe(code);
  });

  it('runs a script with its arguments', async () => {
    using place = scratch();
    const path = join(place.work, 'script');
    writeFileSync(path, 'echo "ran $1"; exit 4\n');
    chmodSync(path, 0o644);
    const ended = await asked(place, [path, 'so']);
    expect([ended.out, ended.code]).toEqual(['ran so\n', 4]);
  });

  it('passes all bytes unchanged, as scp and rsync need', async () => {
    using place = scratch();
    const ended = await asked(place, ['-c', 'cat'], '\0\x01\r\n\t~.');
    expect(ended.out).toBe('\0\x01\r\n\t~.');
    expect(ended.err).toBe('');
  });
});

it('aish-tui without a terminal draws no screen, but reads and prints lines', async () => {
  using place = scratch();
  const { out, code } = await runProgram(place, [], { input: 'echo plain\nexit 0\n' });
  expect(out).toContain('plain');
  expect(out).not.toContain('\x1b[?1049h');
  expect(code).toBe(0);
});

it('aish-tui as a shell hands -i and -l on a terminal to the real shell', async () => {
  using place = scratch();
  await using rig = startRig(place, { args: ['-i'], env: { PS1: 'plain> ' } });
  rig.type('echo $0 $-\r');
  await rig.waitFor(/^\S*bash \S*i/m);
  expect(rig.alternate).toBe(false);
});
