/** A model's changes on a host are kept and undone on the host, over a real sshd. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRemoteUndo } from '../../../src/app/remote-undo.ts';
import { builtKit, hostsOf } from '../../support/hosts.ts';
import { lacks } from '../../support/lacks.ts';
import { lacksSshd, type SshHost, startSshd } from '../../support/sshd.ts';

describe.skipIf(lacksSshd() || lacks('cc'))('undo on a host', () => {
  let server: SshHost;
  let at: ReturnType<typeof hostsOf>;
  let work: string;
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  const undo = { budget: 2000, days: 7, max_file: 256, credentials: false };
  const needs = { config: { undo }, session: 's', hide: (text: string) => text };
  const there = createRemoteUndo(needs, () => at.hosts);
  const store = () => there.store('web1') ?? expect.unreachable();

  beforeAll(async () => {
    server = await startSshd('web1', { lines: [`SetEnv HOME=${home}`] });
    at = hostsOf(server, builtKit, there.keep);
    await at.open();
    expect(await at.hosts.putLauncher('web1')).toBeUndefined();
  });
  afterAll(async () => {
    await at?.hosts.close();
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  });
  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'there-'));
    mkdirSync(join(work, 'build'));
    for (const name of ['a', "it's", 'c\nd']) writeFileSync(join(work, 'build', name), `old ${name}`);
    writeFileSync(join(work, 'note'), 'as it was\n');
  });
  const run = async (command: string) => (await at.run(command, `web1:${work}`)).exit;
  const tree = () => readdirSync(join(work, 'build')).map((name) => readFileSync(join(work, 'build', name), 'utf8'));

  it('restores what a command deleted and changed, and removes what it made', async () => {
    const before = tree();
    expect(await run('rm -rf build && echo new >note && echo x >made')).toBe(0);
    expect(existsSync(join(work, 'build'))).toBe(false);
    const [action] = await store().list();
    expect(action).toMatchObject({
      state: 'ended',
      complete: true,
      created: 1,
      text: expect.stringMatching(/^rm -rf/),
    });
    const shown = await store().preview('last');
    expect(shown.ok).toBe(true);
    for (const line of ['restores', '− new', '+ as it was']) expect(shown.text).toContain(line);
    expect(await store().undo('last')).toMatchObject({ ok: true, text: expect.stringContaining('undone: ') });
    expect(tree()).toEqual(before);
    expect([readFileSync(join(work, 'note'), 'utf8'), existsSync(join(work, 'made'))]).toEqual(['as it was\n', false]);
    const [undone] = await store().list();
    expect(await store().undo(undone?.number ?? 0)).toMatchObject({ ok: true });
    expect(existsSync(join(work, 'build'))).toBe(false);
    expect(readFileSync(join(work, 'note'), 'utf8')).toBe('new\n');
  });

  it('leaves files that somebody changed since as they are, and names them', async () => {
    await run('echo new >note');
    writeFileSync(join(work, 'note'), 'mine\n');
    const { ok, text } = await store().undo('last');
    expect([ok, text]).toEqual([false, expect.stringMatching(/leaves +\S+note /)]);
    expect(readFileSync(join(work, 'note'), 'utf8')).toBe('mine\n');
  });

  it('keeps nothing of a command without changes, and no file name can forge an action', async () => {
    const before = (await store().list()).length;
    await run('ls >/dev/null');
    await until(async () => (await store().list()).length === before);
    const [newest] = await store().list();
    await run(`touch "$(printf 'x\\n%s\\n{"kind":"command"}' 99)"; echo y >note`);
    const listed = await store().list();
    expect(listed.map(({ number }) => number).filter((each) => each > (newest?.number ?? 0)).length).toBe(1);
  });

  it('stops when the launcher was replaced, and runs nothing', async () => {
    await run('echo new >note');
    // What settles the record in the background calls the launcher too.
    await until(async () => (await store().list())[0]?.state === 'ended');
    const folder = join(home, '.cache', readdirSync(join(home, '.cache'))[0] ?? '');
    const path = join(folder, readdirSync(folder).find((name) => name.startsWith('launcher-')) ?? '');
    const real = readFileSync(path);
    rmSync(path);
    writeFileSync(path, `#!/bin/sh\necho ran >>${work}/fake\n`, { mode: 0o500 });
    expect((await store().undo('last')).text).toContain('is not the one that was sent');
    await expect(at.run('echo z >never', `web1:${work}`)).rejects.toThrow('is not the one that was sent');
    expect([existsSync(join(work, 'fake')), existsSync(join(work, 'never'))]).toEqual([false, false]);
    rmSync(path);
    writeFileSync(path, real, { mode: 0o500 });
    expect(await store().undo('last')).toMatchObject({ ok: true });
    expect(readFileSync(join(work, 'note'), 'utf8')).toBe('as it was\n');
  });

  it('is available at the next connection for a command that a lost connection cut off', async () => {
    const running = await at.start('rm -rf build; sleep 1000', `web1:${work}`);
    await until(async () => !existsSync(join(work, 'build')));
    await at.loseConnection();
    await running.result;
    await at.open();
    expect(await at.hosts.putLauncher('web1')).toBeUndefined();
    expect(await store().undo('last')).toMatchObject({ ok: true });
    expect(tree()).toHaveLength(3);
  });

  it('forgets an action on request', async () => {
    await run('echo new >note');
    expect(await store().forget('all')).toMatchObject({ ok: true });
    expect(await store().list()).toEqual([]);
    // Files that somebody else left in a shared directory of this machine are listed as well.
    const left = (await at.hosts.left('web1')).filter(({ directory }) => directory.startsWith(home));
    expect(left.map(({ actions }) => actions)).toEqual([0]);
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
