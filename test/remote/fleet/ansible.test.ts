import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ansibleArguments,
  ansibleEnvironment,
  ansibleFiles,
  readCarried,
  unsafeText,
} from '../../../src/remote/fleet/ansible.ts';
import { runWords } from '../../../src/remote/fleet/container.ts';
import { fleetEventOf } from '../../../src/remote/fleet/controller.ts';

describe('the data passed to Ansible', () => {
  const hosts = [
    { name: 'user@[::1]', folder: '/tmp/a' },
    { name: 'web[1:3]', folder: '/tmp/b' },
  ];

  it('encodes any text as ASCII data', () => {
    expect(unsafeText('a "b" \\ {{ c }}\n\u0085😀')).toBe(
      '!unsafe "a \\"b\\" \\\\ {{ c }}\\U0000000a\\U00000085\\U0001f600"',
    );
  });

  it('contains host names as data too, never as words of an inventory', () => {
    const { 'inventory.yml': inventory = '' } = ansibleFiles('true', hosts);
    expect(inventory).toContain('    h0: {ansible_host: !unsafe "user@[::1]", aish_folder: !unsafe "/tmp/a"}\n');
    expect(inventory).toContain('    h1: {ansible_host: !unsafe "web[1:3]", ');
  });

  it('has fixed arguments, with one fork per host up to 50', () => {
    const forks = (count: number) =>
      ansibleArguments(Array.from({ length: count }, () => hosts[0] ?? { name: '', folder: '' })).at(-1);
    expect([forks(2), forks(400)]).toEqual(['2', '50']);
  });

  it('comes with an environment that nobody else can influence', () => {
    const env = { PATH: '/bin', ANSIBLE_BECOME: 'True', ANSIBLE_SSH_RETRIES: '3', PYTHONPATH: '.', LANG: 'C' };
    const given = ansibleEnvironment(env, '/work', '/sockets');
    expect(given).toMatchObject({ PATH: '/bin', LC_ALL: 'C.UTF-8', ANSIBLE_CONFIG: '/work/ansible.cfg' });
    for (const name of ['ANSIBLE_BECOME', 'ANSIBLE_SSH_RETRIES', 'PYTHONPATH']) expect(given).not.toHaveProperty(name);
    expect(ansibleEnvironment({ LANG: 'de_DE.UTF-8' }, '/work', '/sockets')).not.toHaveProperty('LC_ALL');
  });
});

describe('the report of Ansible', () => {
  const read = (told: object | string) =>
    readCarried(typeof told === 'string' ? told : JSON.stringify(told), 'echo hi');

  it('contains the exit code and output of the command that was sent', () => {
    expect(read({ cmd: 'echo hi', rc: 3, stdout: 'hi\n' })).toEqual({ kind: 'ran', exit: 3, output: 'hi\n' });
    expect(read({ cmd: 'echo hi', rc: -9, stdout: '' })).toMatchObject({ exit: 137 });
  });

  it('is ignored for any other command, however similar', () => {
    for (const cmd of ['echo hi ', 'echo ho', ['echo', 'hi'], { a: 1 }, null])
      expect(read({ cmd, rc: 0, stdout: 'hi' }), JSON.stringify(cmd)).toEqual({ kind: 'altered' });
  });

  it('explains a missing exit code in one line, and an invalid exit code counts as missing', () => {
    expect(read({ unreachable: true, msg: 'Failed:\r\nno route\r\n' })).toEqual({ kind: 'failed', why: 'no route' });
    expect(read({ rc: 127, module_stderr: 'sh: python3: not found\n', msg: 'MODULE FAILURE' })).toEqual({
      kind: 'failed',
      why: 'sh: python3: not found',
    });
    expect(read({ unreachable: true, msg: `\u001b]0;x\u0007${'y'.repeat(1000)}` })).toMatchObject({
      why: expect.stringMatching(/^[^\u0000-\u001f]{1,400}$/),
    });
    for (const rc of ['0', 1.5, 4000, undefined])
      expect(read({ cmd: 'echo hi', rc, stdout: '' }), String(rc)).toMatchObject({ kind: 'failed' });
    expect(read({ cmd: 'echo hi', rc: 0 })).toMatchObject({ kind: 'failed' });
  });

  it('is not used while it is incomplete', () => {
    expect([read(''), read('{"cmd": "echo hi", "rc": 0'), read('[]')]).toEqual([undefined, undefined, undefined]);
  });
});

it('a fleet is resumed by the method that started it, and not by an unknown one', () => {
  const opened = { type: 'fleetOpened', at: 1, goal: 'g', hosts: ['a'], atOnce: 1, deadlineMs: 1 };
  expect(fleetEventOf(opened)).not.toHaveProperty('via');
  expect(fleetEventOf({ ...opened, via: 'ansible' })).toMatchObject({ via: 'ansible' });
  expect(fleetEventOf({ ...opened, via: 'pigeon' })).toBeUndefined();
});

it('a container command that starts with - is passed as a command', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'aish-run-'));
  const [file = '', ...words] = runWords(join(folder, 'op'), folder, '-i; echo went on');
  const child = spawn(file, words, { stdio: ['pipe', 'pipe', 'ignore'] });
  let out = '';
  child.stdout.on('data', (data: Buffer) => {
    out += data.toString();
  });
  await new Promise((resolve) => child.once('close', resolve));
  expect(out).toBe('went on\n');
  rmSync(folder, { recursive: true, force: true });
});
