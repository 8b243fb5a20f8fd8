import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startUserShell } from '../../../src/executor/index.ts';
import { addUser, removeUser } from '../../support/accounts.ts';
import { folder, hostsOf, size, unaborted, until } from '../../support/hosts.ts';
import { everyShell, pathOf } from '../../support/lacks.ts';
import { lacksSshd, type SshHost, startSshd } from '../../support/sshd.ts';

describe.skipIf(lacksSshd())('a host reached through a real sshd', () => {
  let server: SshHost;
  let at: ReturnType<typeof hostsOf>;
  beforeAll(async () => {
    server = await startSshd();
    at = hostsOf(server);
    await at.open();
  });
  afterAll(async () => {
    await at?.hosts.close();
    await server?.stop();
  });

  it('runs a command there, and reports its exit code and final directory', async () => {
    const result = await at.run('printf "%s|" "a b" \'$x\' "it\'s"; cd /usr; exit 3');
    expect([result.head, result.exit, result.cwd]).toEqual(["a b|$x|it's|", 3, 'web1:/usr']);
    expect([(await at.run('exit 255')).exit, (await at.run('exit 200')).exit]).toEqual([255, 200]);
  });

  it('runs any text as it is written', async () => {
    const file = join(folder, 'bytes');
    const text = fc.string({ unit: 'binary', maxLength: 60 }).map((each) => each.replaceAll(/[\0\ud800-\udfff]/g, '?'));
    await fc.assert(
      fc.asyncProperty(text, async (wanted) => {
        const quoted = `'${wanted.replaceAll("'", "'\\''")}'`;
        expect(await at.run(`printf %s ${quoted} >${file}`)).toMatchObject({ exit: 0 });
        expect(readFileSync(file, 'utf8')).toBe(wanted);
      }),
      // Shrinking would take long, and a broken connection would not happen again.
      { numRuns: 20, endOnFailure: true },
    );
  });

  it('queues commands when the connection has no free session, and opens no other connection', async () => {
    const before = server.accepted();
    const gate = join(folder, 'gate');
    const count = join(folder, 'count');
    const all = Array.from({ length: 14 }, () =>
      at.run(`echo x >>${count}; while [ ! -e ${gate} ]; do sleep 0.05; done; true`),
    );
    await until(() => existsSync(count) && readFileSync(count, 'utf8').length >= 2 * 8);
    writeFileSync(gate, '');
    expect((await Promise.all(all)).map(({ exit }) => exit)).toEqual(all.map(() => 0));
    expect(server.accepted()).toBe(before);
  });

  it('runs no command in Restricted or Project without a sandbox, and gets no secret without the user’s consent', async () => {
    const machine = at.hosts.machine('web1');
    await expect(machine.spawn('true', { cwd: 'web1:/', mode: 'restricted', signal: unaborted })).rejects.toThrow(
      'there is no sandbox on web1',
    );
    await expect(at.start('true', 'web1:/', { KEY: 'value' })).rejects.toThrow('only after :host trust web1');
    at.hosts.trust('web1');
    const running = await at.start('printf %s "$KEY"; ps -eo args= | grep -c "[v]alue-of-key"', 'web1:/', {
      KEY: 'value-of-key',
    });
    expect((await running.result).head).toBe('value-of-key0');
  });

  it('reports what a command would touch, reading only', async () => {
    const there = mkdtempSync(join(tmpdir(), 'there-'));
    for (const name of ['a b', "it's", '$(touch x)', '-rf']) writeFileSync(join(there, name), 'four');
    const { files } = at.hosts.machine('web1');
    const never = () => false;
    const found = await files.existing([{ path: '*', glob: true, cwd: there }], never);
    expect([...found].sort()).toEqual(['$(touch x)', '-rf', 'a b', "it's"].map((name) => join(there, name)).sort());
    expect(await files.existing([{ path: 'none', glob: false, cwd: there }], never)).toEqual([]);
    expect(await files.count([there], never)).toEqual({ files: 4, bytes: 16, more: false });
    expect(existsSync(join(there, 'x'))).toBe(false);
  });

  it('runs nothing twice when the connection is lost, and reports the command’s end once the connection is back', async () => {
    const count = join(folder, 'once');
    const running = await at.start(`echo x >>${count}; sleep 1000`);
    await until(() => existsSync(count));
    await at.loseConnection();
    const { exit, note } = await running.result;
    expect([exit, note]).toEqual([null, expect.stringContaining('the connection to web1 was lost')]);
    await expect(at.run('echo y')).rejects.toThrow('web1 is not connected');
    const told = await at.open();
    expect(told).toEqual([expect.stringMatching(/^web1: echo x .* (began, and left no word|had ended with exit)/)]);
    expect(readFileSync(count, 'utf8')).toBe('x\n');
    expect((await at.run('echo back')).head).toBe('back');
  });

  it('has no files left on it after forget', async () => {
    const other = hostsOf(server);
    await other.open();
    const [removed = ''] = await other.hosts.forget('web1');
    const path = removed.replace('removed there: ', '');
    expect(path).toMatch(/aish-tui-/);
    expect(existsSync(path)).toBe(false);
  });
});

