/** A host of a fleet over a real sshd: the report on a command whose end can't be asked for. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenFleetMachine, openMachine } from '../../src/fleet/ssh.ts';
import { until } from '../support/hosts.ts';
import { below } from '../support/processes.ts';
import { lacksSshd, type SshHost, startSshd } from '../support/sshd.ts';

const { signal } = new AbortController();
/** The longest time in ms: it includes the timeout of a helper, and logins on a busy machine. */
const SLOW_MS = 60_000;

describe.skipIf(lacksSshd())('a host of a fleet', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fs-'));
  const { PATH } = process.env;
  let server: SshHost;
  let fleet: OpenFleetMachine;
  beforeAll(async () => {
    server = await startSshd();
    process.env.PATH = `${server.bin}:${PATH}`;
    fleet = openMachine({ dataDir: folder, size: () => ({ columns: 80, rows: 24 }), isUsers: () => false });
  });
  afterAll(async () => {
    fleet?.close();
    process.env.PATH = PATH;
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    'counts as lost before a result is given to a command whose end can’t be determined',
    async () => {
      const opened = await fleet('web1', signal);
      if ('problem' in opened) throw new Error(opened.problem);
      const { machine, lost } = opened;
      const running = await machine.spawn('echo on; sleep 1000', { cwd: 'web1:/tmp', mode: 'unrestricted', signal });
      await until(() => running.output.lines(5).includes('on'));
      const mine = below(process.pid).filter(({ words }) => words.includes('ssh '));
      const masters = mine.filter(({ words }) => / -M -N .* web1$/.test(words));
      const clients = mine.filter(({ words }) => / -tt /.test(words));
      expect([masters.length, clients.length]).toEqual([1, 1]);
      try {
        for (const { pid } of masters) process.kill(pid, 'SIGSTOP');
        for (const { pid } of clients) process.kill(pid, 'SIGKILL');
        const first = await Promise.race([lost, running.result]);
        expect(first).toBe('the connection was lost; what ran there then is not known');
        expect((await running.result).exit).toBe(null);
      } finally {
        for (const { pid } of masters) process.kill(pid, 'SIGCONT');
        await opened.close();
      }
    },
    SLOW_MS,
  );
});
