import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { collectAbandoned, ownedPrefix } from '../../src/executor/temporary-names.ts';
import { workspace } from './support.ts';

it('a temporary directory of a process that is gone is collected, and no other', () => {
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
  expect(collectAbandoned(parent)).toBe(1);
  expect([left, own, elsewhere, join(parent, 'aish-notes')].map((path) => existsSync(path))).toEqual([
    false,
    true,
    true,
    true,
  ]);
});