describe.skipIf(lacksSshd() || process.getuid?.() !== 0)('an account with another login shell', () => {
  let server: SshHost;
  afterAll(() => server?.stop());

  it.each(everyShell())('%s runs lines and reports exit codes and the directory', async (shell) => {
    const user = addUser(shell);
    server = await startSshd('web1', { user });
    const at = hostsOf(server);
    try {
      await at.open();
      const there = at.hosts.shell('web1');
      if (!there) throw new Error('not connected');
      expect(there.program).toBe(shell);
      const own = await startUserShell({ there, cwd: `web1:${there.home}`, env: {}, ...size, dataDir: folder });
      const line = async (text: string) => {
        const { head, exit, cwd } = await own.run(text).result;
        return [head, exit, cwd];
      };
      expect(await line('echo hello; false')).toEqual(['hello', 1, `web1:${there.home}`]);
      expect(await line('cd /usr/share')).toEqual(['', 0, 'web1:/usr/share']);
      expect(await line('pwd')).toEqual(['/usr/share', 0, 'web1:/usr/share']);
      expect((await at.run("printf '%s' 'a\\b!c'")).head).toBe('a\\b!c');
      await own.dispose();
    } finally {
      await at.hosts.close();
      await server.stop();
      removeUser(user);
    }
  });

  it.each([
    ['dash', 'dash', undefined],
    ['tcsh', 'bash', 'tcsh'],
  ])('%s runs commands as written, and the user’s shell there is %s', async (name, runs, instead) => {
    const shell = pathOf(name);
    if (shell === undefined) return;
    const user = addUser(shell);
    server = await startSshd('web1', { user });
    const at = hostsOf(server);
    try {
      await at.open();
      const own = at.hosts.shell('web1');
      expect([own?.program, own?.instead]).toEqual([pathOf(runs), instead === undefined ? undefined : shell]);
      expect((await at.run("printf '%s' 'a\\b!c \"$HOME\" `x`'")).head).toBe('a\\b!c "$HOME" `x`');
    } finally {
      await at.hosts.close();
      await server.stop();
      removeUser(user);
    }
  });

  it('answers requests for facts without using anything that its startup files define', async () => {
    const [bash = ''] = everyShell();
    const user = addUser(bash);
    const rc = 'echo NOISE; stat() { echo 1; }; find() { echo 1; }; export -f stat find; PATH=$HOME:$PATH\n';
    writeFileSync(`/home/${user}/.bashrc`, rc);
    for (const name of ['sh', 'find', 'awk']) writeFileSync(`/home/${user}/${name}`, '#!/bin/false\n', { mode: 0o755 });
    server = await startSshd('web1', { user });
    const at = hostsOf(server);
    try {
      await at.open();
      const there = mkdtempSync(join(tmpdir(), 'there-'));
      execFileSync('/bin/sh', ['-c', `cd ${there}; for f in a b c; do echo x >$f; done; chmod -R a+rX .`]);
      expect(await at.hosts.machine('web1').files.count([there], () => false)).toEqual({
        files: 3,
        bytes: 6,
        more: false,
      });
    } finally {
      await at.hosts.close();
      await server.stop();
      removeUser(user);
    }
  });
});
