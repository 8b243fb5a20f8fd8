import { expect, it } from 'vitest';
import { systemName } from '../../src/app/doctor.ts';

const on = (files: Readonly<Record<string, string>>, platform = 'linux') =>
  systemName({ platform, arch: 'x64', read: (path) => files[path], exists: (path) => path in files });

it.each([
  ['a plain machine', { '/proc/version': 'Linux version 6.1.0-44-amd64 (debian)' }, 'linux x64'],
  [
    'WSL 2',
    { '/proc/version': 'Linux version 5.15.167.4-microsoft-standard-WSL2 (root@f9c826d3017f)' },
    'linux x64, in WSL 2',
  ],
  [
    'WSL 1',
    { '/proc/version': 'Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com)' },
    'linux x64, in WSL 1, which has no kernel for a sandbox: use WSL 2',
  ],
  ['Docker', { '/.dockerenv': '', '/proc/version': 'Linux version 6.8.0' }, 'linux x64, in a container'],
  ['Podman', { '/run/.containerenv': 'engine="podman"' }, 'linux x64, in a container'],
  ['LXC', { '/proc/1/environ': 'PATH=/bin\0container=lxc\0' }, 'linux x64, in a container'],
  ['a system without these files', {}, 'linux x64'],
])('the system’s description names %s', (_what, files, name) => {
  expect(on(files)).toBe(name);
});

it('the system’s description reads no Linux files on other systems', () => {
  expect(on({ '/.dockerenv': '' }, 'darwin')).toBe('darwin x64');
});
