/** A call of Ansible that has to wait for a free place starts at the right time. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AnsibleQueue } from '../../src/fleet/ansible.ts';
import { until } from '../support/hosts.ts';

const GATHERED_MS = 400;
const PLACES = 8;
let folder: string;
let queue: AnsibleQueue;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ans-'));
  // The program reports its start, and works until it is released.
  const program = `#!/bin/sh\necho begun >>${folder}/begun\nuntil [ -e ${folder}/go ]; do sleep 0.05; done\n`;
  writeFileSync(join(folder, 'ansible'), program, { mode: 0o755 });
  queue = new AnsibleQueue(() => ({ folder, env: { PATH: `${folder}:${process.env.PATH}` } }));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  queue.close();
  rmSync(folder, { recursive: true, force: true });
});

const begun = () => {
  const log = join(folder, 'begun');
  return existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0;
};
const send = (command: string, signal?: AbortSignal) =>
  queue.send({ name: 'a', folder: '/tmp/there' }, command, 60_000, signal);

it('calls cancelled in the queue do not delay the next call', async () => {
  for (let at = 0; at < PLACES; at++) void send(`echo ${at}`);
  vi.advanceTimersByTime(GATHERED_MS);
  const unwanted = new AbortController();
  const dropped = Array.from({ length: PLACES }, (_, at) => send(`echo unwanted ${at}`, unwanted.signal));
  const last = send('echo wanted');
  vi.advanceTimersByTime(GATHERED_MS);
  unwanted.abort();
  expect(new Set((await Promise.all(dropped)).map(({ kind }) => kind))).toEqual(new Set(['dropped']));
  vi.useRealTimers();
  await until(() => begun() === PLACES);
  writeFileSync(join(folder, 'go'), '');
  expect(await last).toMatchObject({ kind: 'failed' });
  expect(begun()).toBe(PLACES + 1);
});

it('a time limit beyond the range of timers does not end the call at once', async () => {
  vi.useRealTimers();
  const sent = queue.send({ name: 'a', folder: '/tmp/there' }, 'true', 2 ** 31);
  await until(() => begun() === 1);
  writeFileSync(join(folder, 'go'), '');
  expect(await sent).toMatchObject({ kind: 'failed', why: 'ansible ended with 0' });
});
