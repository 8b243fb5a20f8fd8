import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { collectAbandoned, ownedPrefix, socketFolder } from '../../src/executor/private-directory.ts';
import { workspace } from './support.ts';

it('a temporary directory is removed only if its process is dead', () => {
  const parent = workspace();
  const own = mkdtempSync(join(parent, ownedPrefix('shell')));
  const { pid: gone } = spawnSync('true');
  const named = (pid: number, of: string) => {
    const path = own.replace(`-${process.pid}-`, `-${pid}-`).replace(/-(\d+)-(\w{6})$/, of);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const left = named(gone, '-$1-abcdef');
  const elsewhere = named(gone, '-1-abcdef');
  mkdirSync(join(parent, 'aish-notes'));
  expect(collectAbandoned([parent])).toBe(1);
  expect([left, own, elsewhere, join(parent, 'aish-notes')].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
    true,
  ]);
});

it('a socket directory at a short path is also removed once its process is dead', () => {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = join(workspace(), 'x'.repeat(60));
  mkdirSync(process.env.TMPDIR);
  const own = socketFolder('a');
  const { pid: gone } = spawnSync('true');
  const left = own.replace(`-${process.pid}-`, `-${gone}-`);
  try {
    expect(own).toMatch(/^\/tmp\/aish-a-/);
    renameSync(own, left);
    collectAbandoned();
    expect(existsSync(left)).toBe(false);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    for (const each of [own, left]) rmSync(each, { recursive: true, force: true });
  }
});
