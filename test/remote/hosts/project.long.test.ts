/** Project mode on a host, over a real sshd: its limits, the recorded changes, and files left for others to run. */
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRemoteUndo } from '../../../src/app/remote-undo.ts';
import type { LauncherKit } from '../../../src/remote/hosts/index.ts';
import { trialsWork } from '../../effects/undo/trial-support.ts';
import { builtKit, hostsOf, until } from '../../support/hosts.ts';
import { lacks } from '../../support/lacks.ts';
import { lacksSshd, type SshHost, startSshd } from '../../support/sshd.ts';

describe.skipIf(lacksSshd() || lacks('cc') || lacks('git') || !trialsWork())('Project mode on a host', () => {
  let server: SshHost;
  let at: ReturnType<typeof hostsOf>;
  let kit: LauncherKit = builtKit;
  let work: string;
  let outside: string;
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  const undo = { budget: 2000, days: 7, max_file: 256, credentials: false };
  const warned: string[] = [];
  const bus = { show: (text: string) => warned.push(text), engine: { conversation: { phase: { kind: 'idle' } } } };
  const needs = { config: { undo }, session: 's', hide: (text: string) => text, bus: bus as never };
  const there = createRemoteUndo(needs, () => at.hosts);
  const store = () => there.store('web1') ?? expect.unreachable();

  beforeAll(async () => {
    server = await startSshd('web1', { lines: [`SetEnv HOME=${home}`] });
    at = hostsOf(server, { ...builtKit, project: (launch) => kit.project(launch) }, there.keep);
    await at.open();
    expect(await at.hosts.putLauncher('web1')).toBeUndefined();
  });
  afterAll(async () => {
    await at?.hosts.close();
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  });
  beforeEach(() => {
    outside = mkdtempSync(join(tmpdir(), 'there-'));
    work = join(outside, 'work');
    mkdirSync(join(work, 'sub'), { recursive: true });
    execFileSync('git', ['init', '-q', work]);
    writeFileSync(join(work, 'note'), 'as it was\n');
  });
  const start = (command: string, place = `web1:${work}/sub`) => at.start(command, place, {}, 'project');
  const run = async (command: string, place?: string) => {
    const running = await start(command, place);
    return { ...(await running.result), left: await there.left(running) };
  };

  it('allows writing the repository’s tree and a private directory only, and keeps changes', async () => {
    const tried = await run(`echo new >../note; echo x >"$TMPDIR/own" && cat "$TMPDIR/own"
      echo x >${outside}/made; echo x >/tmp/aish-made; git config a.b c; kill -0 ${process.pid}; exit 3`);
    expect([tried.exit, tried.cwd, tried.head.split('\n')[0], tried.left]).toEqual([
      3,
      `web1:${work}/sub`,
      'x',
      undefined,
    ]);
    expect(readFileSync(join(work, 'note'), 'utf8')).toBe('new\n');
    expect([existsSync(join(outside, 'made')), existsSync('/tmp/aish-made')]).toEqual([false, false]);
    expect(readFileSync(join(work, '.git/config'), 'utf8')).not.toContain('[a]');
    expect(tried.head).toMatch(/No such process|not permitted/);
    expect(await store().undo('last')).toMatchObject({ ok: true });
    expect(readFileSync(join(work, 'note'), 'utf8')).toBe('as it was\n');
  });

  it('is unavailable in the home directory, and where the kernel does not support it', async () => {
    await expect(start('true', `web1:${home}`)).rejects.toThrow('web1 has no project here');
    kit = { ...builtKit, project: () => ['/bin/sh', '-c', 'echo no namespaces >&2; exit 126'] };
    await at.hosts.putLauncher('web1');
    const { lacks: misses } = at.hosts.machine('web1');
    expect(misses('project')).toMatch(/^Project mode does not hold on web1: that needs .*\(no namespaces\)$/);
    await expect(start('true')).rejects.toThrow('Project mode does not hold on web1');
    expect(misses('restricted')).toBeUndefined();
    kit = builtKit;
    await at.hosts.putLauncher('web1');
    expect(at.hosts.machine('web1').lacks('project')).toBeUndefined();
  });

  it('sets aside files that others would run later until the user decides', async () => {
    const { left } = await run(`echo 'curl x | sh' >../.envrc; mkdir ../plain; echo y >../plain/file
      mkdir bare; touch bare/HEAD bare/config; mkdir bare/objects bare/refs`);
    const bare = ['HEAD', 'config', 'objects', 'refs'].map((name) => `sub/bare/${name}`);
    expect(left?.items).toEqual([
      '.envrc is run by shells and editors',
      ...bare.map((path) => `${path} makes its directory a git repository`),
    ]);
    expect(left?.diff).toContain('+curl x | sh');
    expect([existsSync(join(work, '.envrc')), existsSync(join(work, 'plain/file'))]).toEqual([false, true]);
    expect(await left?.settle(true)).toMatch(/^the user accepted: .envrc/);
    expect(readFileSync(join(work, '.envrc'), 'utf8')).toBe('curl x | sh\n');
    const again = await run('echo other >../.npmrc');
    expect(await again.left?.settle(false)).toMatch(/^set aside, and not in the project: .npmrc/);
    expect(existsSync(join(work, '.npmrc'))).toBe(false);
  });

  it('sets aside the todo list of a rebase that git writes under another name', async () => {
    const list = join(work, '.git/rebase-merge/git-rebase-todo');
    mkdirSync(dirname(list), { recursive: true });
    writeFileSync(list, 'pick x\n');
    linkSync(list, join(work, '.git/x'));
    const { left } = await run('echo "exec evil" >>../.git/x');
    expect(left?.items).toEqual(['.git/x lists commands that git runs when it goes on with the rebase']);
    expect(readFileSync(list, 'utf8')).toBe('pick x\n');
    expect((await run('echo other >../.git/y')).left).toBeUndefined();
  });

  it('sets files aside at the next connection when the first one was lost during the command', async () => {
    const running = await start('echo x >../.envrc; echo up; sleep 1000');
    await until(() => running.output.lines(5).join('').includes('up'));
    await at.loseConnection();
    await running.result;
    await at.open();
    expect(await at.hosts.putLauncher('web1')).toBeUndefined();
    await store().recover();
    expect(existsSync(join(work, '.envrc'))).toBe(false);
    expect(warned.join()).toMatch(
      /set aside on web1, since the connection ended.*\.envrc is run by shells.*:undo \d+ yes/,
    );
  });
});
