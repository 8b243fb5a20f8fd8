/** The process group that owns a terminal on a host, by each method of finding it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { groupsCode } from '../../../src/remote/hosts/remote-shell.ts';
import { inPty } from '../../effects/sandbox/pty.ts';
import { lacks, pathOf } from '../../support/lacks.ts';

let path: string;
let ended: () => void = () => {};
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'groups-'));
});
afterEach(() => {
  ended();
  rmSync(path, { recursive: true, force: true });
});

/** Resolves with the shell's pid once it has written `up`. */
async function shell(script: string): Promise<number> {
  const child = inPty(['/bin/sh', '-c', `echo $$ >${path}/pid; ${script}`]);
  ended = () => child.kill('SIGKILL');
  await vi.waitFor(() => expect(child.text()).toContain('up'), { timeout: 20_000 });
  return child.pid;
}

const told = (programs: string) =>
  execFileSync('/bin/sh', ['-c', groupsCode(path)], { env: { PATH: programs }, encoding: 'utf8' })
    .trim()
    .split(/\s+/);

describe('the foreground group of a terminal, and the shell’s own group', () => {
  it('are the same at the prompt, and differ while a command runs', async () => {
    const waits = await shell('echo up; read -r line');
    expect(told(process.env.PATH ?? '')).toEqual([`${waits}`, `${waits}`]);
    ended();
    const runs = await shell('set -m; sh -c "echo up; read -r line"; :');
    const [front, own] = told(process.env.PATH ?? '');
    expect(own).toBe(`${runs}`);
    expect(Number(front)).toBeGreaterThan(1);
    expect(front).not.toBe(own);
  });

  it('are found without ps', async () => {
    for (const name of ['cat', 'sed']) symlinkSync(pathOf(name) ?? '', join(path, name));
    const waits = await shell('echo up; read -r line');
    expect(told(path)).toEqual([`${waits}`, `${waits}`]);
  });

  it.skipIf(lacks('ps'))('are found by ps where there is no /proc', async () => {
    const waits = await shell('echo up; read -r line');
    const code = groupsCode(path).replaceAll('/proc/', '/nowhere/');
    const text = execFileSync('/bin/sh', ['-c', code], { encoding: 'utf8' });
    expect(text.trim().split(/\s+/)).toEqual([`${waits}`, `${waits}`]);
  });
});
