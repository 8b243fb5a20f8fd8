/**
 * A shell's private directory on a host is removed with the connection, whatever its helper does when the connection is
 * cut.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RemoteShell, ShellFiles } from '../../../src/contracts/machine.ts';
import { hostsOf } from '../../support/hosts.ts';
import { below } from '../../support/processes.ts';
import { lacksSshd, type SshHost, startSshd } from '../../support/sshd.ts';

/** The line of a process id that is not in use. */
const NOBODY = '4194399\n';
/** The longest wait: longer than the wait for a helper, and than the helper’s wait for a shell’s end. */
const PATIENCE = { timeout: 40_000 };

describe.skipIf(lacksSshd())('the directory of a shell whose connection is cut', () => {
  let server: SshHost;
  let at: ReturnType<typeof hostsOf>;
  let seat: RemoteShell;
  let files: ShellFiles;
  let home: string;
  const left = () => globSync(join(home, 'aish-tui-*', 'shell-*'));

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'home-'));
    server = await startSshd('web1', { lines: [`SetEnv TMPDIR=${home} XDG_RUNTIME_DIR=`] });
    at = hostsOf(server);
    await at.open();
    seat = at.hosts.shell('web1') ?? expect.unreachable();
    files = await seat.files();
    expect(left()).toEqual([files.path]);
  });
  afterEach(async () => {
    await at.hosts.close();
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const helpers = () => below(server.pid).filter(({ words }) => words === '/bin/sh');
  /** Asks a question that is answered once something is written to the returned path. */
  async function ask(): Promise<{ readonly fifo: string; readonly answer: Promise<unknown> }> {
    const fifo = join(files.path, 'tty');
    execFileSync('mkfifo', [fifo]);
    const answer = seat.modes(files);
    await expect.poll(() => below(server.pid).some(({ words }) => words === `cat ${fifo}`), PATIENCE).toBe(true);
    return { fifo, answer };
  }
  const cut = async () => {
    await at.loseConnection();
    const sessions = () => below(server.pid).filter(({ words }) => words.startsWith('sshd'));
    await expect.poll(sessions, PATIENCE).toEqual([]);
  };
  const goes = () => expect.poll(left, PATIENCE).toEqual([]);

  it('is removed when the shell has ended', async () => {
    await files.write('pid', NOBODY);
    await cut();
    await goes();
  });

  it('is removed when the shell had not started', async () => {
    await cut();
    await goes();
  });

  it('is removed even when the helper was about to answer', async () => {
    await files.write('pid', NOBODY);
    const { fifo } = await ask();
    await cut();
    writeFileSync(fifo, '/dev/null\n');
    await goes();
  });

  it('is removed by another helper when the first one is gone', async () => {
    await files.write('pid', `${process.pid}\n`);
    const { answer } = await ask();
    // The helper does not answer in time, so its processes on the host are killed.
    const before = helpers().flatMap(({ pid }) => [pid, ...below(pid).map((each) => each.pid)]);
    await answer;
    for (const pid of before) process.kill(pid, 'SIGKILL');
    await files.write('pid', `${process.pid}\n`);
    await cut();
    writeFileSync(join(files.path, 'pid'), NOBODY);
    await goes();
  });
});
