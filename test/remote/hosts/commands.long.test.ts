/** The record of a command on a host, with this machine's sh in place of the remote one. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  askEnd,
  clean,
  hangUp,
  LAY_START,
  layDown,
  readEnd,
  startOf,
  waitOf,
  wakeUnlaid,
} from '../../../src/remote/hosts/commands.ts';
import { below } from '../../support/processes.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aish-host-'));
  sh(`b=${folder}; ${LAY_START}`);
  const order = { directory: folder, token: 't', env: {}, bash: undefined, command: 'echo x >>ran; exit 3' };
  sh(layDown(folder, 'op', order));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sh = (code: string) => spawnSync('/bin/sh', ['-c', code], { encoding: 'utf8' });
const start = () => sh(startOf(folder, 'op')).status;
const end = () => readEnd(sh(askEnd(folder, 'op')).stdout);

it('a command runs once and its end is recorded', () => {
  expect(start()).toBe(3);
  expect(end()).toEqual({ kind: 'ended', exit: 3 });
  expect(start()).not.toBe(3);
  expect(end()).toEqual({ kind: 'ended', exit: 3 });
});

it('a command reported as never started does not start afterwards, and the report stays the same', () => {
  expect(end()).toEqual({ kind: 'never began' });
  expect(start()).toBe(126);
  expect(existsSync(join(folder, 'ran'))).toBe(false);
  expect(end()).toEqual({ kind: 'never began' });
});

it('a waiting session waits for its command, and does not start one that another session started', async () => {
  const order = { directory: folder, token: 't', env: {}, bash: undefined, command: 'echo x >>late; exit 4' };
  const started = (name: string) => {
    const child = spawn('/bin/sh', ['-c', startOf(folder, name)]);
    return new Promise((resolve) => child.once('exit', resolve));
  };
  const [late, taken] = [started('late'), started('taken')];
  await delay(100);
  expect(readEnd(sh(askEnd(folder, 'taken')).stdout)).toEqual({ kind: 'never began' });
  for (const name of ['late', 'taken']) sh(layDown(folder, name, order));
  expect(await Promise.all([late, taken])).toEqual([4, 126]);
  expect(readFileSync(join(folder, 'late'), 'utf8')).toBe('x\n');
});

it('a waiting session gives up when its pipe is missing, and otherwise starts the command', async () => {
  const order = { directory: folder, token: 't', env: {}, bash: undefined, command: 'exit 5' };
  for (const name of ['never', 'comes']) sh(wakeUnlaid(folder, name));
  const started = (name: string) => {
    const child = spawn('/bin/sh', ['-c', waitOf(folder, name)]);
    return new Promise((resolve) => child.once('exit', resolve));
  };
  const both = [started('never'), started('comes')];
  await delay(100);
  sh(layDown(folder, 'comes', order));
  expect(await Promise.all(both)).toEqual([126, 5]);
  sh(clean(folder, 'comes', false));
  expect(readdirSync(folder).filter((name) => name.startsWith('comes.'))).toEqual(['comes.began']);
});

it('the outcome of a command is unknown when no end was recorded or its folder is gone', () => {
  sh(`: >${folder}/op.began`);
  expect(end()).toEqual({ kind: 'unknown' });
  rmSync(folder, { recursive: true });
  expect(end()).toEqual({ kind: 'unknown' });
});

it.skipIf(process.platform !== 'linux')(
  'a second hang-up ends the processes that the first one missed, and no others',
  async () => {
    const order = { directory: folder, token: 't', env: {}, bash: undefined };
    const command = 'sleep 1000 & echo $! >missed; setsid sleep 1000 & nohup sleep 1000 & wait';
    sh(layDown(folder, 'run', { ...order, command }));
    // The shell starts in a separate session, as sshd starts one.
    const leader = spawn('setsid', ['/bin/sh', '-c', startOf(folder, 'run')], { stdio: 'ignore' });
    const of = (name: string) =>
      existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim() : '';
    const sleeps = () => below(leader.pid ?? -1).filter(({ words }) => words === 'sleep 1000');
    while (sleeps().length < 3) await delay(10);
    const all = sleeps().map(({ pid }) => pid);
    const missed = Number(of('missed'));
    sh(hangUp('ru'));
    sh(hangUp('run'));
    const alive = (pid: number) => sh(`kill -0 ${pid}`).status === 0;
    while (alive(missed)) await delay(10);
    const left = all.filter(alive);
    for (const pid of left) process.kill(pid, 'SIGKILL');
    expect(left).toEqual(all.filter((pid) => pid !== missed));
  },
);
