/** A command of the model is tried, applied and undone on a host, over a real sshd. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRemoteUndo, trialsOfAll } from '../../../src/app/remote-undo.ts';

import type { TrialMode, Trials } from '../../../src/contracts/trials.ts';
import { trialsWork } from '../../effects/undo/trial-support.ts';
import { builtKit, hostsOf, unaborted, until } from '../../support/hosts.ts';
import { lacks } from '../../support/lacks.ts';
import { lacksSshd, type SshHost, startSshd } from '../../support/sshd.ts';

const notHere = () => Promise.reject(new Error('tried on this machine'));
const here: Trials = {
  unavailable: () => Promise.resolve('not on this machine'),
  ...{ start: notHere, diff: notHere, apply: notHere, discard: notHere, discardAbandoned: notHere },
};

describe.skipIf(lacksSshd() || lacks('cc') || lacks('tar') || !trialsWork())('a trial on a host', () => {
  let server: SshHost;
  let at: ReturnType<typeof hostsOf>;
  let work: string;
  /** A file outside the project, in a shared temporary directory. */
  const left = `/var/tmp/left-${process.pid}`;
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  const undo = { budget: 2000, days: 7, max_file: 256, credentials: false };
  const needs = { config: { undo }, session: 's', hide: (text: string) => text };
  const there = createRemoteUndo(needs, () => at.hosts);
  const store = () => there.store('web1') ?? expect.unreachable();
  const trials = trialsOfAll(here, there.trials);
  const connect = async () => {
    await at.open();
    expect(await at.hosts.putLauncher('web1')).toBeUndefined();
  };

  beforeAll(async () => {
    server = await startSshd('web1', { lines: [`SetEnv HOME=${home}`] });
    at = hostsOf(server, builtKit, there.keep);
    await at.open();
  });
  afterAll(async () => {
    await at?.hosts.close();
    await server?.stop();
    execFileSync('chmod', ['-R', 'u+rwx', home]);
    rmSync(home, { recursive: true, force: true });
  });
  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'there-'));
    mkdirSync(join(work, '.git'));
    mkdirSync(join(work, 'build'));
    for (const name of ['a', "it's", 'c\nd']) writeFileSync(join(work, 'build', name), `old ${name}`);
    writeFileSync(join(work, 'note'), 'as it was\n');
  });
  const stores = () => join(home, '.cache', readdirSync(join(home, '.cache'))[0] ?? '', 'undo');
  /** Returns the trials on the host that are neither applied nor discarded. */
  const waiting = () =>
    readdirSync(stores()).filter((name) => {
      const has = (file: string) => existsSync(join(stores(), name, file));
      return has('trial.json') && !has('action.json');
    });
  const bytes = () => execFileSync('tar', ['-C', work, '--sort=name', '-c', '.']);
  const attempt = async (command: string, mode: TrialMode = 'unrestricted') => {
    const how = { cwd: `web1:${work}`, signal: unaborted, mode };
    const { command: running, outcome } = await trials.start(command, how);
    return { result: await running.result, told: await outcome };
  };
  const tried = async (command: string) => {
    const { told } = await attempt(command);
    if (told.kind !== 'changes') throw new Error(told.why);
    return told;
  };

  it('is unavailable without the launcher, and names what is missing', async () => {
    expect(await trials.unavailable('web1:/srv')).toMatch(/on web1 without the launcher; :host launcher puts it there/);
    await expect(trials.start('true', { cwd: 'web1:/', signal: unaborted, mode: 'unrestricted' })).rejects.toThrow(
      'can be tried on web1',
    );
    await connect();
    expect(await trials.unavailable('web1:/srv')).toBeUndefined();
    expect(readdirSync(join(stores(), '..')).filter((name) => name.startsWith('probe-'))).toEqual([]);
  });

  it('lists its changes without making them, applies byte for byte what it showed, and can be undone', async () => {
    const before = bytes();
    const told = await tried(`rm -rf build; echo new >note; echo x >made; echo "$TMPDIR" >${left}; exit 3`);
    expect(told.exitCode).toBe(3);
    expect(told.changes.map(({ kind, path }) => `${kind} ${path.replace(work, '')}`)).toEqual([
      'deleted /build',
      'deleted /build/a',
      'deleted /build/c\nd',
      "deleted /build/it's",
      'created /made',
      'changed /note',
      `created ${left}`,
    ]);
    expect(bytes().equals(before)).toBe(true);
    expect(existsSync(left)).toBe(false);
    expect(await trials.diff(told.id)).toContain('-as it was\n+new');
    const { ok, action, text } = await trials.apply(told.id, told.digest);
    expect([ok, text]).toEqual([true, 'applied: 7 changes']);
    expect(readFileSync(left, 'utf8')).toMatch(/^\/.*op-.*\.tmp\n$/);
    expect([existsSync(join(work, 'build')), readFileSync(join(work, 'note'), 'utf8')]).toEqual([false, 'new\n']);
    expect((await trials.apply(told.id, told.digest)).text).toBe('this trial no longer exists');
    expect((await store().list())[0]).toMatchObject({ number: action, state: 'ended', created: 2 });
    expect(await store().undo(action ?? 0)).toMatchObject({ ok: true });
    expect(bytes().equals(before)).toBe(true);
    expect(existsSync(left)).toBe(false);
  });

  it('is applied only as it was shown, and not where something changed meanwhile', async () => {
    const one = await tried('echo new >note');
    expect((await trials.apply(one.id, 'another')).text).toBe('the trial differs from the list you saw');
    const two = await tried('echo new >note; rm -r build');
    writeFileSync(join(work, 'build/mine'), 'mine');
    const before = bytes();
    const { ok, text } = await trials.apply(two.id, two.digest);
    expect([ok, text]).toEqual([false, expect.stringMatching(/since this changed meanwhile:\n.*changed since/)]);
    expect(bytes().equals(before)).toBe(true);
    await trials.discard((await tried('echo new >note; mkdir -p d/e; chmod 0 d/e; chmod 0 d')).id);
    expect(waiting()).toEqual([]);
  });

  it('in Project has its own /tmp, and writes nothing outside its tree', async () => {
    const outside = mkdtempSync(join('/tmp', 'aish-outside-'));
    const { told } = await attempt(`rm -rf ${outside}; echo x >made; echo x >/tmp/left`, 'project');
    expect(told).toMatchObject({ exitCode: 0, changes: [{ path: join(work, 'made') }], doubts: [], outside: [] });
    expect(existsSync(outside)).toBe(true);
    rmSync(outside, { recursive: true });
  });

  it('reports that there are changes it can’t list, and gives its command no secret of this machine without consent', async () => {
    execFileSync('ln', [join(work, 'note'), join(work, 'other')]);
    expect((await attempt('echo new >note')).told).toMatchObject({ why: expect.stringContaining('has other names') });
    const env = { KEY: 'value' };
    const how = { cwd: `web1:${work}`, signal: unaborted, env, mode: 'unrestricted' } as const;
    await expect(trials.start('true', how)).rejects.toThrow(':host trust');
  });

  it('lost with its connection leaves nothing, and is not run again', async () => {
    const before = bytes();
    const open = await tried('rm -rf build');
    const how = { cwd: `web1:${work}`, signal: unaborted, mode: 'unrestricted' } as const;
    const running = await trials.start('echo x >made; echo up; sleep 1000', how);
    await until(() => running.command.output.lines(5).join('').includes('up'));
    await at.loseConnection();
    expect(await running.outcome).toMatchObject({ kind: 'cannotTell', why: 'its end is not known' });
    expect((await trials.apply(open.id, open.digest)).text).toBe('this trial no longer exists');
    const told = await at.open();
    expect(told.join()).toMatch(/^web1: the trial of echo x >made.*left no word of its end/);
    expect(await at.hosts.putLauncher('web1')).toBeUndefined();
    await there.trials('web1')?.discardAbandoned();
    expect(waiting()).toEqual([]);
    expect(bytes().equals(before)).toBe(true);
  });

  it('interrupted during an apply is applied completely or not at all, whichever process is killed, and never twice', async () => {
    const COUNT = 400;
    const ends = new Set<string>();
    for (let round = 0; round < 8; round += 1) {
      rmSync(join(work, 'many'), { recursive: true, force: true });
      mkdirSync(join(work, 'many'));
      for (let at = 0; at < COUNT; at += 1) writeFileSync(join(work, 'many', String(at)), 'old');
      const before = bytes();
      const { id, digest } = await tried('for f in many/*; do echo new >$f; done');
      const applying = trials.apply(id, digest);
      await until(
        () => newest(stores(), 'journal') > round * 60 || existsSync(join(stores(), lastIn(stores()), 'summary')),
      );
      if (round % 2 === 0) await at.loseConnection();
      else killApply();
      const { ok } = await applying;
      if (round % 2 === 0) await connect();
      await until(() => !applies());
      const [last] = await store().list();
      const after = new Set(
        readdirSync(join(work, 'many')).map((name) => readFileSync(join(work, 'many', name), 'utf8')),
      );
      const same = bytes().equals(before);
      expect([...after]).toHaveLength(1);
      expect(same).toBe(after.has('old'));
      if (ok) expect(same).toBe(false);
      ends.add(same ? 'nothing' : 'all');
      if (same) continue;
      expect(await store().undo(last?.number ?? 0)).toMatchObject({ ok: true });
      expect(bytes().equals(before)).toBe(true);
    }
    expect(ends.has('nothing')).toBe(true);
  });

  const applies = () => commands().some(([, words]) => words.includes('--apply'));
  const killApply = () => {
    for (const [pid, words] of commands()) if (words.includes('--apply')) kill(pid);
  };
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

function lastIn(store: string): string {
  return String(Math.max(...readdirSync(store).map(Number).filter(Number.isInteger)));
}

/** Returns the bytes that the newest action there has in a file. */
function newest(store: string, file: string): number {
  try {
    return readFileSync(join(store, lastIn(store), file)).length;
  } catch {
    return 0;
  }
}

function commands(): readonly (readonly [number, readonly string[]])[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => [Number(pid), commandOf(pid).split('\0')] as const)
    .filter(([, [program = '']]) => program.includes('aish-tui-host'));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
