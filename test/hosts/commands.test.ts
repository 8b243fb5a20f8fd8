/** The record of a command on a host, with the sh of this machine in place of the other one's. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { askEnd, layDown, readEnd, startOf } from '../../src/hosts/commands.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aish-host-'));
  const order = { directory: folder, token: 't', env: {}, bash: undefined, command: 'echo x >>ran; exit 3' };
  sh(layDown(folder, 'op', order));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sh = (code: string) => spawnSync('/bin/sh', ['-c', code], { encoding: 'utf8' });
const start = () => sh(startOf(folder, 'op')).status;
const end = () => readEnd(sh(askEnd(folder, 'op')).stdout);

it('tells the end of a command, which runs once', () => {
  expect(start()).toBe(3);
  expect(end()).toEqual({ kind: 'ended', exit: 3 });
  expect(start()).not.toBe(3);
  expect(end()).toEqual({ kind: 'ended', exit: 3 });
});

it('what is said never to have begun does not begin afterwards, and the answer stays', () => {
  expect(end()).toEqual({ kind: 'never began' });
  expect(start()).toBe(126);
  expect(existsSync(join(folder, 'ran'))).toBe(false);
  expect(end()).toEqual({ kind: 'never began' });
});

it('a command that left no end is not known; nor is one whose folder is gone', () => {
  sh(`: >${folder}/op.began`);
  expect(end()).toEqual({ kind: 'unknown' });
  rmSync(folder, { recursive: true });
  expect(end()).toEqual({ kind: 'unknown' });
});
