/** What the terminal answers goes to the program that asked; what that leaves unread must not be the shell's keys. */
import fs, { existsSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Pty } from '../../src/executor/pty.ts';
import { anyoneReads } from '../../src/executor/terminal-state.ts';
import { everyShell } from '../support/lacks.ts';
import { baseEnv, until, userShell, workspace } from './support.ts';

/** Asks twice, and reads the first answer alone; the second one would have bash search its history. */
const HALF = String.raw`stty -icanon -echo; printf '\033[5n\033P$qm\033\\'; sleep 0.3; dd bs=4 count=1 2>/dev/null | od -An -c; stty sane`;

describe.each(everyShell().map((program) => [basename(program), program] as const))('%s', (_, program) => {
  it('the next line runs behind a program that left an answer unread', async () => {
    const home = workspace();
    const { run } = await userShell('', { cwd: home, env: { ...baseEnv(home), SHELL: program } });
    expect((await run(HALF)).head).toBe(' 033   [   0   n');
    expect(await run('echo next')).toMatchObject({ exit: 0, head: 'next' });
  });
});

describe('whether anyone reads', () => {
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

  /** Does `act` whenever a file is about to be read. */
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

  it('a program that ends in the midst of the look does not', async () => {
    const pty = await inFront('sleep 60');
    beforeReading(`/proc/${pty.pid}/syscall`, () => {
      process.kill(pty.pid, 'SIGKILL');
      while (existsSync(`/proc/${pty.pid}`));
    });
    expect(anyoneReads(pty.pid, pty.slave, false)).toBe(false);
    pty.dispose();
  });

  it('one that nobody may look at counts as one that does', async () => {
    const pty = await inFront('sleep 60');
    beforeReading(`/proc/${pty.pid}/task/${pty.pid}/syscall`, () => {
      throw Object.assign(new Error('no'), { code: 'EACCES' });
    });
    expect(anyoneReads(pty.pid, pty.slave, false)).toBe(true);
    pty.dispose();
  });
});
