/**
 * A session for the next command is opened before the command is known. The command runs once, even if that session
 * fails.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection, Slots } from '../../../src/remote/hosts/connection.ts';

import { hostsOf, unaborted, until } from '../../support/hosts.ts';
import { processes } from '../../support/processes.ts';
import { lacksSshd, type SshHost, startSshd } from '../../support/sshd.ts';

describe.skipIf(lacksSshd())('the session opened for the next command', () => {
  let server: SshHost;
  let at: ReturnType<typeof hostsOf>;
  let work: string;
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  beforeAll(async () => {
    server = await startSshd('web1', { home });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  });
  beforeEach(async () => {
    work = mkdtempSync(join(tmpdir(), 'ahead-'));
    at = hostsOf(server);
    await at.open();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await at.hosts.close();
  });

  const folderThere = async () => (await at.hosts.ask('web1', 'printf %s "$b"')) ?? '';
  const waitsIn = async () => {
    const folder = await folderThere();
    await until(() => readdirSync(folder).some((name) => name.endsWith('.go')));
    return folder;
  };
  /** Returns the waiting shell on the host, and the client here that holds its session. */
  const waiting = (folder: string) =>
    processes().filter(({ words }) => words.includes(`${folder}/start op-`) && words.endsWith('waits'));
  const processIn = (folder: string, program: string) => {
    const pid = waiting(folder).find(({ words }) => words.split(' ', 1)[0]?.endsWith(program))?.pid;
    // Must never return 0 or 1, which would signal many processes.
    if (pid === undefined || pid < 2) throw new Error(`no ${program} waits`);
    return pid;
  };
  const shellOf = (folder: string) => processIn(folder, '/sh');
  const clientOf = (folder: string) => processIn(folder, '/ssh');

  it('is opened after a command, and runs the next one', async () => {
    expect((await at.run('echo one')).head).toBe('one');
    const folder = await waitsIn();
    const shell = shellOf(folder);
    expect(shell).toBeGreaterThan(0);
    const result = await at.run('echo $PPID; cd /usr; exit 3', 'web1:/');
    expect([result.head, result.exit, result.cwd]).toEqual([`${shell}`, 3, 'web1:/usr']);
    await waitsIn();
    expect(shellOf(folder)).not.toBe(shell);
  });

  it.each([
    ['the waiting shell on the host is killed', shellOf],
    ['the client of its session is killed', clientOf],
  ])('runs the next command once after: %s', async (_, victim) => {
    await at.run('true');
    const folder = await waitsIn();
    process.kill(victim(folder), 'SIGKILL');
    await until(() => waiting(folder).length === 0);
    // The end of the session is known within a moment. Until then the command itself discovers it, and another session
    // runs the command.
    const result = await at.run(`echo x >>${work}/count`);
    expect([result.exit, readFileSync(join(work, 'count'), 'utf8')]).toEqual([0, 'x\n']);
  });

  it.each([
    ['one more session when it can’t start', 1, [0, undefined, 2, true]],
    ['no third session when the second can’t start either', 2, [null, 'it never began', 2, false]],
  ])('is followed by %s', async (_, taken, expected) => {
    await at.run('true');
    const folder = await waitsIn();
    const { ask } = Connection.prototype;
    let laid = 0;
    vi.spyOn(Connection.prototype, 'ask').mockImplementation(async function (this: Connection, code) {
      if (!code.includes('umask 077; printf')) return ask.call(this, code);
      laid += 1;
      // Takes the command's start marker before the command can start.
      const name = /op-[\da-f]+-\d+(?=\.ready)/.exec(code)?.[0] ?? '';
      return ask.call(this, laid > taken ? code : `echo none >${folder}/${name}.began; ${code}`);
    });
    const { exit, note } = await at.run(`echo x >>${work}/once`);
    expect([exit, note, laid, existsSync(join(work, 'once'))]).toEqual(expected);
    if (exit === 0) expect(readFileSync(join(work, 'once'), 'utf8')).toBe('x\n');
  });

  it('is woken when the reply to the command’s upload is lost, and gives up when no command arrived', async () => {
    for (const isLaid of [true, false]) {
      await at.run('true');
      await waitsIn();
      const { ask } = Connection.prototype;
      vi.spyOn(Connection.prototype, 'ask').mockImplementationOnce(async function (this: Connection, code) {
        // Runs all of it except the last part, which wakes the session.
        if (isLaid) await ask.call(this, code.slice(0, code.lastIndexOf(' && {')));
        return undefined;
      });
      const { exit, note } = await at.run(`echo x >>${work}/laid`);
      expect([exit, note]).toEqual(isLaid ? [0, undefined] : [null, 'it never began']);
      expect(readFileSync(join(work, 'laid'), 'utf8')).toBe('x\n');
    }
  });

  it('gives up when it was woken too early and its command never arrived', async () => {
    writeFileSync(join(home, '.bashrc'), '[ ! -e ~/slow ] || sleep 1\n');
    writeFileSync(join(home, 'slow'), '');
    await at.run('true');
    vi.spyOn(Connection.prototype, 'ask').mockImplementationOnce(async () => undefined);
    const { exit, note } = await at.run(`echo x >>${work}/unlaid`);
    rmSync(join(home, 'slow'));
    expect([exit, note, existsSync(join(work, 'unlaid'))]).toEqual([null, 'it never began', false]);
  });

  it('closes when sessions are scarce, and several simultaneous commands open their own sessions', async () => {
    await at.run('true');
    await waitsIn();
    const before = server.accepted();
    const gate = join(work, 'gate');
    const all = Array.from({ length: 12 }, () =>
      at.run(`echo x >>${work}/count; until [ -e ${gate} ]; do sleep 0.05; done`),
    );
    await until(() => existsSync(join(work, 'count')) && readFileSync(join(work, 'count'), 'utf8').length === 2 * 8);
    writeFileSync(gate, '');
    expect((await Promise.all(all)).map(({ exit }) => exit)).toEqual(all.map(() => 0));
    expect(server.accepted()).toBe(before);
  });

  it('is not used for a cancelled command or after its connection has ended, and ends with its connection', async () => {
    await at.run('true');
    const folder = await waitsIn();
    const machine = at.hosts.machine('web1');
    const shell = shellOf(folder);
    await expect(
      machine.spawn('true', { cwd: 'web1:/', mode: 'unrestricted', signal: AbortSignal.abort() }),
    ).rejects.toThrow();
    expect(
      (
        await machine
          .spawn('echo $PPID', { cwd: 'web1:/', mode: 'unrestricted', signal: unaborted })
          .then((running) => running.result)
      ).head,
    ).toBe(`${shell}`);
    await waitsIn();
    await at.loseConnection();
    await until(() => waiting(folder).length === 0);
    await at.open();
    expect((await at.run('echo back')).head).toBe('back');
    await waitsIn();
    await at.hosts.close();
    await until(() => waiting(folder).length === 0);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('the session slots of a connection', () => {
  it('include that of the waiting session, which is freed when no other slot is free', async () => {
    const slots = new Slots();
    const wanted = vi.fn();
    const spare = slots.spare(wanted);
    const taken = await Promise.all(Array.from({ length: 8 }, () => slots.take()));
    expect([taken.length, slots.spare(wanted), wanted.mock.calls.length]).toEqual([8, undefined, 0]);
    const next = slots.take();
    expect(wanted).toHaveBeenCalledOnce();
    spare?.();
    await next;
  });
});
