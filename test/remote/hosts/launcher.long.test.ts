/** The sandbox launcher on a host, over a real sshd: what it confines, and who could get another one run. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LauncherKit } from '../../../src/remote/hosts/index.ts';
import { builtKit, hostsOf } from '../../support/hosts.ts';
import { lacks } from '../../support/lacks.ts';
import { lacksSshd, type SshHost, startSshd } from '../../support/sshd.ts';

const OWN = `aish-tui-host-${process.getuid?.()}`;
const work = mkdtempSync(join(tmpdir(), 'there-'));

describe.skipIf(lacksSshd() || lacks('cc'))('the launcher on a host', () => {
  let server: SshHost;
  let at: ReturnType<typeof hostsOf>;
  let home: string;
  const connect = async (kit?: LauncherKit, env: readonly string[] = []) => {
    const set = [`HOME=${home}`, ...env].map((each) => `"${each}"`).join(' ');
    server = await startSshd('web1', { lines: [`SetEnv ${set}`] });
    at = hostsOf(server, kit);
    await at.open();
  };
  const directory = () => join(home, '.cache', OWN);
  const launcher = () => join(directory(), readdirSync(directory()).find((name) => name.startsWith('launcher-')) ?? '');

  /** The files on this host, without those that somebody else left in a shared directory. */
  const leftHere = async () => (await at.hosts.left('web1')).filter((each) => each.directory.startsWith(home));

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'home-'));
  });
  afterEach(async () => {
    const left = (await at?.hosts.left('web1')) ?? [];
    await at?.hosts.forget('web1', left).catch(() => {});
    await at?.hosts.close();
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('confines a command in Restricted, which reads and writes nothing', async () => {
    await connect(undefined, ['DEPLOY_TOKEN=s3cret']);
    await expect(at.run('true', 'web1:/tmp', 'restricted')).rejects.toThrow('there is no sandbox on web1');
    expect(await at.hosts.putLauncher('web1')).toBeUndefined();
    const machine = at.hosts.machine('web1');
    expect([machine.lacks('restricted'), machine.lacks('unrestricted')]).toEqual([undefined, undefined]);
    const tried = await at.run(`cat /etc/hostname; echo x >${work}/made; exit 3`, 'web1:/etc', 'restricted');
    expect(tried.head).toContain(readFileSync('/etc/hostname', 'utf8').trim());
    expect([tried.head.match(/Permission denied|Read-only/)?.length, tried.exit, tried.cwd]).toEqual([
      1,
      3,
      'web1:/etc',
    ]);
    expect(existsSync(join(work, 'made'))).toBe(false);
    const env = await at.run(
      'echo x >"$TMPDIR/own" && cat "$TMPDIR/own"; echo "[${DEPLOY_TOKEN-}]"',
      'web1:/',
      'restricted',
    );
    expect([env.head, env.exit]).toEqual(['x\n[]', 0]);
    expect((await at.run(`echo x >${work}/made; echo "$DEPLOY_TOKEN"`)).head).toBe('s3cret');
    expect(existsSync(join(work, 'made'))).toBe(true);
    expect((await at.run('kill -9 $$', 'web1:/', 'restricted')).exit).toBe(137);
    expect((await at.run('exit 126', 'web1:/', 'restricted')).exit).toBe(126);
  });

  it('is not used when another file replaced it, and is sent again on request', async () => {
    await connect();
    expect(await at.hosts.putLauncher('web1')).toBeUndefined();
    const path = launcher();
    const fake = `#!/bin/sh\necho ran >>${work}/fake\nexit 0\n`;
    const replace = () => {
      rmSync(path);
      writeFileSync(path, fake, { mode: 0o500 });
    };
    replace();
    const result = await at.run(`touch ${work}/never`, 'web1:/tmp', 'restricted');
    expect([result.exit, result.note]).toEqual([null, expect.stringContaining('is not the one that was sent')]);
    expect([existsSync(join(work, 'fake')), existsSync(join(work, 'never'))]).toEqual([false, false]);
    expect(await at.hosts.putLauncher('web1')).toBeUndefined();
    expect((await at.run('echo held', 'web1:/tmp', 'restricted')).head).toBe('held');
    rmSync(path);
    const copy = join(work, 'copy');
    writeFileSync(copy, fake, { mode: 0o500 });
    symlinkSync(copy, path);
    expect((await at.run('true', 'web1:/tmp', 'restricted')).exit).toBe(null);
    expect(existsSync(join(work, 'fake'))).toBe(false);
  });

  it('is not installed into a directory in which others could replace it', async () => {
    const open = mkdtempSync(join(tmpdir(), 'open-'));
    mkdirSync(join(open, 'shared'));
    chmodSync(join(open, 'shared'), 0o777);
    symlinkSync(join(open, 'shared'), join(home, '.cache'));
    await connect();
    expect(await at.hosts.putLauncher('web1')).toBeUndefined();
    const left = (await at.hosts.left('web1')).map((each) => each.directory);
    expect(left.filter((each) => each.startsWith(open))).toEqual([]);
    expect(readdirSync(join(open, 'shared')).flatMap((name) => readdirSync(join(open, 'shared', name)))).toEqual([]);
    expect((await at.run('echo held', 'web1:/tmp', 'restricted')).head).toBe('held');
  });

  it('is installed elsewhere when the home directory is read-only, or the launcher’s directory in it is a link', async () => {
    mkdirSync(join(home, '.cache'));
    mkdirSync(join(home, 'mine'), { mode: 0o700 });
    symlinkSync(join(home, 'mine'), directory());
    await connect();
    expect(await at.hosts.putLauncher('web1')).toBeUndefined();
    expect(readdirSync(join(home, 'mine'))).toEqual([]);
    await at.hosts.close();
    await server.stop();
    rmSync(home, { recursive: true, force: true });
    home = '/proc/none';
    await connect();
    expect(await at.hosts.putLauncher('web1')).toBeUndefined();
    expect((await at.run('echo held', 'web1:/tmp', 'restricted')).head).toBe('held');
  });

  it('of another architecture is not kept, and confines nothing', async () => {
    const bytes = Buffer.from(builtKit.program(process.arch)?.bytes ?? '');
    bytes.writeUInt16LE(process.arch === 'x64' ? 183 : 62, 18);
    const { createHash } = await import('node:crypto');
    const hash = createHash('sha256').update(bytes).digest('hex');
    await connect({ ...builtKit, program: () => ({ bytes, hash }) });
    expect(await at.hosts.putLauncher('web1')).toMatch(/does not run there/);
    expect(readdirSync(directory())).toEqual([]);
    await expect(at.run('true', 'web1:/tmp', 'restricted')).rejects.toThrow('there is no sandbox on web1');
    await at.hosts.close();
    await server.stop();
    await connect({ ...builtKit, program: () => undefined });
    expect(await at.hosts.putLauncher('web1')).toMatch(/^there is no launcher for Linux /);
  });

  it('is listed and removed by forget', async () => {
    await connect();
    expect(await leftHere()).toEqual([]);
    await at.hosts.putLauncher('web1');
    const left = await leftHere();
    expect(left).toEqual([{ directory: directory(), actions: 0, bytes: expect.any(Number) }]);
    expect(left[0]?.bytes).toBeGreaterThan(20_000);
    expect(lstatSync(directory()).mode & 0o777).toBe(0o700);
    expect(await at.hosts.forget('web1', left)).toEqual([
      `removed there: ${directory()}`,
      expect.stringMatching(/^removed there: .*aish-tui-/),
    ]);
    expect(existsSync(directory())).toBe(false);
  });

  it('ends a command in Restricted with the connection', async () => {
    await connect();
    await at.hosts.putLauncher('web1');
    const alive = join(work, 'alive');
    copyFileSync('/bin/sleep', alive);
    const running = await at.start(`setsid ${alive} 1000 & ${alive} 1000`, 'web1:/', {}, 'restricted');
    const count = () =>
      readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).startsWith(`${alive}\0`)).length;
    while (count() < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    await at.loseConnection();
    await running.result;
    while (count() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(count()).toBe(0);
  });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
