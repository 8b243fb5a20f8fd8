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

describe('what Ansible is given', () => {
  const hosts = [
    { name: 'user@[::1]', folder: '/tmp/a' },
    { name: 'web[1:3]', folder: '/tmp/b' },
  ];

  it('a text as data in ASCII, whatever is in it', () => {
    expect(unsafeText('a "b" \\ {{ c }}\n\u0085😀')).toBe(
      '!unsafe "a \\"b\\" \\\\ {{ c }}\\U0000000a\\U00000085\\U0001f600"',
    );
  });

  it('names are data, too, and no words of an inventory', () => {
    const { 'inventory.yml': inventory = '' } = ansibleFiles('true', hosts);
    expect(inventory).toContain('    h0: {ansible_host: !unsafe "user@[::1]", aish_folder: !unsafe "/tmp/a"}\n');
    expect(inventory).toContain('    h1: {ansible_host: !unsafe "web[1:3]", ');
  });

  it('its arguments are the same whatever runs, on as many at the same time as there are, and at most 50', () => {
    const forks = (count: number) =>
      ansibleArguments(Array.from({ length: count }, () => hosts[0] ?? { name: '', folder: '' })).at(-1);
    expect([forks(2), forks(400)]).toEqual(['2', '50']);
  });

  it('an environment in which nobody else has a say', () => {
    const env = { PATH: '/bin', ANSIBLE_BECOME: 'True', ANSIBLE_SSH_RETRIES: '3', PYTHONPATH: '.', LANG: 'C' };
    const given = ansibleEnvironment(env, '/work', '/sockets');
    expect(given).toMatchObject({ PATH: '/bin', LC_ALL: 'C.UTF-8', ANSIBLE_CONFIG: '/work/ansible.cfg' });
    for (const name of ['ANSIBLE_BECOME', 'ANSIBLE_SSH_RETRIES', 'PYTHONPATH']) expect(given).not.toHaveProperty(name);
    expect(ansibleEnvironment({ LANG: 'de_DE.UTF-8' }, '/work', '/sockets')).not.toHaveProperty('LC_ALL');
  });
});

describe('what Ansible tells', () => {
  const read = (told: object | string) =>
    readCarried(typeof told === 'string' ? told : JSON.stringify(told), 'echo hi');

  it('the end and the output of the command that went', () => {
    expect(read({ cmd: 'echo hi', rc: 3, stdout: 'hi\n' })).toEqual({ kind: 'ran', exit: 3, output: 'hi\n' });
    expect(read({ cmd: 'echo hi', rc: -9, stdout: '' })).toMatchObject({ exit: 137 });
  });

  it('any other command is none of ours, however alike', () => {
    for (const cmd of ['echo hi ', 'echo ho', ['echo', 'hi'], { a: 1 }, null])
      expect(read({ cmd, rc: 0, stdout: 'hi' }), JSON.stringify(cmd)).toEqual({ kind: 'altered' });
  });

  it('why there is none, in one line; what is no end is none', () => {
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

  it('half a report is not yet one', () => {
    expect([read(''), read('{"cmd": "echo hi", "rc": 0'), read('[]')]).toEqual([undefined, undefined, undefined]);
  });
});

it('a fleet is resumed by the way it was begun, and by no way that is not known', () => {
  const opened = { type: 'fleetOpened', at: 1, goal: 'g', hosts: ['a'], atOnce: 1, deadlineMs: 1 };
  expect(fleetEventOf(opened)).not.toHaveProperty('via');
  expect(fleetEventOf({ ...opened, via: 'ansible' })).toMatchObject({ via: 'ansible' });
  expect(fleetEventOf({ ...opened, via: 'pigeon' })).toBeUndefined();
});

it('a command of a container that begins with - is a command', async () => {
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
