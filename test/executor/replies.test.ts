/** A terminal's answers go to the program that asked. What it leaves unread must not become keys of the shell. */
import fs, { existsSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Pty } from '../../src/executor/pty.ts';
import { anyoneReads } from '../../src/executor/terminal-state.ts';
import { everyShell } from '../support/lacks.ts';
import { baseEnv, until, userShell, workspace } from './support.ts';

/** Asks twice and reads only the first answer. bash would take the second one as a search of its history. */
const HALF = String.raw`stty -icanon -echo; printf '\033[5n\033P$qm\033\\'; sleep 0.3; dd bs=4 count=1 2>/dev/null | od -An -c; stty sane`;

describe.each(everyShell().map((program) => [basename(program), program] as const))('%s', (_, program) => {
  it('runs the next line after a program that left a terminal reply unread', async () => {
    const home = workspace();
    const { run } = await userShell('', { cwd: home, env: { ...baseEnv(home), SHELL: program } });
    expect((await run(HALF)).head).toBe(' 033   [   0   n');
    expect(await run('echo next')).toMatchObject({ exit: 0, head: 'next' });
  });
});

describe('whether a program reads the terminal', () => {
  const inFront = async (command: string) => {
    const pty = new Pty({
      argv: ['/bin/sh', '-c', `exec ${command}`],
      env: baseEnv('/'),
      cwd: '/',
      columns: 80,
      rows: 24,
      onData: () => {},
      onExit: () => {},
    });
    const name = command.split(' ', 1)[0] ?? '';
    await until(() => readFileSync(`/proc/${pty.pid}/stat`, 'utf8').includes(`(${name})`), `${name} runs`);
    return pty;
  };

  /** Runs `act` whenever a file is about to be read. */
  const beforeReading = (wanted: string, act: () => void) => {
    const read = fs.readFileSync;
    vi.spyOn(fs, 'readFileSync').mockImplementation((path, ...rest) => {
      if (path === wanted) act();
      return read(path, ...rest);
    });
    syncBuiltinESMExports();
  };
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  it('is false for a program that ends during the check', async () => {
    const pty = await inFront('sleep 60');
    beforeReading(`/proc/${pty.pid}/syscall`, () => {
      process.kill(pty.pid, 'SIGKILL');
      while (existsSync(`/proc/${pty.pid}`));
    });
    expect(anyoneReads(pty.pid, pty.slave, false)).toBe(false);
    pty.dispose();
  });

  it('is true for a program that may not be inspected', async () => {
    const pty = await inFront('sleep 60');
    beforeReading(`/proc/${pty.pid}/task/${pty.pid}/syscall`, () => {
      throw Object.assign(new Error('no'), { code: 'EACCES' });
    });
    expect(anyoneReads(pty.pid, pty.slave, false)).toBe(true);
    pty.dispose();
  });
});
