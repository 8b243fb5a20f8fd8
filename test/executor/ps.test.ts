/** The list of processes without /proc: as macOS prints it, and by a real `ps`. */
import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { processesByPs, readLsof, readPs } from '../../src/executor/processes.ts';
import { lacks } from '../support/lacks.ts';

// Output of `ps -axo pid=,ppid=,pgid=,tpgid=,stat=,tty=,comm=` on macOS 15.
const MACOS = `    1     0     1      0 Ss   ??       /System/launchd
  412     1   412      0 S    ??       /System/Library/CoreServices/Some Agent.app/Contents/MacOS/Some Agent
 9001   412  9001   9001 Ss+  ttys003  -zsh
 9100   412  9100   9140 Ss   ttys004  /opt/bash
 9130  9100  9130   9140 T    ttys004  vim
 9140  9100  9140   9140 S+   ttys004  /opt/less
 9141  9100  9140   9140 Z+   ttys004  (sh)
`;

describe('the output of ps on a Mac', () => {
  const all = readPs(MACOS);

  it('is parsed line by line, including names with blanks', () => {
    expect(all).toHaveLength(7);
    expect(all[1]).toEqual({
      pid: 412,
      name: 'Some Agent',
      state: 'S',
      parent: 1,
      group: 412,
      session: 0,
      foreground: -1,
      started: 0,
    });
  });

  it('gives all processes of a terminal the session id of the session leader', () => {
    expect(all.filter(({ session }) => session === 9100).map(({ pid }) => pid)).toEqual([9100, 9130, 9140, 9141]);
    expect(all.find(({ pid }) => pid === 9001)).toMatchObject({ name: 'zsh', session: 9001, foreground: 9001 });
    expect(all.find(({ pid }) => pid === 9130)).toMatchObject({ state: 'T', foreground: 9140 });
  });

  it('yields nothing when it can’t be parsed', () => {
    expect(readPs('')).toEqual([]);
    expect(readPs('ps: illegal option -- x\nusage: ps\n')).toEqual([]);
  });
});

it('lsof’s output yields the directory, and an error text yields none', () => {
  expect(readLsof('p9100\nfcwd\nn/Users/ann/my project\n')).toBe('/Users/ann/my project');
  expect(readLsof('p9100\nfcwd\nn(readlink: Permission denied)\n')).toBeUndefined();
  expect(readLsof('')).toBeUndefined();
});

it.skipIf(lacks('ps'))('the output of this machine’s ps is parsed as well', async () => {
  const child = spawn('sleep', ['60']);
  try {
    const found = processesByPs().find(({ pid }) => pid === child.pid);
    expect(found).toMatchObject({ name: 'sleep', parent: process.pid });
  } finally {
    child.kill('SIGKILL');
  }
});
